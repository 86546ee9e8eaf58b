"""A local AWS for one run: the real templates deployed, policies not enforced, nothing kept.

With policies enforced the emulator takes ten times as long for every write, and what an operation reads and
writes is the same.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from precedent.aws.access import Access
from precedent.aws.log import S3Log
from precedent.aws.pointers import AccessPointers
from precedent.consume import Scope

from local import deploy
from local.home import Home, write_exports
from local.server import API_ID

START_SECONDS = 60
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@dataclass(frozen=True)
class LocalAws:
    """A running local AWS with the templates' resources, and the clients the adapters talk through."""

    home: Home
    deployed: deploy.Deployed
    access: Access

    @property
    def api(self) -> str:
        """What a client is given as the service's URL."""
        return f"{self.home.url}/_aws/execute-api/{API_ID}/$default"

    def client(self, service: str) -> Any:
        return deploy.client(self.home, service)

    def log(self, scope: Scope) -> S3Log:
        return S3Log(self.deployed.log_bucket, scope.tenant, scope.project)

    def pointers(self, scope: Scope) -> AccessPointers:
        table = self.deployed.projection_table
        return AccessPointers(self.access, scope.tenant, scope.project, table)


@contextmanager
def local_aws() -> Iterator[LocalAws]:
    """Start it, deploy to it, and take it away after. The process's AWS settings become its own."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder), _free_port())
        home.prepare()
        values = {**_CREDENTIALS, "AWS_ENDPOINT_URL": home.url}
        write_exports(home.aws, values)
        os.environ.pop("AWS_PROFILE", None)
        os.environ.update(values)
        server = _start(home)
        try:
            deploy.deploy_log(home)
            deployed = deploy.deploy_functions(home)
            access = Access(deployed.access_table, deploy.client(home, "dynamodb"))
            yield LocalAws(home, deployed, access)
        finally:
            server.kill()  # there is nothing to save
            server.wait()


def _start(home: Home) -> subprocess.Popen[bytes]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(home.port),
        "IOT_MTLS_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
        "POWERTOOLS_TRACE_DISABLED": "1",
        "PYTHONPATH": "",
        "S3_DATA_DIR": str(home.objects),
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(home.state),
        "TMPDIR": str(home.tmp),
    }
    with open(home.log, "wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "ministack"],
            cwd=home.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        if _answers(home):
            return server
        time.sleep(0.1)
    server.kill()
    server.wait()
    raise RuntimeError(f"the local AWS did not start: {home.log.read_text()[-2000:]}")


def _answers(home: Home) -> bool:
    try:
        urllib.request.urlopen(f"{home.url}/_ministack/health", timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
