"""The adapters under test, and a local AWS of this run's own with tables and bucket from the templates.

Every fixture that has two adapters runs a test once for each. Tests keep apart by tenants of their own.
"""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from precedent.aws.access import Access
from precedent.aws.feedback import DynamoFeedbacks, dynamodb_client
from precedent.aws.items import items_of
from precedent.aws.keys import Keys
from precedent.aws.log import S3Log, s3_client
from precedent.aws.packs import S3Packs
from precedent.aws.pointers import AccessPointers
from precedent.aws.projection import DynamoProjection
from precedent.ports import Log, Packs, Pointers, Projection
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from tests.fakes.memory import MemoryLog, MemoryPacks, MemoryPointers, MemoryProjection, Table

REPOSITORY = Path(__file__).parents[2]
START_SECONDS = 60
TABLES = ("ProjectionTable", "AccessTable", "FeedbackTable")

LogOf = Callable[[str, str], Log]
ProjectionOf = Callable[[str, str, str], Projection]
PacksOf = Callable[[str, str], Packs]
PointersOf = Callable[[str, str], Pointers]

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Aws:
    """A local AWS with the resources of the templates."""

    projection_table: str
    access_table: str
    feedback_table: str
    bucket: str
    pack_bucket: str

    def packs(self, tenant: str, project: str) -> S3Packs:
        return S3Packs(self.pack_bucket, tenant, project)

    def feedbacks(self, tenant: str, project: str) -> DynamoFeedbacks:
        return DynamoFeedbacks(self.feedback_table, tenant, project)

    def log(self, tenant: str, project: str) -> S3Log:
        return S3Log(self.bucket, tenant, project)

    def projection(self, tenant: str, project: str, generation: str = "g1") -> DynamoProjection:
        return DynamoProjection(self.projection_table, generation, tenant, project)

    def pointers(self, tenant: str, project: str) -> AccessPointers:
        return AccessPointers(Access(self.access_table), tenant, project, self.projection_table)


@pytest.fixture(params=["memory", "aws"])
def adapter(request: pytest.FixtureRequest) -> str:
    """Which adapter a test runs on."""
    name: str = request.param
    return name


@pytest.fixture
def tenant() -> str:
    """A tenant no other test has."""
    return f"t{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def log_of(adapter: str, request: pytest.FixtureRequest) -> LogOf:
    if adapter == "aws":
        aws: Aws = request.getfixturevalue("aws")
        return aws.log
    logs: dict[tuple[str, str], MemoryLog] = {}
    return lambda tenant, project: logs.setdefault((tenant, project), MemoryLog())


@pytest.fixture
def log(log_of: LogOf, tenant: str) -> Log:
    return log_of(tenant, "shop")


@pytest.fixture
def packs_of(adapter: str, request: pytest.FixtureRequest) -> PacksOf:
    if adapter == "aws":
        aws: Aws = request.getfixturevalue("aws")
        return aws.packs
    made: dict[tuple[str, str], MemoryPacks] = {}
    return lambda tenant, project: made.setdefault((tenant, project), MemoryPacks())


@pytest.fixture
def packs(packs_of: PacksOf, tenant: str) -> Packs:
    return packs_of(tenant, "shop")


@pytest.fixture
def projection_of(adapter: str, request: pytest.FixtureRequest) -> ProjectionOf:
    if adapter == "aws":
        aws: Aws = request.getfixturevalue("aws")
        return aws.projection
    table: Table = {}
    return lambda tenant, project, generation: MemoryProjection(
        table, Keys(generation, tenant, project)
    )


@pytest.fixture
def projection(projection_of: ProjectionOf, tenant: str) -> Projection:
    return projection_of(tenant, "shop", "g1")


@pytest.fixture
def pointers_of(adapter: str, request: pytest.FixtureRequest) -> PointersOf:
    if adapter == "aws":
        aws: Aws = request.getfixturevalue("aws")
        return aws.pointers
    made: dict[tuple[str, str], MemoryPointers] = {}
    return lambda tenant, project: made.setdefault(
        (tenant, project), MemoryPointers(tenant, project)
    )


@pytest.fixture
def pointers(pointers_of: PointersOf, tenant: str) -> Pointers:
    return pointers_of(tenant, "shop")


@pytest.fixture(scope="session")
def aws() -> Iterator[Aws]:
    """Start a local AWS, make what the templates define, and leave nothing behind."""
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        port = _free_port()
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.delenv("AWS_PROFILE", raising=False)
        server = _start(Path(home), port)
        _forget_clients()
        try:
            yield _made_from_templates()
        finally:
            _forget_clients()
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _start(home: Path, port: int) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {
        **kept,
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "S3_DATA_DIR": str(home / "s3"),
        "S3_PERSIST": "1",
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(home / "state"),
        "TMPDIR": str(home),
    }
    with open(home / "log", "wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "ministack"],
            env=environment,
            cwd=home,
            stdout=output,
            stderr=output,
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_ministack/health", timeout=5).close()
        except urllib.error.HTTPError:
            return server
        except OSError:
            time.sleep(0.1)
        else:
            return server
    server.kill()
    server.wait()
    raise RuntimeError(f"the local AWS did not start: {(home / 'log').read_text()[-2000:]}")


def _made_from_templates() -> Aws:
    stack = yaml_parse((REPOSITORY / "sam/template.yaml").read_text(encoding="utf-8"))
    log = yaml_parse((REPOSITORY / "infra/log.yaml").read_text(encoding="utf-8"))
    tables = {name: _make_table(name, stack) for name in TABLES}
    bucket = log["Resources"]["LogBucket"]["Properties"]
    s3 = boto3.client("s3")
    s3.create_bucket(Bucket="log")
    s3.put_bucket_versioning(
        Bucket="log", VersioningConfiguration=bucket["VersioningConfiguration"]
    )
    s3.create_bucket(Bucket="packs")
    return Aws(
        tables["ProjectionTable"], tables["AccessTable"], tables["FeedbackTable"], "log", "packs"
    )


def _make_table(name: str, stack: Any) -> str:
    wanted = ("BillingMode", "AttributeDefinitions", "KeySchema")
    properties = stack["Resources"][name]["Properties"]
    dynamodb = boto3.client("dynamodb")
    dynamodb.create_table(TableName=name, **{key: properties[key] for key in wanted})
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    return name


def _forget_clients() -> None:
    """Drop the clients of the process: they keep the endpoint they were made with."""
    s3_client.cache_clear()
    items_of.cache_clear()
    dynamodb_client.cache_clear()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
