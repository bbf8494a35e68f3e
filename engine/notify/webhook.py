"""Notifies a chat tool, or any other service, at the end of a run, by posting a small JSON document to a URL.

Such a URL contains a token, so it is handled as a password: it comes from the command line, the environment or the
system's keyring, and no message, log, library or document contains it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from engine.analysis.headline import headline_of
from engine.errors import BadInput
from engine.figure_text import capitalised, whole
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS
from engine.secrets import WEBHOOK_VARIABLE, Secret, forget_secret, keep_secret, kept_secret, masked
from engine.workload.transaction import Metric

TIME_OUT_SECONDS = 10.0
_KEYRING_NAME = "notify-url"
_NOT_KEPT = "The library could not store this run; Spindle shows where it is kept."
_WRITE = "write one such as https://chat.example.com/hooks/TOKEN"


@dataclass(frozen=True, kw_only=True)
class RunNotice:
    """The document for one run: ``state`` is its final state, ``value`` its result in ``metric``, ``failure`` why it
    failed.

    If not ``is_kept``, the run was measured, but its library could not store it.
    """

    run: str
    state: str
    metric: Metric | None = None
    value: int | None = None
    run_id: str = ""
    failure: str = ""
    audit: str = ""
    is_kept: bool = True

    @classmethod
    def of(cls, record: RunRecord, *, is_kept: bool = True) -> "RunNotice":
        headline = headline_of(record.plan.workload)
        value = (record.totals or NO_TOTALS).headline_rate
        verdict = (record.audit or {}).get("verdict", "")
        return cls(
            run=record.name,
            state=record.state.value,
            metric=headline.metric,
            value=None if value is None else round(value),
            run_id=record.run_id,
            failure=masked(record.failure, ()),
            audit=str(verdict),
            is_kept=is_kept,
        )

    @classmethod
    def not_started(cls, name: str, error: Exception) -> "RunNotice":
        """The notice of a run that failed before it began."""
        return cls(run=name, state=RunState.FAILED.value, failure=capitalised(masked(str(error), ())))

    @property
    def sentence(self) -> str:
        figures = [self.state]
        if self.metric is not None and self.value is not None:
            figures.append(f"{whole(self.value)} {self.metric.label}")
        audit = f" Audit: {self.audit}." if self.audit else ""
        failure = f" {self.failure}" if self.failure else ""
        kept = "" if self.is_kept else f" {_NOT_KEPT}"
        return f"Spindle run {self.run}: {', '.join(figures)}.{failure}{audit}{kept}"

    def to_dict(self) -> dict[str, Any]:
        """The values to post: ``text`` is shown by chat tools, the others are for programs."""
        metric = "opm" if self.metric is None else self.metric.id
        plain: dict[str, Any] = {"text": self.sentence, "run": self.run, "state": self.state, metric: self.value}
        others = {"run_id": self.run_id, "failure": self.failure, "audit": self.audit}
        kept: dict[str, Any] = {} if self.is_kept else {"in_library": False}
        return plain | {name: value for name, value in others.items() if value} | kept


class Webhook:
    """The URL that notices are posted to; only ``host`` may be shown."""

    def __init__(self, url: Secret) -> None:
        self._url = url
        self.host = urlsplit(url.reveal()).hostname or ""

    @classmethod
    def parse(cls, text: str) -> "Webhook":
        """Raises ``BadInput``, which does not contain the URL."""
        try:
            parts = urlsplit(text.strip())
            port_is_valid = parts.port is None or parts.port > 0
        except ValueError:
            raise BadInput(f"the notification URL can't be read; {_WRITE}.") from None
        if parts.scheme not in ("https", "http") or not parts.hostname or not port_is_valid:
            raise BadInput(f"the notification URL is no web address; {_WRITE}.")
        if parts.username is not None:
            raise BadInput(f"the notification URL holds a user name, which is not supported; {_WRITE}.")
        if not text.strip().isascii() or not text.strip().isprintable() or " " in text.strip():
            raise BadInput(f"the notification URL holds a space or a special character; {_WRITE}.")
        return cls(Secret(text.strip()))

    def post(self, notice: RunNotice, *, time_out_seconds: float = TIME_OUT_SECONDS) -> None:
        """Post a notice once; TLS certificates are checked, redirects refused. Raises ``UserError`` that does not
        contain the URL.

        Waits for the answer, so it is only for background work.
        """
        from engine.notify.web_post import post_json  # loads what speaks HTTP, which the window does without at first

        post_json(self._url.reveal(), self.host, notice.to_dict(), time_out_seconds)

    def keep(self) -> None:
        """Store it in the system's keyring. Raises ``UserError`` when there is none, or when it is locked."""
        keep_secret(_KEYRING_NAME, self._url)

    @staticmethod
    def forget() -> None:
        """Remove it from the system's keyring. Raises ``UserError`` when it is not there."""
        forget_secret(_KEYRING_NAME)


def find_webhook(environment: Mapping[str, str] = os.environ, *, with_keyring: bool = True) -> Webhook | None:
    """The webhook in the environment, else in the keyring, which may wait; raises ``BadInput``."""
    text = environment.get(WEBHOOK_VARIABLE, "")
    if text:
        return Webhook.parse(text)
    kept = kept_secret(_KEYRING_NAME) if with_keyring else None
    return None if kept is None else Webhook.parse(kept.reveal())
