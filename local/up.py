"""`make up`, `make down` and `make writer`, step by step."""

from __future__ import annotations

import json
import os
import shutil
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError
from precedent.aws.access import Access
from precedent.errors import Refusal
from precedent.ports import StoreError

from local import deploy, process, say
from local.home import TENANT, Home, first_writer, read_exports, write_exports

DEFAULT_PROJECT = "demo"
HEALTH_SECONDS = 30
ROOM = 1024 * 1024
"""Bytes below which a disk counts as full."""

ACCOUNT = "000000000000"
"""The account every bucket of the local AWS belongs to."""


@dataclass(frozen=True)
class Up:
    """What `up` left running."""

    home: Home
    deployed: deploy.Deployed
    writer: str


def up(home: Home) -> Up:
    """Start the local AWS unless it runs, deploy what changed, and see to a first writer.

    Whatever was cut short before is finished: each step looks at what is there, not at what an
    earlier run remembers. A returned `Up` means that all of it is on disk, projected and answering.

    Raises:
        Trouble: something is in the way, or what is on disk is not whole; says how to go on.
    """
    with home.locked("up"), _whole(home):
        _refuse_without_log(home)
        _start(home)
        _discard_unused_bucket(home)
        if _log_bucket_lost_its_stack(home):
            _set_log_aside(home)
        say.step("deploying infra/log.yaml and sam/template.yaml")
        deploy.deploy_log(home)
        deployed = deploy.deploy_functions(home)
        if home.adopting.exists():
            _bring_log_back(home, deployed)
        writer = _first_writer(home, deployed)
        process.save(home)
        _complete_projection(home, deployed)
        process.save(home)
        _ask_health(home)
        return Up(home, deployed, writer)


def down(home: Home) -> bool:
    """Stop the local AWS, saving its state; False if it was not running."""
    with home.locked("down"):
        return process.stop(home)


def add_writer(home: Home, name: str, role: str, project: str, tenant: str = TENANT) -> Path:
    """Add a writer to the running local AWS and write the file to source for it; returns the file.

    Raises:
        Trouble: nothing is running, or the name is taken or malformed.
    """
    with home.locked("writer"):
        deployed = _running(home)
        try:
            token = access(home, deployed).add_writer(tenant, name, role)
        except Refusal as refusal:
            raise say.Trouble(
                f"no writer was added: {refusal.detail}", "make writer NAME=bob.desk ROLE=writer"
            ) from None
        process.save(home)
        path = home.root / "writers" / f"{name}.env"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _write_env(path, home, token, project)
        return path


def revoke_writer(home: Home, name: str, tenant: str = TENANT) -> None:
    """Take a writer's token away; once this returns, no crash brings it back.

    Raises:
        Trouble: nothing is running, or there is no such writer.
    """
    with home.locked("revoke"):
        deployed = _running(home)
        try:
            access(home, deployed).revoke(tenant, name)
        except Refusal as refusal:
            raise say.Trouble(refusal.detail, "`make status` lists the writers.") from None
        process.save(home)


def access(home: Home, deployed: deploy.Deployed) -> Access:
    """The access table, as the administrator sees it."""
    return Access(deployed.access_table, deploy.client(home, "dynamodb"))


def _running(home: Home) -> deploy.Deployed:
    deployed = deploy.find(home) if process.port_of_running(home) == home.port else None
    if deployed is None:
        raise say.Trouble(
            f"nothing is running for {home.root} on port {home.port}", "Start it: make up"
        )
    return deployed


@contextmanager
def _whole(home: Home) -> Iterator[None]:
    """Whatever goes wrong in there, parts of the state are missing or contradict each other."""
    try:
        yield
    except (BotoCoreError, ClientError, StoreError, LookupError, OSError, ValueError) as error:
        raise _half_made(home, f"{type(error).__name__}: {error}") from error


def _half_made(home: Home, why: str) -> say.Trouble:
    if shutil.disk_usage(home.root).free < ROOM:
        return say.Trouble(
            f"the disk of {home.root} is full ({why})",
            "Make room, then run this again. What was acknowledged is there.",
        )
    return say.Trouble(f"what is on disk in {home.state} is not whole ({why})", home.way_out)


def _refuse_without_log(home: Home) -> None:
    """A state that was saved, and no object: the log itself is gone, and its numbers must not be used again."""
    if (home.state / "cloudformation.json").exists() and not any(home.objects.iterdir()):
        raise say.Trouble(
            f"the log is gone from {home.objects}, and a deployment that knows it is in {home.state}",
            f"Put it back. To begin anew with nothing: make down; rm -r {home.root}; make up",
        )


