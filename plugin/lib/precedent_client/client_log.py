"""The client's own log: one line for each trouble of a hook, and neither a secret nor a decision in it.

An exception's own text may quote what was read, so only its type, the place and a system's message are kept.
"""

from __future__ import annotations

import os
import time

from precedent_client import durable

LIMIT = 256 * 1024
"""Bytes after which the log begins anew; the one before is kept."""


def path() -> str:
    return durable.state("client.log")


def note(where: str, trouble: BaseException) -> None:
    """Write down a trouble. Raises OSError where it cannot."""
    line = f"{_now()} {where} {_said(trouble)}"
    printable = "".join(one if one.isprintable() else "?" for one in line)
    os.makedirs(os.path.dirname(path()), mode=durable.PRIVATE, exist_ok=True)
    _rotate()
    handle = os.open(path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, (printable[:500] + "\n").encode())
    finally:
        os.close(handle)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _said(trouble: BaseException) -> str:
    frame = trouble.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = ""
    if frame is not None:
        place = f" in {os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}"
    system = f": {trouble.strerror}" if isinstance(trouble, OSError) and trouble.strerror else ""
    return f"{type(trouble).__name__}{system}{place}"


def _rotate() -> None:
    try:
        if os.stat(path()).st_size > LIMIT:
            os.replace(path(), path() + ".1")
    except OSError:
        pass
