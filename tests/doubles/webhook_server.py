"""A chat tool as far as a webhook needs one: a real HTTP or HTTPS server that keeps what is posted to it."""

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TOKEN = "T0KEN-that-must-not-be-seen"


class WebhookServer:
    """Listens on loopback; ``notices`` are the documents in their order, ``refusal`` the status of every answer.

    While ``silent`` is set, it answers nothing.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        self.notices: list[dict[str, Any]] = []
        self.content_types: list[str] = []
        self.refusal: int | None = None
        self.silent = threading.Event()
        self._released = threading.Event()
        server = self

        class Handler(_Handler):
            chat = server

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake of one that does not trust the certificate must not end the thread that accepts.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        scheme = "http" if certificate is None else "https"
        self.url = f"{scheme}://localhost:{self._server.server_address[1]}/hooks/{TOKEN}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="webhook", daemon=True)

    def hold(self) -> None:
        """Keep silent: a request is answered only when the server ends."""
        if self.silent.is_set():
            self._released.wait()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    chat: WebhookServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.chat.hold()
        self.chat.content_types.append(self.headers["Content-Type"])
        self.chat.notices.append(json.loads(body) | {"path": self.path})
        self.send_response(self.chat.refusal or 200)
        if self.chat.refusal is not None and 300 <= self.chat.refusal < 400:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def do_GET(self) -> None:
        self.chat.notices.append({"path": self.path, "method": "GET"})
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing on the test's terminal."""

    def handle(self) -> None:
        try:
            super().handle()
        except (ssl.SSLError, ConnectionError):
            return  # the other side does not trust the certificate, or has gone
