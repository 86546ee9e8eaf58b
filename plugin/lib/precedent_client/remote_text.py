"""What the service tells of some files, from this machine's copy while that is fresh, else asked for.

A copy is `cache/<service and project>/<files>`: one line of JSON about it, then the text as it came. After a
request that failed nobody asks for a while, so that a service that hangs costs one hook its patience, not
every one.
"""

from __future__ import annotations

import os
import time

from precedent_client import durable, fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from precedent_client.fetch import Reply
    from precedent_client.settings import Settings

FRESH = 60.0
"""Seconds for which a copy is taken as it is."""
FIRST_DOWN, LONGEST_DOWN = 4.0, 60.0
"""Seconds for which a service that failed is not asked; twice as long each time. A function that starts cold fails
once, and is there a moment later."""


class Told:
    """A text of the service, the ids it tells in full, and since when this machine has it."""

    __slots__ = ("age", "at", "etag", "shown", "text", "trouble")

    def __init__(self, text: str, etag: str, shown: list[str], at: float) -> None:
        self.text = text
        self.etag = etag
        self.shown = shown
        self.at = at
        self.age = max(0.0, time.time() - at)
        self.trouble = ""
        """Why it is not fresh, if it is not."""

    @property
    def fresh(self) -> bool:
        # A copy of the future was made before somebody set the clock back.
        return time.time() - FRESH < self.at <= time.time()


def of_files(settings: Settings, paths: list[str], budget: int, timeout: float) -> Told:
    """What is to be told of some files. Raises OSError where neither the service nor a copy says."""
    place = durable.state(
        "cache", durable.named(settings.url, settings.project), durable.named(*sorted(paths))
    )
    copy = _copy(place)
    if copy is not None and copy.fresh:
        return copy
    try:
        return _asked(settings, paths, budget, timeout, place, copy)
    except OSError as trouble:
        if copy is None:
            raise
        copy.trouble = str(trouble)
        return copy


def is_down(url: str) -> bool:
    """Whether the service failed a moment ago."""
    try:
        age = time.time() - os.stat(_down(url)).st_mtime
    except OSError:
        return False
    return 0 <= age < min(LONGEST_DOWN, FIRST_DOWN * 2.0 ** (_failures(url) - 1))


def ask(settings: Settings, query: str, headers: dict[str, str], timeout: float) -> Reply:
    """GET a path of the project. Raises OSError for everything but a 2xx and a 304."""
    if is_down(settings.url):
        raise OSError("the service did not answer a moment ago")
    from precedent_client import fetch

    headers = {"Authorization": f"Bearer {settings.token}", **headers}
    try:
        reply = fetch.get(f"{settings.url}/v1/projects/{settings.project}{query}", headers, timeout)
    except OSError:
        _note_down(settings.url)
        raise
    if reply.status in (401, 403):
        raise PermissionError(f"the token is not accepted ({reply.status})")
    if reply.status >= 500 or reply.status == 429:
        _note_down(settings.url)
    else:
        durable.remove(_down(settings.url))
    if reply.status != 304 and not 200 <= reply.status < 300:
        raise OSError(f"the service answered {reply.status}")
    return reply


def quoted(text: str) -> str:
    """A text as part of a query."""
    kept = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
    raw = text.encode("utf-8", "surrogateescape")
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in raw)


def _asked(
    settings: Settings, paths: list[str], budget: int, timeout: float, place: str, copy: Told | None
) -> Told:
    query = "&".join([f"path={quoted(path)}" for path in paths] + [f"budget={budget}"])
    headers = {"Accept": "text/markdown"}
    if copy is not None:
        headers["If-None-Match"] = copy.etag
    reply = ask(settings, f"/recall?{query}", headers, timeout)
    now = time.time()
    if reply.status == 304 and copy is not None:
        told = Told(copy.text, copy.etag, copy.shown, now)
    else:
        if not reply.headers.get("content-type", "").startswith("text/markdown"):
            raise OSError("what answered is no Precedent service")
        told = Told(
            reply.body.decode(), reply.headers.get("etag", ""), reply.ids("precedent-shown"), now
        )
        if not told.shown and not reply.ids("precedent-omitted"):
            told.text = ""
    try:
        about = {"at": int(told.at), "etag": told.etag, "shown": told.shown}
        durable.put(place, f"{fast_json.dumps(about)}\n{told.text}".encode())
    except OSError:
        pass  # then it is asked for again
    return told


def _copy(place: str) -> Told | None:
    raw = durable.read(place)
    if raw is None:
        return None
    line, _, text = raw.partition(b"\n")
    try:
        about = fast_json.loads(line)
        shown = [one for one in about["shown"] if isinstance(one, str)]
        return Told(text.decode(), str(about["etag"]), shown, float(about["at"]))
    except (ValueError, KeyError, TypeError):
        return None  # damaged: as good as none


def _down(url: str) -> str:
    return durable.state("cache", durable.named(url) + ".down")


def _failures(url: str) -> int:
    """How often in a row it has failed."""
    raw = durable.read(_down(url)) or b""
    return min(int(raw), 10) if raw.isdigit() else 1


def _note_down(url: str) -> None:
    known = os.path.exists(_down(url))
    try:
        durable.put(_down(url), str(_failures(url) + 1 if known else 1).encode())
    except OSError:
        pass
