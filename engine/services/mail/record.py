"""The record of a build: a message that says what was built, in a folder of its own in the first user's mailbox."""

import json
from dataclasses import asdict, dataclass, replace

from engine.services.mail.imap.client import ImapClient

RECORD_FOLDER = "Spindle"
_SUBJECT = "What Spindle has built"
_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class MailRecord:
    """What was built: the workload and its version, scale and seed; ``built`` is the number of messages in all
    mailboxes."""

    workload: str
    version: int
    scale: str
    seed: int
    is_complete: bool
    built: int = 0
    as_built_at: str = ""
    is_reset_interrupted: bool = False

    @property
    def identity(self) -> str:
        """``StoreState.as_built_at``; empty where the store is not complete."""
        return self.as_built_at if self.is_complete and not self.is_reset_interrupted else ""

    def changed(self, **values: object) -> "MailRecord":
        return replace(self, **values)  # type: ignore[arg-type]


async def read_record(client: ImapClient) -> MailRecord | None:
    """The record in the mailbox of the connection's user; ``None`` without one. Afterwards INBOX has to be selected
    again."""
    if RECORD_FOLDER not in await client.mailboxes(RECORD_FOLDER):
        return None
    mailbox = await client.select(RECORD_FOLDER)
    if not mailbox.exists:
        return None
    found = await client.fetch(str(mailbox.exists), b"(BODY.PEEK[TEXT])", by_uid=False)
    text = next((each[b"BODY[TEXT]"] for each in found if b"BODY[TEXT]" in each), None)
    try:
        plain = json.loads(text) if isinstance(text, bytes) else None
        if not isinstance(plain, dict) or plain.pop("format", None) != _FORMAT:
            return None
        return MailRecord(**plain)
    except (ValueError, TypeError):
        return None


async def write_record(client: ImapClient, record: MailRecord) -> None:
    """Replace the record."""
    if RECORD_FOLDER not in await client.mailboxes(RECORD_FOLDER):
        await client.create(RECORD_FOLDER)
    before = (await client.select(RECORD_FOLDER)).exists
    text = json.dumps({"format": _FORMAT, **asdict(record)})
    await client.append(
        RECORD_FOLDER,
        [f"Subject: {_SUBJECT}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n{text}\r\n".encode()],
    )
    if before:
        old = [str(uid) for uid in await client.search(b"1:%d" % before)]
        await client.expunge(",".join(old))
