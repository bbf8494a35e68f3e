"""Checks whether a scheduler accepts a member before dask connects, which would try for long and report no clear
reason.

A refusal of TLS 1.3 comes after the handshake, with the first bytes that are read; the scheduler speaks first.
"""

import socket
import ssl
from dataclasses import dataclass
from typing import Self

from engine.cluster.certificates import SCHEDULER, check_member
from engine.cluster.starter import TlsFiles
from engine.cluster.stream.tls import EXPIRED, NOT_YET_VALID, client_context, peer_name
from engine.errors import BadInput, UserError
from engine.machines.addresses import bracketed

DEFAULT_PORT = 8786
"""Where dask's schedulers usually listen."""
_CONNECT_SECONDS = 10.0
_ALERTS = {
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "it has expired, by the clock there; renew it",
    "TLSV1_ALERT_UNKNOWN_CA": "another authority has signed it; use the one that the scheduler's machine has made",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "it was shown none; make one on the scheduler's machine",
    "TLSV1_ALERT_PROTOCOL_VERSION": "the connection is older than TLS 1.3; update OpenSSL and Python on this machine",
}


@dataclass(frozen=True)
class SchedulerAddress:
    """Where a scheduler listens; as text ``tls://host:port``."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``tls://host:port``, the port being dask's usual one where it is left out; raises ``BadInput``."""
        scheme, found, place = text.strip().partition("://")
        host, _, port = place.rpartition(":") if not place.endswith("]") and ":" in place else (place, "", "")
        if not found or scheme != "tls" or not host.strip("[]") or (port and not port.isdecimal()):
            raise BadInput(f"scheduler is '{text}'; give its address, such as tls://controller.lab:{DEFAULT_PORT}.")
        return cls(host.strip("[]"), int(port or DEFAULT_PORT))

    @property
    def place(self) -> str:
        return f"{bracketed(self.host)}:{self.port}"

    def __str__(self) -> str:
        return f"tls://{self.place}"


def check_scheduler(address: SchedulerAddress, files: TlsFiles) -> None:
    """Raise ``UserError`` in one sentence when the scheduler does not answer, or one side does not trust the other."""
    name = check_member(files)
    connect(address, client_context(files), name)


def connect(address: SchedulerAddress, context: ssl.SSLContext, name: str) -> None:
    """Connect once, as the member of this name; raises ``UserError``."""
    try:
        with (
            socket.create_connection((address.host, address.port), _CONNECT_SECONDS) as connection,
            context.wrap_socket(connection) as tls,
        ):
            if not tls.recv(1):
                raise UserError(f"{address.place} closed the connection; is a scheduler listening there?")
            if (peer := peer_name(tls)) != SCHEDULER:
                raise UserError(f"{address.place} is '{peer}', not the scheduler; check the address.")
    except ssl.SSLCertVerificationError as error:
        raise UserError(_distrusted(address, error)) from error
    except ssl.SSLError as error:
        why = _ALERTS.get(error.reason or "")
        if why is None:
            raise UserError(f"TLS with {address.place} failed ({error.reason or error}); does it speak TLS?") from error
        raise UserError(f"the scheduler at {address.place} refused the certificate of {name}: {why}.") from error
    except TimeoutError as error:
        raise UserError(
            f"{address.place} does not answer; is the scheduler running there, and does a firewall let it pass?"
        ) from error
    except OSError as error:
        raise UserError(
            f"{address.place} can't be reached ({error.strerror or error}); is the scheduler running there?"
        ) from error


def _distrusted(address: SchedulerAddress, error: ssl.SSLCertVerificationError) -> str:
    """Why this side does not trust the scheduler."""
    if error.verify_code == EXPIRED:
        return f"the certificate of the scheduler at {address.place} has expired; renew it there."
    if error.verify_code == NOT_YET_VALID:
        return f"the certificate of the scheduler at {address.place} is not valid yet; set the clock of this machine."
    return (
        f"the scheduler at {address.place} is not of the authority of this certificate ({error.verify_message}); use"
        " the one that the scheduler's machine has made."
    )
