"""Starting, finding and stopping the one process that serves a home.

A process is ours if its command line names this module's server and this home; a recorded pid
alone is never believed, so nothing else is ever signalled.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from local import say
from local.home import REPOSITORY, Home, read_exports, read_json, write_private

START_SECONDS = 60
STOP_SECONDS = 30
SAVE_SECONDS = 60
PORT_SECONDS = 2

SERVER = "local.server"
"""The module that is run as the server; a proof puts one of worse manners in its place."""

PROC = Path("/proc")
"""Where Linux lists processes; other systems have no such folder."""


def running(home: Home) -> int | None:
    """The pid of this home's server, or None."""
    pid = read_json(home.running).get("pid")
    return pid if isinstance(pid, int) and _is_ours(pid, home) else None


def port_of_running(home: Home) -> int | None:
    """The port this home's server was started on, which may not be the one asked for now."""
    port = read_json(home.running).get("port")
    return port if isinstance(port, int) and running(home) else None


def start(home: Home) -> int:
    """Start the server and wait until it answers; returns its pid.

    Raises:
        Trouble: the port is taken, or the server ended or did not answer in START_SECONDS.
    """
    _end_orphan(home)
    if not _becomes_free(home.port):
        raise say.Trouble(
            f"port {home.port} is in use by something else",
            f"Take another: PRECEDENT_PORT={home.port + 1} make up   (and the same for the other commands)",
        )
    sweep_leftovers(home)
    with open(home.log, "wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                SERVER,
                "--home",
                str(home.root),
                "--port",
                str(home.port),
            ],
            cwd=REPOSITORY,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    write_private(home.running, json.dumps({"pid": process.pid, "port": home.port}) + "\n")
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if _identity(home) == {"home": str(home.root), "pid": process.pid}:
            return process.pid
        time.sleep(0.1)
    stop(home)
    raise say.Trouble(
        "the local AWS did not start", f"Its last words are in {home.log}: {_last_line(home.log)}"
    )


def stop(home: Home) -> bool:
    """Stop this home's server, cleanly so that it saves its state; False if none was running.

    Raises:
        Trouble: it is still there after STOP_SECONDS and a kill.
    """
    pid, port = running(home), port_of_running(home)
    if pid is not None:
        try:
            save(
                Home(home.root, port or home.port)
            )  # the server saves too when it stops, but does not say if that failed
        except say.Trouble as error:
            say.warn(f"{error}; stopping it all the same")
        os.kill(pid, signal.SIGTERM)
        if not _gone(pid, STOP_SECONDS):
            say.warn(f"the local AWS (process {pid}) did not stop in {STOP_SECONDS} s; killing it")
            os.kill(pid, signal.SIGKILL)
            if not _gone(pid, 5):
                raise say.Trouble(
                    f"process {pid} cannot be stopped", f"End it yourself: kill -9 {pid}"
                )
    ended = _end_orphan(home)
    sweep_leftovers(home)
    home.running.unlink(missing_ok=True)
    return pid is not None or ended


def save(home: Home) -> None:
    """Have the running server put all its state on disk.

    Raises:
        Trouble: it could not; what it had saved before still stands.
    """
    request = urllib.request.Request(f"{home.url}/_precedent/save", method="POST")
    try:
        with urllib.request.urlopen(request, timeout=SAVE_SECONDS):
            pass
    except OSError as error:
        detail = error.read().decode() if isinstance(error, urllib.error.HTTPError) else str(error)
        raise say.Trouble(
            f"the local AWS could not save its state: {detail}",
            f"Is the disk of {home.root} full? Make room, then run this again.",
        ) from error


def environment(home: Home) -> dict[str, str]:
    """The server's environment, which its functions inherit: nothing of the caller's AWS settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "PRECEDENT_"))
    }
    return {
        **kept,
        **{
            name: value
            for name, value in read_exports(home.aws).items()
            if name != "AWS_ENDPOINT_URL"
        },
        "AUTH": "true",
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(home.port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "PERSIST_STATE": "1",
        "POWERTOOLS_TRACE_DISABLED": "1",  # there is no X-Ray daemon here to send traces to
        "PYTHONPATH": "",
        "S3_DATA_DIR": str(home.objects),
        "S3_PERSIST": "1",
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(home.state),
        "TMPDIR": str(home.tmp),
    }


def sweep_leftovers(home: Home) -> None:
    """End the function workers a killed server left behind, and empty what it left half written."""
    assert running(home) is None
    for pid in workers_of(home):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    for leftover in home.tmp.iterdir() if home.tmp.exists() else ():
        if leftover.is_dir() and not leftover.is_symlink():
            shutil.rmtree(leftover, ignore_errors=True)
        else:
            leftover.unlink(missing_ok=True)
    # An object is written beside its place and moved there; what was never moved was never
    # acknowledged, and would come back as an object of that odd name.
    for half_written in [*home.objects.rglob("*.tmp"), *home.state.glob("*.tmp")]:
        half_written.unlink(missing_ok=True)


def _end_orphan(home: Home) -> bool:
    """End a server whose home was deleted or made anew under it; it must not save into the new one."""
    pid = _identity(home).get("pid")
    if not isinstance(pid, int) or pid == running(home) or not _is_ours(pid, home):
        return False
    say.warn(f"process {pid} served a {home.root} that is gone; ending it")
    os.kill(pid, signal.SIGKILL)
    return _gone(pid, 5)


def workers_of(home: Home) -> list[int]:
    """Function workers run a script in the home's temporary folder; only those are ours."""
    mark = f"{home.tmp}{os.sep}ministack-lambda-"
    return [pid for pid, command in processes().items() if mark in command]


def processes() -> dict[int, str]:
    """Every process's command line, as far as it may be seen. Without /proc, `ps` is asked."""
    if PROC.is_dir():
        pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdecimal()]
        return {pid: command for pid in pids if (command := _command_of(pid))}
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,command="], capture_output=True, text=True, check=False
    )
    rows = (line.split(None, 1) for line in listing.stdout.splitlines())
    return {int(row[0]): row[1] for row in rows if len(row) == 2}


def _is_ours(pid: int, home: Home) -> bool:
    command = _command_of(pid)
    return f" -m {SERVER} " in command and f" --home {home.root} " in command + " "


def _command_of(pid: int) -> str:
    """A process's command line; empty if there is none or it is a zombie."""
    if not PROC.is_dir():
        return processes().get(pid, "")
    try:
        return (
            (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return ""


def _gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)  # if it is our own child, it has to be waited for
        if not _command_of(pid):
            return True
        time.sleep(0.05)
    return False


def _identity(home: Home) -> dict[str, object]:
    """What a server of ours on this port says of itself; empty if there is none."""
    try:
        with urllib.request.urlopen(f"{home.url}/_precedent", timeout=2) as response:
            identity = json.load(response)
    except (OSError, ValueError):
        return {}
    return identity if isinstance(identity, dict) else {}


def _becomes_free(port: int) -> bool:
    """Whether a port is free, given a moment: the kernel lets go of it after the process is gone."""
    deadline = time.monotonic() + PORT_SECONDS
    while not _is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _last_line(path: Path) -> str:
    lines = [
        line
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    return lines[-1].strip() if lines else "(nothing)"
