"""The decisions this session has read in full, kept so that `record` can say so by itself.

An id enters only when the decision's full text was printed by `recall` or `show`, or the session recorded
it itself. What a 409 printed does not count: that one is answered by a verdict.

Kept under `$XDG_STATE_HOME/precedent/seen/<hash of url, project, session>/`, one file for each time
something was read. A file is written once and never changed, so two commands at once lose nothing.
Many small files are now and then put together into one; the old ones go only once it is on the disk.
"""

from __future__ import annotations

import os

from precedent_client import durable

TYPE_CHECKING = False  # hooks import this module, and `typing` takes them too long
if TYPE_CHECKING:
    from collections.abc import Iterable

    from precedent_client.config import Config
    from precedent_client.settings import Settings

LIMIT = 2000
"""As many ids as a request may name; the newest are kept."""
MANY_FILES = 64

_SUFFIX = ".seen"


def is_id(text: object) -> bool:
    """Whether it is written as a decision's id."""
    return (
        isinstance(text, str)
        and len(text) == 26
        and text.startswith("d_")
        and all(one in "0123456789abcdef" for one in text[2:])
    )


class Seen:
    """The ids one session has read. Never raises OSError: without the disk it says so and goes on."""

    def __init__(self, config: Config | Settings, session: str) -> None:
        self._root = durable.state("seen")
        self._folder = os.path.join(self._root, durable.named(config.url, config.project, session))
        self.warning: str | None = None

    def ids(self) -> list[str]:
        """At most `LIMIT` ids, oldest first."""
        try:
            return self._read()[0][-LIMIT:]
        except OSError as error:
            self._warn("read", error)
            return []

    def add(self, ids: Iterable[str]) -> None:
        """Remember ids. A power cut may take the last of them: then they are asked about again."""
        known = set(self.ids())
        fresh = [found for found in dict.fromkeys(ids) if is_id(found) and found not in known]
        try:
            if not fresh:
                if known:
                    os.utime(self._folder)  # used: not to be forgotten
                return
            begins = not os.path.exists(self._folder)
            self._write(durable.stamp(), fresh)
            self._gather()
            if begins:
                durable.prune(self._root)
        except OSError as error:
            self._warn("kept", error)

    def _warn(self, what: str, error: OSError) -> None:
        self.warning = (
            f"What this session has read cannot be {what} ({error.strerror or error}); "
            "decisions in the way will be asked about again. Set XDG_STATE_HOME to a writable folder."
        )

    def _files(self) -> list[str]:
        return durable.listed(self._folder, _SUFFIX)

    def _read(self) -> tuple[list[str], list[str]]:
        """Every id, oldest first, and the files they came from.

        A file that vanished between listing and opening was put together with others by another
        command; the gathered file is there already, so the folder is listed again.
        """
        for _ in range(10):
            files = self._files()
            found: dict[str, bool] = {}
            try:
                for name in files:
                    with open(os.path.join(self._folder, name), encoding="ascii") as file:
                        for entry in file.read().split():
                            if is_id(entry):
                                found.pop(entry, None)
                                found[entry] = True
            except FileNotFoundError:
                continue
            except ValueError:
                raise OSError("a file there is damaged") from None
            return list(found), files
        raise OSError("the folder keeps changing")

    def _write(self, stamp: str, ids: list[str]) -> None:
        text = "\n".join(ids) + "\n"
        durable.put(os.path.join(self._folder, stamp + _SUFFIX), text.encode("ascii"))

    def _gather(self) -> None:
        if len(self._files()) <= MANY_FILES:
            return
        ids, files = self._read()
        # Named right after the newest file it holds: whatever is written from now on is newer.
        self._write(files[-1][: -len(_SUFFIX)] + "-" + durable.stamp()[-8:], ids[-LIMIT:])
        for name in files:
            durable.remove(os.path.join(self._folder, name))  # another command may have been first
