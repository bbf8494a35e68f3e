"""A management controller by DMTF's Redfish (DSP0266): JSON over HTTPS. Shared by faults and collectors."""

import base64
import hashlib
import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from engine.errors import Remedy, RemedyKind, UserError
from engine.machines.access import RedfishAccess
from engine.secrets import Secret

SERVICE_ROOT = "/redfish/v1/"
_LARGEST_ANSWER_BYTES = 4_000_000


def linked_path(plain: Any, what: str) -> str:
    """The path that a resource links to. A link to another host is refused, since the password is sent with each
    request."""
    path = plain.get("@odata.id") if isinstance(plain, Mapping) else None
    if not isinstance(path, str) or not path.startswith("/") or path.startswith("//"):
        raise UserError(f"the management controller's answer has no usable {what}; does it support Redfish?")
    return path


class ResourceError(UserError):
    """The controller answered, but without the resource."""


class RedfishConnection:
    """HTTPS to one controller; its certificate has to be trusted before a password is sent. Redirects are refused."""

    def __init__(self, access: RedfishAccess, password: Secret | None, *, timeout_seconds: float = 30.0) -> None:
        parts = urlsplit(access.url)
        self._place = parts.netloc
        self._pinned = access.fingerprint
        self._http = http.client.HTTPSConnection(
            parts.hostname or "", parts.port or 443, timeout=timeout_seconds, context=_context(access)
        )
        credentials = f"{access.user}:{password.reveal() if password is not None else ''}"
        self._authorization = "Basic " + base64.b64encode(credentials.encode()).decode()

    def get(self, path: str) -> Mapping[str, Any]:
        status, answer = self._request("GET", path, None)
        if status in (401, 403):
            raise UserError(
                f"the management controller at {self._place} refused the user or the password (HTTP {status})",
                remedy=Remedy(kind=RemedyKind.CONTROLLER_PASSWORD),
            )
        if status != 200:
            raise ResourceError(f"the management controller at {self._place} answered HTTP {status} to {path}.")
        return answer

    def post(self, path: str, body: Mapping[str, str]) -> tuple[int, Mapping[str, Any]]:
        return self._request("POST", path, json.dumps(body).encode())

    def close(self) -> None:
        self._http.close()

    def _request(self, method: str, path: str, body: bytes | None) -> tuple[int, Mapping[str, Any]]:
        headers = {"Authorization": self._authorization, "Accept": "application/json", "OData-Version": "4.0"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        is_kept = self._http.sock is not None
        try:
            try:
                return self._exchange(method, path, body, headers)
            except ConnectionError:
                # Controllers close connections that are idle for seconds. A request that may have been executed is not
                # repeated.
                if not is_kept or method != "GET":
                    raise
                self._http.close()
                return self._exchange(method, path, body, headers)
        except ssl.SSLCertVerificationError as error:
            raise UserError(
                f"the certificate of {self._place} is not trusted ({error.verify_message}); name its authority's file,"
                f" or trust this one by its SHA-256 fingerprint, {self._presented()}, if that is the controller's own."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise UserError(f"the management controller at {self._place} did not answer ({_cause(error)}).") from error

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, Any]]:
        self._connect()
        self._http.request(method, path, body, headers)
        response = self._http.getresponse()
        return response.status, _parsed(response.read(_LARGEST_ANSWER_BYTES))

    def _presented(self) -> str:
        """The SHA-256 of the certificate that the peer shows, trusted or not; nothing is sent."""
        try:
            pem = ssl.get_server_certificate((self._http.host, self._http.port), timeout=self._http.timeout or 30.0)
        except OSError:
            return "unknown"
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()

    def _connect(self) -> None:
        if self._http.sock is not None:
            return
        self._http.connect()
        if self._pinned and isinstance(self._http.sock, ssl.SSLSocket):
            shown = hashlib.sha256(self._http.sock.getpeercert(binary_form=True) or b"").hexdigest()
            if shown != self._pinned:
                self._http.close()
                raise UserError(
                    f"{self._place} shows another certificate than the pinned one (SHA-256 {shown}); find out why"
                    " before you pin the new one."
                )


def _context(access: RedfishAccess) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=access.ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise UserError(f"ca_file {access.ca_file} holds no certificates that can be read; check it.") from error
    if access.fingerprint:  # the certificate is compared with the pinned one before anything is sent
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _parsed(text: bytes) -> Mapping[str, Any]:
    try:
        plain = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _cause(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
