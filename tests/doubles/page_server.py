"""An exporter's endpoint: a real HTTP server of one page, which can be slow, be missing, or close its connections."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class PageServer:
    """Listens on loopback. ``pages`` are answered in turn, the last again and again; ``status`` goes with them.

    ``delay_seconds`` passes before each answer, ended by the server's own end. ``requests`` counts.
    """

    def __init__(self, *pages: str) -> None:
        self.pages = list(pages)
        self.status = 200
        self.delay_seconds = 0.0
        self.keeps_connections = True
        self.requests = 0
        self.connections = 0
        self.ended = threading.Event()
        server = self

        class Handler(_Handler):
            endpoint = server

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/metrics"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="page", daemon=True)

    def page(self) -> str:
        return self.pages.pop(0) if len(self.pages) > 1 else self.pages[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    endpoint: PageServer
    protocol_version = "HTTP/1.1"
    timeout = 10
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.endpoint.connections += 1

    def do_GET(self) -> None:
        endpoint = self.endpoint
        endpoint.requests += 1
        endpoint.ended.wait(endpoint.delay_seconds)
        text = endpoint.page().encode()
        self.send_response(endpoint.status)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        # Without saying so before, as a server that is restarted does.
        self.close_connection = not endpoint.keeps_connections
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """The test's output stays quiet."""
