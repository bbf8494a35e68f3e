"""A management controller as far as a reset needs one: a real HTTPS server that speaks that part of Redfish.

Service root, collection of systems, system, ``ComputerSystem.Reset``; everything but the service root wants the user
and the password, as DSP0266 has it.
"""

import base64
import hashlib
import json
import ssl
import subprocess
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

USER, PASSWORD = "admin", "calvin-and-hobbes"
_SYSTEMS = "/redfish/v1/Systems"
_ALLOWED = ["On", "ForceOff", "ForceRestart", "GracefulShutdown"]
_POWER_AFTER = {"On": "On", "ForceOff": "Off", "ForceRestart": "On", "GracefulShutdown": "Off"}


def make_certificate(folder: Path) -> Path:
    """A self-made certificate for localhost with its key, in one file."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    key_arguments = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    arguments = [*key_arguments, "-days", "2", "-subj", "/CN=localhost", "-addext", names]
    subprocess.run(
        ["openssl", "req", "-x509", *arguments, "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    both = folder / "controller.pem"
    both.write_text(key.read_text() + certificate.read_text())
    return both


class RedfishServer:
    """Listens on loopback; ``power`` is each system's power state, ``resets`` what was asked for, in order.

    ``refusal`` makes it refuse resets with this HTTP status; while ``silent`` is set, it answers nothing, and else
    after ``delay_seconds``. ``resources`` are further resources by their paths, such as a recorded tree of chassis; a
    number in place of one is the HTTP status that is answered. Without ``keeps_connections`` it closes each connection
    after its answer, as controllers do after some idle seconds.
    """

    def __init__(
        self,
        certificate: Path,
        systems: tuple[str, ...] = ("System.Embedded.1",),
        resources: Mapping[str, dict[str, Any] | int] | None = None,
    ) -> None:
        self.resources = dict(resources or {})
        self.delay_seconds = 0.0
        self.keeps_connections = True
        self.power = dict.fromkeys(systems, "On")
        self.resets: list[tuple[str, str]] = []
        self.paths: list[str] = []
        self.refusal: int | None = None
        self.silent = threading.Event()
        self._released = threading.Event()
        server = self

        class Handler(_Handler):
            controller = server

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        pem = certificate.read_text().partition("-----BEGIN CERTIFICATE-----")
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem[1] + pem[2])).hexdigest()
        self.url = f"https://localhost:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="redfish", daemon=True)

    def hold(self) -> None:
        """Keep silent: a request is answered only when the server ends."""
        self._released.wait(30)

    def delay(self) -> None:
        self._released.wait(self.delay_seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


class _Handler(BaseHTTPRequestHandler):
    controller: RedfishServer
    protocol_version = "HTTP/1.1"
    timeout = 10
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        controller = self.controller
        controller.paths.append(f"GET {self.path}")
        if controller.silent.is_set():
            controller.hold()
        controller.delay()
        if self.path == "/redfish/v1/":
            links = {"Systems": {"@odata.id": _SYSTEMS}, "Chassis": {"@odata.id": "/redfish/v1/Chassis"}}
            return self._answer(200, {"Id": "RootService"} | links)
        if not self._is_known():
            return self._answer(401, _error("Base.1.0.NoValidSession", "No valid session."))
        resource = controller.resources.get(self.path)
        if resource is not None:
            return self._answer(*((resource, {}) if isinstance(resource, int) else (200, resource)))
        if self.path == _SYSTEMS:
            members = [{"@odata.id": f"{_SYSTEMS}/{name}"} for name in controller.power]
            return self._answer(200, {"Members": members, "Members@odata.count": len(members)})
        name = self.path.removeprefix(f"{_SYSTEMS}/")
        if name in controller.power:
            return self._answer(200, self._system(name))
        return self._answer(404, _error("Base.1.0.ResourceMissingAtURI", "There is no such resource."))

    def do_POST(self) -> None:
        controller = self.controller
        controller.paths.append(f"POST {self.path}")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = self.path.removeprefix(f"{_SYSTEMS}/").removesuffix("/Actions/ComputerSystem.Reset")
        if not self._is_known():
            return self._answer(401, _error("Base.1.0.NoValidSession", "No valid session."))
        if controller.refusal is not None:
            return self._answer(
                controller.refusal, _error("Base.1.0.ActionNotSupported", "The fans are being replaced.")
            )
        if body["ResetType"] not in _ALLOWED:
            return self._answer(400, _error("Base.1.0.ActionParameterNotSupported", "This reset is not supported."))
        controller.resets.append((name, body["ResetType"]))
        controller.power[name] = _POWER_AFTER[body["ResetType"]]
        return self._answer(204, None)

    def log_message(self, *_: Any) -> None:
        """The test's output stays quiet."""

    def _system(self, name: str) -> dict[str, Any]:
        path = f"{_SYSTEMS}/{name}"
        reset = {"target": f"{path}/Actions/ComputerSystem.Reset", "ResetType@Redfish.AllowableValues": _ALLOWED}
        return {
            "@odata.id": path,
            "Id": name,
            "Name": "PowerEdge R630",
            "PowerState": self.controller.power[name],
            "Actions": {"#ComputerSystem.Reset": reset},
        }

    def _is_known(self) -> bool:
        expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        return self.headers.get("Authorization") == expected

    def _answer(self, status: int, plain: dict[str, Any] | None) -> None:
        text = b"" if plain is None else json.dumps(plain).encode()
        self.send_response(status)
        self.send_header("OData-Version", "4.0")
        if plain is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.close_connection |= not self.controller.keeps_connections


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": "See the details.", "@Message.ExtendedInfo": [{"Message": message}]}}
