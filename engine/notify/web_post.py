"""Posts a JSON document to a URL that must be kept secret: error messages contain only the host.

Called by ``engine.notify.webhook``.
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

_MOST_ANSWER_BYTES = 65_536


def post_json(url: str, host: str, document: Mapping[str, Any], time_out_seconds: float) -> None:
    """Post once; TLS certificates are checked, redirects refused. Raises ``UserError`` that does not contain the
    URL."""
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Spindle"}
    body = json.dumps(document, ensure_ascii=False).encode()
    request = urllib.request.Request(url, body, headers)  # noqa: S310 - the scheme was checked
    https = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    try:
        with urllib.request.build_opener(_NoRedirect, https).open(request, timeout=time_out_seconds) as answer:
            answer.read(_MOST_ANSWER_BYTES)
    except HTTPError as error:
        status = error.code
        error.close()
        raise UserError(f"The notification was not taken: {host} answered HTTP {status}.") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = _reason(error, time_out_seconds)
        raise UserError(f"The notification could not be sent to {host}: {reason}.") from None


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
