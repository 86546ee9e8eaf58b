"""https: a certificate is checked before anything is sent, and one that is not trusted is said to be just that."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.unit.client_support import Client, Scripted, decision_id, scripted
from tests.unit.hook_support import Agent, markdown

PERSON = {"writer": "alice.laptop", "role": "writer", "tenant": "team"}
A = decision_id(1)


def certificate(folder: Path, host: str = "127.0.0.1", days: int = 1) -> Path:
    """A key and a certificate of its own making in one file; with fewer than no days it has expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Precedent test")])
    now = dt.datetime.now(dt.UTC)
    alternative: x509.GeneralName
    try:
        alternative = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=9)).not_valid_after(now + dt.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    file = folder / "service.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@contextmanager
def over_tls(file: Path, *replies: object) -> Iterator[tuple[Scripted, str]]:
    """A scripted service behind TLS, and its URL."""
    with scripted(*replies) as service:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        service.server.socket = context.wrap_socket(
            service.server.socket, server_side=True, do_handshake_on_connect=False
        )
        yield service, service.url.replace("http:", "https:")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_a_command_and_a_hook_trust_what_ssl_cert_file_names(agent: Agent, tmp_path: Path) -> None:
    """Hooks run as `python3 -I`, which ignores Python's own variables; this one is OpenSSL's."""
    file = certificate(tmp_path)
    with over_tls(file, PERSON, markdown(A)) as (service, url):
        trusting: dict[str, str | None] = {"PRECEDENT_URL": url, "SSL_CERT_FILE": str(file)}
        assert agent.client("whoami", **trusting).code == 0
        assert A in agent.edit("a.py", environment=trusting).context
        assert len(service.requests) == 2


@pytest.mark.parametrize(
    ("made", "trusted"),
    [({}, False), ({"host": "example.com"}, True), ({"days": -1}, True)],
    ids=["of nobody known", "of another host", "expired"],
)
def test_one_that_is_not_good_is_told_and_nothing_is_sent(
    agent: Agent, tmp_path: Path, made: dict[str, object], trusted: bool
) -> None:
    file = certificate(tmp_path, **made)  # type: ignore[arg-type]
    with over_tls(file, PERSON) as (service, url):
        environment: dict[str, str | None] = {"PRECEDENT_URL": url}
        if trusted:
            environment["SSL_CERT_FILE"] = str(file)
        done = agent.client("whoami", **environment)
        assert done.code == 5
        assert "certificate that is not trusted on this machine" in done.err
        assert "SSL_CERT_FILE" in done.err
        assert "certificate is not trusted" in agent.edit("a.py", environment=environment).context
        assert service.requests == []


def test_a_service_without_tls_is_told(client: Client) -> None:
    with scripted(PERSON) as service:
        done = client("whoami", PRECEDENT_URL=service.url.replace("http:", "https:"))
    assert done.code == 5
    assert "could not be reached (SSLError" in done.err
