"""Sends JSON documents to a URL that must be kept secret: error messages contain only the host.

Called by ``engine.notify.webhook`` and ``engine.notify.grafana``.
"""

import http.client
import json
import socket
import ssl
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError

from engine.errors import UserError
from engine.secrets import Secret

_MOST_ANSWER_BYTES = 65_536


def post_json(url: str, host: str, document: Mapping[str, Any], time_out_seconds: float) -> None:
    """Post a notification once; see ``send_json``."""
    send_json(url, host, document, time_out_seconds, what="The notification")


def send_json(
    url: str,
    host: str,
    document: Mapping[str, Any],
    time_out_seconds: float,
    *,
    what: str,
    method: str = "POST",
    token: Secret | None = None,
) -> bytes:
    """Send a document once, and return the answer's body as far as it is short; TLS certificates are checked, redirects
    refused.

    ``token`` is the bearer's. Raises ``UserError`` that contains neither the URL nor the token; it begins with ``what``
    was sent.
    """
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Spindle"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token.reveal()}"
    body = json.dumps(document, ensure_ascii=False).encode()
    request = urllib.request.Request(url, body, headers, method=method)  # noqa: S310 - the scheme was checked
    https = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    try:
        with urllib.request.build_opener(_NoRedirect, https).open(request, timeout=time_out_seconds) as answer:
            taken: bytes = answer.read(_MOST_ANSWER_BYTES)
            return taken
    except HTTPError as error:
        status = error.code
        error.close()
        raise UserError(f"{what} was not taken: {host} answered HTTP {status}.") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = _reason(error, time_out_seconds)
        raise UserError(f"{what} could not be sent to {host}: {reason}.") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which would send the notice to another host, as a GET request."""

    def redirect_request(self, *_: object) -> None:
        return None


def _reason(error: Exception, time_out_seconds: float) -> str:
    """The reason of the error, in words that can't contain the URL."""
    cause = error.reason if isinstance(error, URLError) else error
    match cause:
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({cause.verify_message})"
        case TimeoutError():
            return f"no answer within {time_out_seconds:g} s"
        case socket.gaierror():
            return "the host name is not found (DNS)"
        case OSError() if cause.strerror:
            return cause.strerror
        case _:
            return type(cause).__name__
