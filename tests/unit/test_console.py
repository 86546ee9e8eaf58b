"""Transcripts: what is a command, what is output, and what differs from run to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo import console
from demo.console import Shell, Step

DOCUMENT = """\
# A thing

```console
$ one
```

## Part

```console
alice$ two \\
    --more
printed
$5 is no prompt

bob$ three
```

```sh
carol$ four
```

## Other

```console
$ five
```
"""


def test_steps_are_commands_with_what_follows_them() -> None:
    assert console.steps(DOCUMENT, "Part") == [
        Step("alice", "two \\\n    --more", ["printed", "$5 is no prompt", ""], 11),
        Step("bob", "three", [], 15),
    ]
    assert [step.command[:4] for step in console.steps(DOCUMENT)] == ["one", "two ", "thre", "five"]


@pytest.mark.parametrize(
    ("expected", "printed", "agrees"),
    [
        (["a"], ["a"], True), (["a"], ["b"], False), (["a"], ["a", "b"], False), ([], [], True),
        ([], ["a"], False), (["a…c"], ["abc"], True), (["a…c"], ["ab"], False), (["…"], [], True),
        (["a", "…", "z"], ["a", "b", "c", "z"], True), (["a", "…"], ["a"], True),
        (["a.c"], ["abc"], False), (["a…c"], ["a", "c"], False), ([""], [""], True),
    ],
)  # fmt: skip
def test_an_ellipsis_stands_for_anything(
    expected: list[str], printed: list[str], agrees: bool
) -> None:
    assert console.agrees(expected, printed) is agrees


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("by a at 2026-11-30T10:00:00.123Z (branch main)", "by a at … (branch main)"),
        ("</recorded-0123456789ab>", "</recorded-…>"),
        ("dated 2018-03-06", "dated 2018-03-06"),
        ("[d_1] T (alice.laptop 2026-11-30)", "[d_1] T (alice.laptop …)"),
        ("sha256sum:" + "0" * 64, "sha256sum:…"),
        ("d_0123456789abcdef01234567 el_0123456789abcdef0123", "d_0123456789abcdef01234567 el_0123456789abcdef0123"),
    ],
)  # fmt: skip
def test_what_differs_is_masked_and_an_id_is_not(line: str, masked: str) -> None:
    assert console.masked(line) == masked


def test_a_shell_keeps_folder_variables_and_status(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    shell = Shell({"PATH": "/usr/bin:/bin"}, tmp_path)
    try:
        assert shell.run("cd below && x=1") == []
        assert shell.run('basename "$PWD"; echo $x') == ["below", "1"]
        assert shell.run("echo out; echo err >&2; (exit 3)") == ["out", "err"]
        assert shell.run("echo $?") == ["3"]
        assert shell.run("printf 'no end'") == ["no end"]
        assert shell.run("cat") == []
        assert shell.run("echo a \\\n  b") == ["a b"]
    finally:
        shell.close()
