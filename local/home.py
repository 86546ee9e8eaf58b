"""PRECEDENT_HOME: the one folder that holds everything the local AWS leaves on disk."""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import re
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local import say

REPOSITORY = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 4566
TENANT = "team"
LOCK_SECONDS = 180


@dataclass(frozen=True)
class Home:
    """Where things are. `port` is the loopback port the local AWS of this home listens on."""

    root: Path
    port: int

    @classmethod
    def from_environment(cls) -> Home:
        """PRECEDENT_HOME (relative to the repository unless absolute) and PRECEDENT_PORT."""
        root = Path(os.environ.get("PRECEDENT_HOME") or ".precedent").expanduser()
        text = os.environ.get("PRECEDENT_PORT") or str(DEFAULT_PORT)
        if not text.isdecimal() or not 1024 <= int(text) <= 65535:
            raise say.Trouble(
                f"PRECEDENT_PORT={text!r} is not a port",
                "Use a number from 1024 to 65535, as in PRECEDENT_PORT=4567.",
            )
        return cls(root=(REPOSITORY / root).resolve(), port=int(text))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def state(self) -> Path:
        """Everything but objects, as of the last save."""
        return self.root / "state"

    @property
    def objects(self) -> Path:
        """The objects of every bucket, written as they arrive; the log is here."""
        return self.root / "s3"

    @property
    def adopting(self) -> Path:
        """Objects of a log bucket whose stack was lost, on their way back into the new one."""
        return self.root / "adopting"

    @property
    def tmp(self) -> Path:
        """The server's temporary folder, emptied whenever it is down."""
        return self.root / "tmp"

    @property
    def log(self) -> Path:
        """What the server printed since it was last started."""
        return self.root / "server.log"

    @property
    def running(self) -> Path:
        """The process that serves this home: `{"pid": …, "port": …}`."""
        return self.root / "running.json"

    @property
    def env(self) -> Path:
        """The first writer's PRECEDENT_URL, PRECEDENT_TOKEN and PRECEDENT_PROJECT, to be sourced."""
        return self.root / "env"

    @property
    def aws(self) -> Path:
        """The administrator's AWS_… variables, to be sourced."""
        return self.root / "aws"

    @property
    def way_out(self) -> str:
        """What to do where the state on disk is not whole."""
        return (
            f"More may be in {self.log}. Run it again; if that does not help, set the state aside: make down; "
            f"mv {self.state} {self.state}.broken; make up. The log in {self.objects} is taken into a new "
            "deployment, and writers get new tokens (make writer)."
        )

    def prepare(self) -> None:
        """Make the folder, closed to others."""
        try:
            for folder in (self.root, self.state, self.objects, self.tmp):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.root.chmod(0o700)
        except OSError as error:
            raise say.Trouble(
                f"cannot use {self.root}: {error}",
                "Name another folder: PRECEDENT_HOME=DIR make up",
            ) from error

    def _write_aws(self) -> None:
        """The administrator's variables. The key is made once; on this server it is what counts."""
        known = read_exports(self.aws)
        write_exports(
            self.aws,
            {
                "AWS_ENDPOINT_URL": self.url,
                "AWS_ACCESS_KEY_ID": known.get("AWS_ACCESS_KEY_ID")
                or f"AKIA{secrets.token_hex(16).upper()}",
                "AWS_SECRET_ACCESS_KEY": known.get("AWS_SECRET_ACCESS_KEY")
                or secrets.token_urlsafe(30),
                "AWS_DEFAULT_REGION": "us-east-1",
            },
        )

    @contextmanager
    def locked(self, doing: str) -> Iterator[None]:
        """One launcher at a time; a second one waits, and says for whom.

        Raises:
            Trouble: the other did not finish in LOCK_SECONDS.
        """
        self.prepare()
        with open(self.root / "lock", "a+", encoding="utf-8") as file:
            deadline, told = time.monotonic() + LOCK_SECONDS, False
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    file.seek(0)
                    other = file.read().strip() or "another command"
                    if not told:
                        say.step(f"waiting for {other} to finish with {self.root}")
                        told = True
                    if time.monotonic() > deadline:
                        raise say.Trouble(
                            f"{other} has held {self.root} for {LOCK_SECONDS} s",
                            "Wait for it or end it, then run this again.",
                        ) from None
                    time.sleep(0.2)
            file.truncate(0)
            file.write(f"`{doing}` (process {os.getpid()})")
            file.flush()
            self._write_aws()
            yield


def first_writer() -> str:
    """`<user>.local`, in the letters a writer's name may have."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    name = re.sub(r"[^a-z0-9._-]+", "-", user.lower()).strip("._-")[:50]
    return f"{name or 'me'}.local"


def write_exports(path: Path, values: Mapping[str, str]) -> None:
    """A file for `. path`, readable by its owner only, replaced in one step."""
    text = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())
    write_private(path, text)


def read_exports(path: Path) -> dict[str, str]:
    """The variables of a file that `write_exports` made; empty if there is none."""
    if not path.exists():
        return {}
    pairs = (
        word.partition("=") for word in shlex.split(path.read_text(encoding="utf-8"), comments=True)
    )
    return {name: value for name, equals, value in pairs if equals}


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step with a file only its owner can read."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with open(
        os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def read_json(path: Path) -> dict[str, object]:
    """A small file of ours; empty if it is missing or half written."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
