"""The service's address, behind which it may answer, refuse connections, hang or fail."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Mode = Literal["answers", "is down", "hangs", "answers 500"]
FAILURE = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


class Front:
    """One address in front of a service on loopback."""

    def __init__(self, port: int) -> None:
        self._service = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.mode: Mode = "answers"
        self.asked = 0
        """Connections that came in since `becomes`."""
        self._held: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def becomes(self, mode: Mode) -> None:
        """Answer so from now on."""
        self.mode, self.asked = mode, 0
        if mode == "is down":
            self._close()
        elif self._listener.fileno() < 0:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._close()
        for held in self._held:
            held.close()

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
        self._listener.close()

    def _serve(self) -> None:
        listener = self._listener
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.asked += 1
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        if self.mode == "hangs":
            self._held.append(client)
            return
        if self.mode == "answers 500":
            client.recv(1 << 16)
            client.sendall(FAILURE)
            client.close()
            return
        service = socket.create_connection(("127.0.0.1", self._service))
        back = threading.Thread(target=_pump, args=(service, client), daemon=True)
        back.start()
        _pump(client, service)
        back.join()
        client.close()
        service.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def front(port: int) -> Iterator[Front]:
    found = Front(port)
    try:
        yield found
    finally:
        found.close()