def _ask_health(home: Home) -> None:
    with urllib.request.urlopen(f"{home.url}/v1/health", timeout=HEALTH_SECONDS) as answer:
        if answer.status != HTTPStatus.OK:
            raise _half_made(home, f"/v1/health answers {answer.status}")


def _start(home: Home) -> None:
    port = process.port_of_running(home)
    if port == home.port:
        return
    if port is not None:
        say.step(f"moving from port {port} to {home.port}")
        process.stop(home)
    say.step(f"starting the local AWS on 127.0.0.1:{home.port}")
    process.start(home)


# A log bucket outlives its stack: if the server was killed before its state was ever saved, or the
# state was lost, the objects are on disk and nothing else is. A stack cannot take over a bucket
# that exists, so the objects step aside, the stack makes the bucket, and they step back in.


def _log_bucket(home: Home) -> str:
    return f"precedent-log-{ACCOUNT}-{deploy.session(home).region_name}"


def _log_bucket_lost_its_stack(home: Home) -> bool:
    return not deploy.exists(home, deploy.LOG_STACK) and _log_bucket(home) in deploy.buckets(home)


def _discard_unused_bucket(home: Home) -> None:
    """Remove the bucket of a first deploy that was cut short before anything was recorded."""
    if not _log_bucket_lost_its_stack(home):
        return
    s3, bucket = deploy.client(home, "s3"), _log_bucket(home)
    if not s3.list_objects_v2(Bucket=bucket, MaxKeys=1).get("Contents"):
        s3.delete_bucket(Bucket=bucket)


def _set_log_aside(home: Home) -> None:
    say.warn("the log is there and its stack is not; taking the log into a new one")
    process.stop(home)
    bucket = _log_bucket(home)
    for part in (Path(ACCOUNT), Path(".versions") / ACCOUNT):
        source = home.objects / part / bucket
        if source.exists():
            _move_into(source, home.adopting / part / bucket)
    (home.state / "s3.json").unlink(missing_ok=True)  # or the bucket would come back, empty
    process.start(home)


def _bring_log_back(home: Home, deployed: deploy.Deployed) -> None:
    process.stop(home)
    for part in (Path(ACCOUNT), Path(".versions") / ACCOUNT):
        source = home.adopting / part / deployed.log_bucket
        if source.exists():
            _move_into(source, home.objects / part / deployed.log_bucket)
    shutil.rmtree(home.adopting)
    process.start(home)


def _move_into(source: Path, target: Path) -> None:
    """Move every file of a folder to the same place in another; may be cut short and done again."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():
                raise say.Trouble(
                    f"{place} is there already", f"Compare it with {path} and remove one of them."
                )
            path.rename(place)
    shutil.rmtree(source)


def _first_writer(home: Home, deployed: deploy.Deployed) -> str:
    """See to it that the first writer exists and that `env` has its token; never gives a revoked one another."""
    table, name, values = access(home, deployed), first_writer(), read_exports(home.env)
    project = (
        os.environ.get("PRECEDENT_PROJECT") or values.get("PRECEDENT_PROJECT") or DEFAULT_PROJECT
    )
    token = values.get("PRECEDENT_TOKEN", "")
    identity = table.identify(token)
    if identity is not None:
        _write_env(home.env, home, token, project)
        return identity.writer
    known = {writer.name: writer for writer in table.writers(TENANT)}
    if name in known and known[name].revoked_at is not None:
        say.warn(f"the token of {name} was revoked; a new one: make writer NAME={name} ROLE=writer")
        return name
    if name in known:
        say.warn(f"{home.env} has no token of {name} any more; giving it a new one")
        table.revoke(TENANT, name)
    _write_env(home.env, home, table.add_writer(TENANT, name, "writer"), project)
    return name


def _write_env(path: Path, home: Home, token: str, project: str) -> None:
    write_exports(
        path, {"PRECEDENT_URL": home.url, "PRECEDENT_TOKEN": token, "PRECEDENT_PROJECT": project}
    )


def _complete_projection(home: Home, deployed: deploy.Deployed) -> None:
    """The log is always on disk and the projection is as of the last save: let the sweep close the gap."""
    say.step("bringing the projection up to the log")
    began = time.monotonic()
    answer = deploy.client(home, "lambda").invoke(
        FunctionName=deployed.functions["sweep"], Payload=b"{}"
    )
    if "FunctionError" in answer:
        error = json.loads(answer["Payload"].read() or b"{}")
        raise say.Trouble(
            f"the sweep failed: {error.get('errorType', 'unknown')}: {error.get('errorMessage', '')}",
            home.way_out,
        )
    if (took := time.monotonic() - began) > 10:
        say.step(f"that took {took:.0f} s")
