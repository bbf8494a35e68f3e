"""Spindle's messages: their text, and the identity by which each is recognized.

The Message-ID contains the sender, the run and the message's number among those of the sender; ``X-Spindle-To`` has the
numbers of the recipients. Each recipient's copy has its own number; that of the first copy is the message's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache

TO_HEADER = "X-Spindle-To"
IDENTITY_FIELDS = b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID X-SPINDLE-TO)]"
_HOST = "spindle.invalid"
_ID = re.compile(r"<spindle\.(\d+)\.(\d+)\.(\d+)@spindle\.invalid>")
_TO = re.compile(r"^x-spindle-to:\s*([\d ]+)", re.IGNORECASE | re.MULTILINE)
_WORDS = (
    "the figures of last quarter are attached and show that orders in the north rose while returns fell please look at"
    " page three before our meeting on thursday and tell me whether the forecast for spring should be changed"
)
_LINE_BYTES = 72


@dataclass(frozen=True)
class MessageIdentity:
    """Identifies a message; ``run`` is the run's number for this user, 0 for a message that was built with the
    mailbox."""

    run: int
    sender: int
    number: int
    recipients: tuple[int, ...] = ()

    @property
    def message_id(self) -> str:
        return f"<spindle.{self.run}.{self.sender}.{self.number}@{_HOST}>"

    @property
    def is_built(self) -> bool:
        return self.run == 0


def identity_in(header: str) -> MessageIdentity | None:
    """The identity in the header fields of a message; ``None`` if it is not Spindle's."""
    match = _ID.search(header)
    if match is None:
        return None
    to = _TO.search(header)
    recipients = tuple(map(int, to[1].split())) if to else ()
    return MessageIdentity(int(match[1]), int(match[2]), int(match[3]), recipients)


def message_bytes(
    identity: MessageIdentity,
    *,
    sender: str,
    recipients: Sequence[str],
    subject: str,
    size: int,
    at: float | None = None,
) -> bytes:
    """The message, of about ``size`` bytes: its headers, and lines of words. ``at`` is its date, now by default."""
    to = f"{TO_HEADER}: {' '.join(map(str, identity.recipients))}\r\n" if identity.recipients else ""
    head = (
        f"Date: {formatdate(at)}\r\nFrom: <{sender}>\r\nTo: {_folded(recipients)}\r\nSubject: {subject}\r\n"
        f"Message-ID: {identity.message_id}\r\n{to}MIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=us-ascii\r\n\r\n"
    ).encode()
    return head + _body(max(_LINE_BYTES, size - len(head)))


def _folded(recipients: Sequence[str]) -> str:
    return ",\r\n ".join(f"<{each}>" for each in recipients)


@cache
def _body(size: int) -> bytes:
    """Lines of words of this size. They are cached, since messages have few different sizes."""
    line = (_WORDS * 2)[:_LINE_BYTES].encode() + b"\r\n"
    whole = line * (size // len(line) + 1)
    return whole[: max(0, size - 2)].rstrip(b"\r") + b"\r\n"
