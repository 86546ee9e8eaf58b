"""Makes `.venv` from requirements/dev.txt, every package checked against its hash.

Runs on a bare Python (the standard library only) and does nothing when `.venv` already is what the
lock says. The stamp is written last, so a set-up that was cut short is made again from scratch.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements" / "dev.txt"
STAMP = VENV / "made-from"


def wanted() -> str:
    """What `.venv` must have been made from: this interpreter and this lock."""
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    return f"{sys.version_info.major}.{sys.version_info.minor} {digest}\n"


def is_made() -> bool:
    """Whether `.venv` is complete and current, and its interpreter still there."""
    return STAMP.is_file() and STAMP.read_text() == wanted() and (VENV / "bin" / "python").exists()


def make() -> None:
    """Make `.venv` anew.

    Raises:
        SystemExit: with what is missing and the way out.
    """
    print("· setting up .venv (once; about a minute)", file=sys.stderr, flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    if subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False).returncode != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            f"✗ {sys.executable} cannot make virtual environments.\n"
            "  Install its venv module (Debian, Ubuntu: apt install python3-venv) or name another: make PYTHON=…"
        )
    pip = [
        str(VENV / "bin" / "python"),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-qq",
    ]
    options = ["--require-hashes", "--only-binary", ":all:", "-r", str(LOCK)]
    if subprocess.run([*pip, *options], check=False, cwd=ROOT).returncode != 0:
        sys.exit(
            "✗ the packages of requirements/dev.txt could not be installed; the reason stands above.\n"
            "  Mend it (network? disk?) and run the same command again; it starts afresh."
        )
    STAMP.write_text(wanted())


def main() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - whichever Python is there runs this
        sys.exit(
            f"✗ this is Python {sys.version.split()[0]}; 3.11 or newer is needed. Name one: make PYTHON=…"
        )
    if is_made():
        return
    with open(os.open(ROOT / ".venv.lock", os.O_RDWR | os.O_CREAT, 0o600)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two at once: the second waits and finds it made
        if not is_made():
            make()


if __name__ == "__main__":
    main()
