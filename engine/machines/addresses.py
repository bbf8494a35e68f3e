"""The types of the values in accesses to machines and in injections: hosts, users, URLs, fingerprints.

``checked`` returns the value as it is stored, or raises ``BadInput`` with the name, the value and the remedy.
"""

import re
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import SplitResult, urlsplit

from engine.errors import BadInput
from engine.parameters.values import ValueType

_HOST = re.compile(r"[^\s\-@/\"'\[\]][^\s@/\"'\[\]]{0,254}")
_USER = re.compile(r"[^\s\-@:/\"'][^\s@:/\"']{0,63}")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_OID = re.compile(r"\d{1,10}(\.\d{1,10}){1,127}", re.ASCII)


class OneLine(ValueType):
    """A text without control characters; the base of the others here."""

    def checked(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise BadInput(f"{name} is {value!r}; give a text in quotes.")
        if not value.isprintable():
            raise BadInput(f"{name} is {value!r}; remove the control characters.")
        return value


@dataclass(frozen=True)
class HostName(OneLine):
    """A host name or an address, without user, port and brackets; ``of`` is what the remedy asks for."""

    of: str = "a host name or address, such as r630"

    def checked(self, name: str, value: object) -> str:
        if not _HOST.fullmatch(text := super().checked(name, value)):
            raise BadInput(f"{name} is {value!r}; give {self.of}.")
        return text


@dataclass(frozen=True)
class UserName(OneLine):
    """A user's name; ``of`` is what the remedy asks for."""

    of: str = "a user name without spaces, colons or a password"
    may_be_empty: bool = False

    def checked(self, name: str, value: object) -> str:
        text = super().checked(name, value)
        if not _USER.fullmatch(text) and (text or not self.may_be_empty):
            raise BadInput(f"{name} is {value!r}; give {self.of}.")
        return text


class Fingerprint(OneLine):
    """The SHA-256 of a certificate in hexadecimal digits, with or without colons; or empty."""

    def checked(self, name: str, value: object) -> str:
        digits = super().checked(name, value).lower().replace(":", "")
        if digits and not _FINGERPRINT.fullmatch(digits):
            raise BadInput(f"{name} is {value!r}; give the 64 hexadecimal digits of the SHA-256.")
        return digits


class ObjectIdentifier(OneLine):
    """An SNMP object identifier in digits."""

    def checked(self, name: str, value: object) -> str:
        oid = super().checked(name, value).strip().removeprefix(".")
        if not _OID.fullmatch(oid):
            raise BadInput(f"{name} is {value!r}; give it in digits, such as 1.3.6.1.4.1.318.1.1.26.4.3.1.5.1.")
        return oid


class DeviceName(OneLine):
    """A serial port: a path below /dev, or COM and a number."""

    def checked(self, name: str, value: object) -> str:
        device = super().checked(name, value).strip()
        if not device:
            raise BadInput(f"{name} is empty; give the serial port, such as /dev/ttyUSB0 or COM3.")
        return device


class HttpsPlace(OneLine):
    """The scheme, host and port of a management controller's URL, as ``https://bmc:8443``; 443 is left out.

    The message that refuses a URL with credentials does not repeat them.
    """

    schemes: ClassVar[tuple[str, ...]] = ("https",)
    remedy: ClassVar = "write https://host or https://host:port"
    reason: ClassVar = ": a password goes over HTTPS only"

    def checked(self, name: str, value: object) -> str:
        parts, port = self._split(name, super().checked(name, value).strip())
        return f"https://{bracketed(parts.hostname or '')}" + (f":{port}" if port not in (None, 443) else "")

    def _split(self, name: str, url: str) -> tuple[SplitResult, int | None]:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise BadInput(f"{name} can't be read; {self.remedy}.") from None
        if "@" in parts.netloc:
            raise BadInput(f"{name} contains more than a host; {self.remedy}, and give the user separately.")
        if parts.query or parts.fragment:
            raise BadInput(f"{name} contains more than a host; {self.remedy}.")
        if parts.scheme not in self.schemes or not parts.hostname or not _HOST.fullmatch(parts.hostname):
            raise BadInput(f"{name} is '{url}'; {self.remedy}{self.reason}.")
        return parts, port


class MetricsUrl(HttpsPlace):
    """The URL of an exporter's page, with or without TLS; the path is ``/metrics`` unless one is given."""

    schemes: ClassVar[tuple[str, ...]] = ("http", "https")
    remedy: ClassVar = "write http://host:port, or with a path such as http://host:9100/metrics"
    reason: ClassVar = ""

    def checked(self, name: str, value: object) -> str:
        parts, port = self._split(name, OneLine.checked(self, name, value).strip())
        path = parts.path if parts.path not in ("", "/") else "/metrics"
        return f"{parts.scheme}://{bracketed(parts.hostname or '')}" + (f":{port}" if port is not None else "") + path


def bracketed(host: str) -> str:
    """The host as it is written before a port: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def redfish_secret_name(url: str, user: str) -> str:
    """The name under which the password of a management controller's user is kept."""
    parts = urlsplit(url)
    return f"https://{user}@{bracketed(parts.hostname or '')}:{parts.port or 443}"
