"""Annotations in Grafana, received by a real HTTP server that answers as its API does."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from engine.errors import BadInput
from engine.notify.grafana import Grafana, GrafanaAnnotations, find_token
from engine.record.record import Phases, RunState
from engine.secrets import GRAFANA_VARIABLE, Secret
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.hosts import STARTED_AT

TOKEN = "glsa_not-to-be-seen"
MARK = RunEvent(at_seconds=12.5, kind=EventKind.MARK, label="Enclosure pulled", number=3, is_fault=True)


@dataclass
class Receiver:
    """``requests`` are (method, path, body) in order."""

    url: str
    status: int = 200
    requests: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.requests.append((self.command, self.path, json.loads(body)))
            told.tokens.add(self.headers.get("Authorization", ""))
            answer = json.dumps({"message": "Annotation added", "id": 40 + len(told.requests)}).encode()
            self.send_response(told.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_POST = do_PATCH = do_DELETE = _take  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = Receiver(f"http://127.0.0.1:{server.server_port}/grafana")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


def annotations_to(url: str, warnings: list[str]) -> GrafanaAnnotations:
    return GrafanaAnnotations(Grafana.parse(url, Secret(TOKEN)), "evening", warn=warnings.append)


def test_marks_and_phases_are_reported_with_their_times(receiver: Receiver) -> None:
    warnings: list[str] = []
    annotations = annotations_to(receiver.url, warnings)
    annotations.write_event(RunEvent(at_seconds=0.0, kind=EventKind.PHASE, label="ramping", number=1))
    annotations.begin(STARTED_AT)
    annotations.write_event(RunEvent(at_seconds=3.0, kind=EventKind.WARNING, label="not for Grafana", number=2))
    annotations.write_event(MARK)
    annotations.close(60)
    epoch_ms = round(1000 * STARTED_AT.timestamp())
    assert receiver.requests == [
        (
            "POST",
            "/grafana/api/annotations",
            {"time": epoch_ms, "tags": ["spindle", "phase"], "text": "evening: ramping"},
        ),
        (
            "POST",
            "/grafana/api/annotations",
            {"time": epoch_ms + 12_500, "tags": ["spindle", "mark", "fault"], "text": "evening: Enclosure pulled"},
        ),
    ]
    assert receiver.tokens == {f"Bearer {TOKEN}"}
    assert warnings == []


def test_a_mark_that_is_changed_or_removed_is_so_there(receiver: Receiver) -> None:
    annotations = annotations_to(receiver.url, [])
    annotations.begin(STARTED_AT)
    annotations.write_event(MARK)
    annotations.write_event(MARK)
    annotations.write_event(replace(MARK, label="Power cut"))
    annotations.remove_event(MARK.number)
    annotations.remove_event(99)
    annotations.close(60)
    assert [(method, path) for method, path, _ in receiver.requests] == [
        ("POST", "/grafana/api/annotations"),
        ("PATCH", "/grafana/api/annotations/41"),
        ("DELETE", "/grafana/api/annotations/41"),
    ]
    assert receiver.requests[1][2]["text"] == "evening: Power cut"


def test_failures_are_one_warning_without_the_token(receiver: Receiver) -> None:
    receiver.status = 401
    warnings: list[str] = []
    annotations = annotations_to(receiver.url, warnings)
    annotations.begin(STARTED_AT)
    for number in range(1, 4):
        annotations.write_event(replace(MARK, number=number))
    annotations.set_state(RunState.COMPLETED, Phases())
    annotations.close(60)
    assert len(receiver.requests) == 3
    (warning,) = warnings
    assert warning.startswith("The annotation was not taken: 127.0.0.1 answered HTTP 401.")
    assert TOKEN not in warning


def test_nobody_there_is_one_warning() -> None:
    warnings: list[str] = []
    annotations = annotations_to("http://127.0.0.1:1", warnings)
    annotations.begin(STARTED_AT)
    annotations.write_event(MARK)
    annotations.write_event(replace(MARK, number=4))
    annotations.close(60)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "text", ["", "grafana", "ftp://g", "https://", "https://me:pass@g", "https://g/?x=1", "http://g:x", "http://g h"]
)
def test_bad_addresses(text: str) -> None:
    with pytest.raises(BadInput, match="the address of Grafana"):
        Grafana.parse(text, None)


def test_the_token_is_of_the_environment_and_not_shown() -> None:
    token = find_token({GRAFANA_VARIABLE: TOKEN}, with_keyring=False)
    assert token == Secret(TOKEN)
    assert TOKEN not in repr(token)
    assert find_token({}, with_keyring=False) is None
