"""Shows the marks, faults and phases of a run as annotations in Grafana, by its HTTP API.

The token comes from the environment or the keyring, and no message, log or library contains it. A thread of its own
sends; whatever goes wrong is one warning, and never disturbs the run.
"""

import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from queue import SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from engine.driver.sinks import Sink
from engine.errors import BadInput, UserError
from engine.record.record import Phases, RunState
from engine.secrets import GRAFANA_VARIABLE, Secret, keep_secret, kept_secret
from engine.telemetry.event import EventKind, RunEvent

TIME_OUT_SECONDS = 5.0
_KINDS = (EventKind.MARK, EventKind.INJECTION, EventKind.FAULT_END, EventKind.PHASE)
_KEYRING_NAME = "grafana"
_WRITE = "write one such as https://grafana.example.com"


class Grafana:
    """A Grafana server that takes annotations; only ``host`` may be shown beside the URL that the user typed."""

    def __init__(self, url: str, token: Secret | None) -> None:
        self._url = url
        self._token = token
        self.host = urlsplit(url).hostname or ""

    @classmethod
    def parse(cls, text: str, token: Secret | None) -> "Grafana":
        """A server by its address, with or without a path. Raises ``BadInput``."""
        plain = text.strip().rstrip("/")
        try:
            parts = urlsplit(plain)
            is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_valid = False
        if not is_valid or not plain.isascii() or " " in plain:
            raise BadInput(f"the address of Grafana is '{text}', which is no web address; {_WRITE}.")
        if parts.username is not None or parts.query or parts.fragment:
            raise BadInput(
                f"the address of Grafana names a user or a query; {_WRITE}, and put the token into {GRAFANA_VARIABLE}."
            )
        return cls(plain, token)

    def add(self, annotation: Mapping[str, Any]) -> int | None:
        """Add an annotation; its id, if the answer has one. Raises ``UserError``."""
        answer = self._send("POST", "", annotation)
        with suppress(ValueError, TypeError, KeyError):
            return int(json.loads(answer)["id"])
        return None

    def change(self, number: int, annotation: Mapping[str, Any]) -> None:
        """Replace the text and the time of an annotation. Raises ``UserError``."""
        self._send("PATCH", f"/{number}", annotation)

    def remove(self, number: int) -> None:
        """Raises ``UserError``."""
        self._send("DELETE", f"/{number}", {})

    def _send(self, method: str, path: str, document: Mapping[str, Any]) -> bytes:
        from engine.notify.web_post import send_json

        url = f"{self._url}/api/annotations{path}"
        return send_json(
            url, self.host, document, TIME_OUT_SECONDS, what="The annotation", method=method, token=self._token
        )


def find_token(environment: Mapping[str, str] = os.environ, *, with_keyring: bool = True) -> Secret | None:
    """The token in the environment, else in the keyring, which may wait."""
    text = environment.get(GRAFANA_VARIABLE, "")
    if text:
        return Secret(text)
    return kept_secret(_KEYRING_NAME) if with_keyring else None


def keep_token(token: Secret) -> None:
    """Store it in the system's keyring. Raises ``UserError`` when there is none, or when it is locked."""
    keep_secret(_KEYRING_NAME, token)


class GrafanaAnnotations(Sink):
    """A sink that only queues. ``warn`` gets one sentence, on the sending thread, when the first annotation fails."""

    def __init__(self, grafana: Grafana, run_name: str, *, warn: Callable[[str], None]) -> None:
        self._grafana = grafana
        self._run_name = run_name
        self._warn = warn
        self._has_warned = False
        self._epoch: float | None = None
        self._early: list[RunEvent] = []
        self._known: dict[int, tuple[int | None, dict[str, Any]]] = {}
        self._work: SimpleQueue[RunEvent | int | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._send_all, name="grafana", daemon=True)
        self._thread.start()

    def begin(self, started_at: datetime) -> None:
        self._epoch = started_at.timestamp()
        for event in self._early:
            self._work.put(event)
        self._early.clear()

    def write_event(self, event: RunEvent) -> None:
        if event.kind not in _KINDS:
            return
        if self._epoch is None:
            self._early.append(event)
        else:
            self._work.put(event)

    def remove_event(self, number: int) -> None:
        self._work.put(number)

    def set_state(self, state: RunState, phases: Phases) -> None:
        if state.is_final:
            self._work.put(None)

    def close(self, timeout_seconds: float) -> None:
        """Wait until everything is sent, at most for so long."""
        self._work.put(None)
        self._thread.join(timeout_seconds)

    def _send_all(self) -> None:
        while (item := self._work.get()) is not None:
            try:
                if isinstance(item, RunEvent):
                    self._put(item)
                else:
                    self._remove(item)
            except UserError as error:
                self._warn_once(error)

    def _put(self, event: RunEvent) -> None:
        annotation = self._annotation(event)
        number, before = self._known.get(event.number, (None, None))
        if annotation == before:
            return
        if number is not None:
            self._grafana.change(number, annotation)
        elif before is None:
            number = self._grafana.add(annotation)
        self._known[event.number] = number, annotation

    def _remove(self, number: int) -> None:
        known, _ = self._known.pop(number, (None, None))
        if known is not None:
            self._grafana.remove(known)

    def _annotation(self, event: RunEvent) -> dict[str, Any]:
        assert self._epoch is not None
        tags = ["spindle", event.kind.value, *(["fault"] if event.is_fault else [])]
        return {
            "time": round(1000 * (self._epoch + event.at_seconds)),
            "tags": tags,
            "text": f"{self._run_name}: {event.label}",
        }

    def _warn_once(self, error: UserError) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warn(f"{error} The run goes on; later marks are tried, and no more is said of it.")
