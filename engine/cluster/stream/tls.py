"""TLS between a run and its agents, and with a scheduler: version 1.3, and both sides show a certificate that the lab's
CA has signed.

A peer is identified by the common name in its certificate. A host's name is not checked: a load machine may reach the
controller by any of its addresses.
"""

import ssl
from collections.abc import Mapping
from typing import Any

from engine.cluster.starter import TlsFiles
from engine.errors import Remedy, RemedyKind, UserError

_OLD_VERSION = ("UNSUPPORTED_PROTOCOL", "WRONG_VERSION_NUMBER", "TLSV1_ALERT_PROTOCOL_VERSION")
EXPIRED, NOT_YET_VALID = 10, 9
"""``verify_code`` of a certificate: X509_V_ERR_CERT_HAS_EXPIRED and X509_V_ERR_CERT_NOT_YET_VALID of OpenSSL."""


def server_context(files: TlsFiles) -> ssl.SSLContext:
    """The controller's context. Raises ``UserError`` for files that can't be used."""
    context = _context(ssl.PROTOCOL_TLS_SERVER, files)
    context.num_tickets = 0  # no session is resumed: each connection shows its certificate
    return context


def client_context(files: TlsFiles) -> ssl.SSLContext:
    """The context of an agent, or of a client of a scheduler. Raises ``UserError`` for files that can't be used."""
    return _context(ssl.PROTOCOL_TLS_CLIENT, files)


def peer_name(tls: ssl.SSLObject | ssl.SSLSocket) -> str:
    """The common name in the certificate of the other side; empty if it has none."""
    certificate: Mapping[str, Any] = tls.getpeercert() or {}
    names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    return str(names[0]) if names else ""


def refusal_of(error: Exception) -> str:
    """Why a handshake failed, as a clause: ``its certificate has expired``."""
    code = getattr(error, "verify_code", None)
    message = str(getattr(error, "verify_message", "") or getattr(error, "reason", "") or error)
    if code == EXPIRED:
        return "its certificate has expired"
    if code == NOT_YET_VALID:
        return "its certificate is not valid yet; compare the clocks of the machines"
    if code is not None:
        return f"its certificate is not of this lab's CA ({message})"
    if "PEER_DID_NOT_RETURN_A_CERTIFICATE" in message:
        return "it showed no certificate"
    if message in _OLD_VERSION:
        return "it does not speak TLS 1.3"
    return f"the TLS handshake failed ({message})"


def _context(protocol: int, files: TlsFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_verify_locations(files.ca)
        context.load_cert_chain(files.certificate, files.key)
    except (OSError, ssl.SSLError) as error:
        raise UserError(
            f"the certificate {files.certificate} can't be used ({error.strerror or error})",
            remedy=Remedy(kind=RemedyKind.RENEW_CERTIFICATE),
        ) from error
    return context
