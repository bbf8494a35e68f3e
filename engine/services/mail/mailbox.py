"""Fills, counts, verifies, resets and empties one user's mailbox over the user's connection.

Messages that are not Spindle's are left alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.services.mail.definition import FOLDERS
from engine.services.mail.imap.client import ImapClient, ImapRejected
from engine.services.mail.message import IDENTITY_FIELDS, MessageIdentity, identity_in, message_bytes
from engine.services.mail.session import INBOX

_TOGETHER_BYTES = 1_000_000
_BUILT_AT = 1_577_836_800.0  # the date of all built messages, so that the same seed makes the same messages
_MOST_IN_A_SET = 500


@dataclass(frozen=True)
class FoundMessage:
    """A message of a folder: its UID and its identity, ``None`` if it is not Spindle's."""

    uid: int
    identity: MessageIdentity | None


async def fill(
    client: ImapClient, user: int, address: str, sizes: Iterable[int], filled: Callable[[int, int], None]
) -> None:
    """Create the folders, and fill INBOX with messages of these sizes. ``filled`` is called after each batch with the
    numbers of messages and bytes in it, and may raise."""
    there = await client.mailboxes("Spindle*")
    for folder in FOLDERS:
        if folder not in there:
            await client.create(folder)
    for batch in _batches(
        message_bytes(
            MessageIdentity(0, user, number),
            sender=address,
            recipients=[address],
            subject=f"Message {number}",
            size=size,
            at=_BUILT_AT,
        )
        for number, size in enumerate(sizes, start=1)
    ):
        await client.append(INBOX, batch)
        filled(len(batch), sum(map(len, batch)))


async def count(client: ImapClient) -> int:
    """How many messages INBOX and the folders hold, without reading them."""
    there = await client.mailboxes("Spindle*")
    return sum([await client.status(each) for each in (INBOX, *FOLDERS) if each == INBOX or each in there])


async def found_in(client: ImapClient, folder: str) -> list[FoundMessage]:
    """Select a folder and return all its messages; none if there is no such folder."""
    if folder != INBOX and folder not in await client.mailboxes(folder):
        return []
    if not (await client.select(folder)).exists:
        return []
    return [_found(each) for each in await client.fetch("1:*", b"(UID " + IDENTITY_FIELDS + b")")]


async def reset(client: ImapClient) -> None:
    """Remove what runs have added, move back what they have moved, and mark all messages as read, as they were
    built."""
    for folder in FOLDERS:
        found = await found_in(client, folder)
        built = [each.uid for each in found if each.identity is not None and each.identity.is_built]
        for uids in _sets(built):
            await client.move(uids, INBOX)
        if len(built) < len(found):
            added = [each.uid for each in found if each.identity is None or not each.identity.is_built]
            for uids in _sets(added):
                await client.expunge(uids)
    found = await found_in(client, INBOX)
    added = [each.uid for each in found if each.identity is not None and not each.identity.is_built]
    for uids in _sets(added):
        await client.expunge(uids)
    if client.exists:
        await client.store("1:*", rb"FLAGS (\Seen)")


async def empty(client: ImapClient) -> None:
    """Remove everything that is Spindle's: its messages in INBOX, and its folders."""
    found = await found_in(client, INBOX)
    for uids in _sets([each.uid for each in found if each.identity is not None]):
        await client.expunge(uids)
    for folder in await client.mailboxes("Spindle*"):
        if folder in FOLDERS:
            await client.delete(folder)


async def remove(client: ImapClient, folder: str) -> None:
    """Remove a folder, if it is there."""
    try:
        await client.delete(folder)
    except ImapRejected as error:
        if not error.code.startswith("NONEXISTENT"):
            raise


def _found(items: dict[bytes, object]) -> FoundMessage:
    header = next((value for name, value in items.items() if name.startswith(b"BODY[HEADER")), b"")
    uid = items.get(b"UID")
    text = header.decode(errors="replace") if isinstance(header, bytes) else ""
    return FoundMessage(int(uid) if isinstance(uid, bytes) else 0, identity_in(text))


def _batches(contents: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    held = 0
    for content in contents:
        batch.append(content)
        held += len(content)
        if held >= _TOGETHER_BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _sets(uids: Sequence[int]) -> Iterator[str]:
    """Sets of messages for commands, none of them too long for a server."""
    for first in range(0, len(uids), _MOST_IN_A_SET):
        yield ",".join(map(str, uids[first : first + _MOST_IN_A_SET]))
