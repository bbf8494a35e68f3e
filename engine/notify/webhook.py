"""Notifies a chat tool, or any other service, at the end of a run or campaign, by posting a small JSON document to a
URL.

Such a URL contains a token, so it is handled as a password: it comes from the command line, the environment or the
system's keyring, and no message, log, library or document contains it.
"""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from engine.errors import BadInput
from engine.notify.notices import Notice
from engine.secrets import WEBHOOK_VARIABLE, Secret, forget_secret, keep_secret, kept_secret

TIME_OUT_SECONDS = 10.0
_KEYRING_NAME = "notify-url"
_WRITE = "write one such as https://chat.example.com/hooks/TOKEN"


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

    def post(self, notice: Notice, *, time_out_seconds: float = TIME_OUT_SECONDS) -> None:
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
