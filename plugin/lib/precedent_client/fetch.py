"""One GET, bounded in time as a whole: looking up the name, connecting, and however slowly the answer drips.

`http.client` takes three times as long to load as the interpreter takes to start, so plain HTTP is spoken
here over the socket module's C half. TLS needs `ssl`, and pays for it.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LIMIT = 1024 * 1024


class Reply:
    """A status, headers by their names in lower case, and a body."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def ids(self, name: str) -> list[str]:
        """A header that lists ids."""
        return [part for part in self.headers.get(name, "").split(",") if part]


def get(url: str, headers: dict[str, str], timeout: float) -> Reply:
    """The answer. Raises OSError if there is none within `timeout` seconds."""
    import _thread

    got: list[Reply] = []
    failed: list[BaseException] = []
    done = _thread.allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            got.append(_once(url, headers, timeout))
        except BaseException as error:  # noqa: BLE001  raised below, where somebody waits
            failed.append(error)
        done.release()

    # In a thread, because looking up a name can take minutes and nothing can interrupt it.
    _thread.start_new_thread(work, ())
    if not done.acquire(timeout=timeout):
        raise TimeoutError(f"no answer within {timeout:g} s")
    if got:
        return got[0]
    raise failed[0] if isinstance(failed[0], OSError) else OSError("no HTTP was answered")


def _once(url: str, headers: dict[str, str], timeout: float) -> Reply:
    deadline = time.monotonic() + timeout
    scheme, host, port, path = parts(url)
    connection = _connected(host, port, timeout, tls=scheme == "https")
    try:
        lines = [f"GET {path} HTTP/1.1", f"Host: {_host(host)}:{port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
        return _read(connection, deadline)
    finally:
        connection.close()


def parts(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path. Raises ValueError for what is no http(s) URL."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    if scheme not in ("http", "https") or not authority or "@" in authority:
        raise ValueError("not an http(s) URL")
    host, port = authority, ""
    if authority.startswith("["):
        host, _, tail = authority[1:].partition("]")
        port = tail.lstrip(":")
    elif ":" in authority:
        host, _, port = authority.partition(":")
    return scheme, host, int(port) if port else {"http": 80, "https": 443}[scheme], slash + path


def _host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _connected(host: str, port: int, timeout: float, tls: bool) -> Any:
    if tls:
        import socket
        import ssl

        plain = socket.create_connection((host, port), timeout)
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        except ssl.SSLCertVerificationError:
            raise PermissionError("its certificate is not trusted on this machine") from None
    import _socket

    trouble: OSError = OSError("the host has no address")
    # As bytes: for a text `encodings.idna` would be loaded, and with it `re`.
    found = _socket.getaddrinfo(host.encode("ascii"), port, 0, _socket.SOCK_STREAM)
    for family, kind, protocol, _, address in found:
        connection = _socket.socket(family, kind, protocol)
        connection.settimeout(timeout)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            trouble = error
            continue
        return connection
    raise trouble


def _read(connection: Any, deadline: float) -> Reply:
    raw = _received(connection, deadline, b"", lambda raw: b"\r\n\r\n" in raw)
    head, found, body = raw.partition(b"\r\n\r\n")
    if not found:
        raise OSError("the answer has no end of its headers")
    status, headers = _head(head.decode("latin-1"))
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return Reply(
            status, headers, _chunks(_received(connection, deadline, body, lambda _: False))
        )
    if status == 304:
        return Reply(status, headers, b"")
    length = headers.get("content-length", "")
    wanted = int(length) if length.isdigit() else LIMIT
    body = _received(connection, deadline, body, lambda raw: len(raw) >= wanted)
    if length and len(body) < wanted:
        raise OSError("the answer was cut off")
    return Reply(status, headers, body[:wanted])


def _received(connection: Any, deadline: float, raw: bytes, enough: Any) -> bytes:
    while not enough(raw):
        if time.monotonic() > deadline:
            raise TimeoutError("the answer takes too long")
        more = connection.recv(65536)
        if not more:
            break
        raw += more
        if len(raw) > LIMIT:
            raise OSError("the answer is larger than 1 MiB")
    return raw


def _head(text: str) -> tuple[int, dict[str, str]]:
    first, *lines = text.split("\r\n")
    version, _, rest = first.partition(" ")
    if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
        raise OSError("the answer is no HTTP")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(rest[:3]), headers


def _chunks(raw: bytes) -> bytes:
    body = b""
    while True:
        size, found, raw = raw.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"x", 16) if found else -1
        if length < 0 or len(raw) < length:
            raise OSError("the answer was cut off")
        if length == 0:
            return body
        body += raw[:length]
        raw = raw[length + 2 :]
