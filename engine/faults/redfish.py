"""Resetting a server through its management controller: DMTF's Redfish (DSP0266) over HTTPS.

Called by the injector's doers and by the check before a run. The way is the specification's: service root, collection
of systems, the system, its action ``#ComputerSystem.Reset``.
"""

import base64
import hashlib
import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from engine.errors import UserError
from engine.faults.injections import RedfishInjection
from engine.faults.outcome import Outcome, shortened
from engine.remedies import Remedy, RemedyKind
from engine.secrets import Secret

SERVICE_ROOT = "/redfish/v1/"
_LARGEST_ANSWER_BYTES = 4_000_000
_MOST_SYSTEMS_NAMED = 8
_DONE = (200, 202, 204)


@dataclass(frozen=True, kw_only=True)
class SystemToReset:
    """A system as its controller describes it: where it is reset, and what it allows (empty: unknown)."""

    path: str
    name: str
    power_state: str
    reset_path: str
    allowed: tuple[str, ...]


def reset(injection: RedfishInjection, password: Secret | None) -> Outcome:
    """Find the system and reset it; the outcome has its power state before and the controller's answer."""
    try:
        system = find_system(injection, password)
    except UserError as error:
        return Outcome.not_begun(str(error))
    connection = _Connection(injection, password)
    try:
        status, answer = connection.post(system.reset_path, {"ResetType": injection.reset_type})
    except UserError as error:
        return Outcome(output=f"{system.name} was {system.power_state}", failure=str(error))
    finally:
        connection.close()
    output = shortened(f"{system.name} was {system.power_state}; HTTP {status}\n{_message(answer)}")
    if status not in _DONE:
        return Outcome(output=output, failure=f"the controller refused with HTTP {status}", never_began=True)
    return Outcome(output=output)


def find_system(injection: RedfishInjection, password: Secret | None) -> SystemToReset:
    """Look the system up, and whether it allows the reset; nothing is changed. Raises ``UserError``."""
    connection = _Connection(injection, password)
    try:
        root = connection.get(SERVICE_ROOT)
        members = connection.get(_link(root.get("Systems"), "Systems")).get("Members")
        paths = [_link(each, "Members") for each in members] if isinstance(members, list) else []
        system = _system_of(connection.get(_chosen(paths, injection)))
    finally:
        connection.close()
    if system.allowed and injection.reset_type not in system.allowed:
        raise UserError(f"{system.name} allows no {injection.reset_type}; it allows {', '.join(system.allowed)}.")
    return system


class _Connection:
    """HTTPS to one controller; its certificate has to be trusted before a password is sent. Redirects are refused."""

    def __init__(self, injection: RedfishInjection, password: Secret | None) -> None:
        parts = urlsplit(injection.url)
        self._place = parts.netloc
        self._pinned = injection.fingerprint
        self._http = http.client.HTTPSConnection(
            parts.hostname or "", parts.port or 443, timeout=injection.timeout_seconds, context=_context(injection)
        )
        credentials = f"{injection.user}:{password.reveal() if password is not None else ''}"
        self._authorization = "Basic " + base64.b64encode(credentials.encode()).decode()

    def get(self, path: str) -> Mapping[str, Any]:
        status, answer = self._request("GET", path, None)
        if status in (401, 403):
            raise UserError(
                f"the management controller at {self._place} refused the user or the password (HTTP {status})",
                remedy=Remedy(kind=RemedyKind.CONTROLLER_PASSWORD),
            )
        if status != 200:
            raise UserError(f"the management controller at {self._place} answered HTTP {status} to {path}.")
        return answer

    def post(self, path: str, body: Mapping[str, str]) -> tuple[int, Mapping[str, Any]]:
        return self._request("POST", path, json.dumps(body).encode())

    def close(self) -> None:
        self._http.close()

    def _request(self, method: str, path: str, body: bytes | None) -> tuple[int, Mapping[str, Any]]:
        headers = {"Authorization": self._authorization, "Accept": "application/json", "OData-Version": "4.0"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            self._connect()
            self._http.request(method, path, body, headers)
            response = self._http.getresponse()
            text = response.read(_LARGEST_ANSWER_BYTES)
        except ssl.SSLCertVerificationError as error:
            raise UserError(
                f"the certificate of {self._place} is not trusted ({error.verify_message}); name its authority's file"
                " with 'ca', or its own SHA-256 with 'pinned'."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise UserError(f"the management controller at {self._place} did not answer ({_cause(error)}).") from error
        return response.status, _parsed(text)

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


def _context(injection: RedfishInjection) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=injection.ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise UserError(f"ca_file {injection.ca_file} holds no certificates that can be read; check it.") from error
    if injection.fingerprint:  # the one certificate itself is compared, before anything is sent
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _chosen(paths: list[str], injection: RedfishInjection) -> str:
    wanted = injection.system
    if wanted:
        for path in paths:
            if wanted in (path, path.rstrip("/").rpartition("/")[2]):
                return path
    elif len(paths) == 1:
        return paths[0]
    names = ", ".join(path.rstrip("/").rpartition("/")[2] for path in paths[:_MOST_SYSTEMS_NAMED]) or "none"
    asked = f"no system '{wanted}'" if wanted else f"{len(paths)} systems"
    raise UserError(f"the management controller at {injection.url} manages {asked}; name one of: {names}.")


def _system_of(plain: Mapping[str, Any]) -> SystemToReset:
    actions = plain.get("Actions")
    action = actions.get("#ComputerSystem.Reset") if isinstance(actions, Mapping) else None
    target = action.get("target") if isinstance(action, Mapping) else None
    name = str(plain.get("Name") or plain.get("Id") or "the system")
    if not isinstance(target, str) or not target.startswith("/") or target.startswith("//"):
        raise UserError(f"{name} can't be reset through its management controller.")
    allowed = action.get("ResetType@Redfish.AllowableValues") if isinstance(action, Mapping) else None
    return SystemToReset(
        path=str(plain.get("@odata.id", "")),
        name=name,
        power_state=str(plain.get("PowerState", "in an unknown power state")),
        reset_path=target,
        allowed=tuple(str(each) for each in allowed) if isinstance(allowed, list) else (),
    )


def _link(plain: Any, what: str) -> str:
    """The path that a resource links to; only on the same controller, since the password goes with the request."""
    path = plain.get("@odata.id") if isinstance(plain, Mapping) else None
    if not isinstance(path, str) or not path.startswith("/") or path.startswith("//"):
        raise UserError(f"the management controller's answer has no usable {what}; does it support Redfish?")
    return path


def _parsed(text: bytes) -> Mapping[str, Any]:
    try:
        plain = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _message(answer: Mapping[str, Any]) -> str:
    """The controller's own words in an answer: of an error, or of what it did."""
    error = answer.get("error")
    parts = error if isinstance(error, Mapping) else answer
    infos = parts.get("@Message.ExtendedInfo")
    if isinstance(infos, list):
        messages = [str(each["Message"]) for each in infos if isinstance(each, Mapping) and each.get("Message")]
        if messages:
            return "\n".join(messages)
    return str(parts.get("message", ""))


def _cause(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
