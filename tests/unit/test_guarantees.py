"""The guarantees name what proves them: every test they name exists, and each promise has one."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guarantees.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def test_every_test_named_exists():
    for path, name in NAMED:
        assert f"def {name}(" in (ROOT / path).read_text("utf-8"), f"{path}::{name}"


def test_each_promise_names_what_proves_it():
    promises = re.split(r"^\*\*P\d\. ", PAGE.split("\n## ")[0], flags=re.MULTILINE)[1:]
    assert len(promises) == 6
    assert all("::test_" in promise for promise in promises)
