"""A page of metrics in Prometheus' text format, fetched over HTTP; only the metrics that are wanted are parsed.

An exporter's page has a thousand lines, of which some dozens are wanted once a second.
"""

import http.client
import math
import re
import socket
import ssl
import time
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urlsplit

from prometheus_client.parser import text_string_to_metric_families

from engine.errors import UserError

_LARGEST_PAGE_BYTES = 16_000_000
_PIECE_BYTES = 65_536
_ANSWER_SECONDS = 10.0
_SAMPLE = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*(\{.*\})?\s+\S+")

Labels = Mapping[str, str]
Metrics = Mapping[str, list[tuple[Labels, float]]]
"""The samples of each metric; one that is not a number is left out."""


class MetricsEndpoint:
    """One exporter's address; the connection is kept from one page to the next.

    Everything raises ``UserError`` that begins with ``what`` and names the address.
    """

    def __init__(self, url: str, what: str, *, answer_seconds: float = _ANSWER_SECONDS) -> None:
        parts = urlsplit(url)
        self._what = f"{what}: {url}"
        self._path = parts.path
        self._answer_seconds = answer_seconds
        host, port = parts.hostname or "", parts.port
        self._http = (
            http.client.HTTPSConnection(host, port, timeout=answer_seconds, context=ssl.create_default_context())
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=answer_seconds)
        )

    def fetch(self) -> str:
        """The page, which has to be there, whole, within the time of an answer."""
        until = time.monotonic() + self._answer_seconds
        is_kept = self._http.sock is not None
        try:
            try:
                return self._fetch(until)
            except ConnectionError:
                # The exporter may have closed the connection since the page before.
                if not is_kept:
                    raise
                self.close()
                return self._fetch(until)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise UserError(
                f"{self._what} has a certificate that is not trusted ({error.verify_message}); install its authority's."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            cause = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise UserError(f"{self._what} did not answer ({cause}); is the exporter running there?") from error

    def close(self) -> None:
        self._http.close()

    def _fetch(self, until: float) -> str:
        if self._http.sock is None:
            self._http.connect()
        connected: socket.socket = self._http.sock
        self._http.request("GET", self._path, headers={"Accept": "text/plain;version=0.0.4"})
        response = self._http.getresponse()
        if response.status != http.HTTPStatus.OK:
            self.close()
            raise UserError(f"{self._what} answered HTTP {response.status}; correct the address of the exporter.")
        pieces, size = [], 0
        while piece := response.read1(_PIECE_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size > _LARGEST_PAGE_BYTES:
                self.close()
                raise UserError(f"{self._what} sends more than 16 MB; give the address of an exporter's metrics.")
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"not whole after {self._answer_seconds:g} s")
            connected.settimeout(left)
        response.close()
        connected.settimeout(self._answer_seconds)
        return b"".join(pieces).decode(errors="replace")


def is_metrics_page(text: str) -> bool:
    """Whether a text is in Prometheus' format, by its first line that is no comment."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    return bool(_SAMPLE.fullmatch(first.strip()))


def read_metrics(text: str, wanted: Collection[str]) -> Metrics:
    """The samples of the wanted metrics. Raises ``ValueError`` for a line of another format."""
    found: dict[str, list[tuple[Labels, float]]] = {}
    for family in text_string_to_metric_families("\n".join(_lines_of(text, tuple(wanted)))):
        for sample in family.samples:
            if sample.name in wanted and math.isfinite(sample.value):
                found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def _lines_of(text: str, wanted: tuple[str, ...]) -> Iterable[str]:
    return (line for line in text.split("\n") if line.startswith(wanted))
