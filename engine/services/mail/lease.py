"""The lease of mailboxes: messages in a folder of the first user, where IMAP's own rules decide who comes first.

A program that wants the mailboxes appends a **claim**, which says who it is. A server gives the messages of a folder
ascending UIDs, so among the claims that are alive the one with the lowest UID holds the lease, and all programs see the
same one. The holder appends a **heartbeat** and removes the one before. The time at which a message was appended is its
INTERNALDATE: the server's clock, in whole seconds. Since IMAP has no other way to ask for the server's time, a program
that only reads the lease appends a message too.
"""

import asyncio
import json
import ssl
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import Any, TypeVar

from engine.databases.lease import Claim, LeaseHolder
from engine.services.mail.accounts import Account
from engine.services.mail.connecting import log_in
from engine.services.mail.failure import as_target_error
from engine.services.mail.imap.client import ImapRejected
from engine.services.mail.record import read_record
from engine.target.target import Target

LEASE_FOLDER = "Spindle Lease"
_SUBJECT = "Who uses these mailboxes"
_CALLS_SECONDS = 5.0
_LEFT_SECONDS = 60
"""The age at which messages are removed that were left by a program which ended while it took or read the lease."""
_ATTEMPTS = 5
_CLAIM, _HEARTBEAT, _LOOK = "claim", "heartbeat", "look"
_CLAIM_FIELDS = ("user_name", "host_name", "process_id", "process_key", "program", "purpose", "lasts_seconds")
_NOBODY: dict[str, Any] = dict.fromkeys(_CLAIM_FIELDS, "") | {"process_id": 0, "lasts_seconds": 0.0}
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class _Entry:
    """A message of the folder: its kind, its program's token, when it was appended, and the further fields of a
    claim."""

    uid: int
    at: datetime
    kind: str
    token: str
    said: dict[str, Any]


@dataclass(frozen=True)
class _Entries:
    """All messages of the folder by ascending UID; ``uid_next`` is above every UID so far."""

    all: Sequence[_Entry]
    uid_next: int

    def of(self, token: str, kind: str = "") -> list[_Entry]:
        return [each for each in self.all if each.token == token and kind in ("", each.kind)]

    @property
    def claims(self) -> list[_Entry]:
        return [each for each in self.all if each.kind == _CLAIM]

    def holders(self, now: datetime) -> list[LeaseHolder]:
        """The programs that claim the lease, the first one first."""
        return [self._holder(claim, now) for claim in self.claims]

    def holder(self, now: datetime) -> LeaseHolder:
        """The first program that is alive; if none is, the first one; without any claim a holder with an empty
        token."""
        holders = self.holders(now)
        nobody = LeaseHolder(token="", generation=self.uid_next - 1, since=now, silent_seconds=0.0, **_NOBODY)
        return next((each for each in holders if each.is_alive), holders[0] if holders else nobody)

    def left(self, now: datetime) -> list[_Entry]:
        """Messages that belong to no claim and are too old to be waited for."""
        claimed = {claim.token for claim in self.claims}
        return [
            each for each in self.all if each.token not in claimed and (now - each.at).total_seconds() > _LEFT_SECONDS
        ]

    def _holder(self, claim: _Entry, now: datetime) -> LeaseHolder:
        heard = max(each.at for each in self.of(claim.token))
        return LeaseHolder(
            token=claim.token,
            generation=claim.uid,
            since=claim.at,
            silent_seconds=max(0.0, (now - heard).total_seconds()),
            **claim.said,
        )


class MailLease:
    """Implements ``engine.databases.lease.OpenLease``, with its own connection and event loop."""

    def __init__(self, target: Target, account: Account, connect_seconds: float, tls: ssl.SSLContext | None) -> None:
        self._loop = asyncio.new_event_loop()
        self._until: float | None = None
        self._looks = count()
        try:
            self._client, self._host = self._loop.run_until_complete(log_in(target, account, connect_seconds, tls=tls))
        except BaseException:
            self._loop.close()
            raise

    @contextmanager
    def in_time(self, seconds: float | None = None) -> Iterator[None]:
        self._until = self._loop.time() + (seconds or _CALLS_SECONDS)
        try:
            yield
        finally:
            self._until = None

    def found(self) -> tuple[bool, bool]:
        return self._done(self._found())

    def make(self) -> None:
        self._done(self._make())

    def read(self) -> LeaseHolder:
        return self._done(self._read())

    def take(self, claim: Claim, seen: LeaseHolder, *, breaks: bool = False) -> LeaseHolder:
        return self._done(self._take(claim, seen.token if breaks or not seen.is_alive else ""))

    def beat(self, claim: Claim) -> LeaseHolder:
        return self._done(self._beat(claim))

    def release(self, token: str) -> None:
        self._done(self._release(token))

    def identity(self) -> tuple[str, int] | None:
        """Mailboxes have no high-water mark: their messages are not numbered together."""
        record = self._done(read_record(self._client))
        return None if record is None or not record.identity else (record.identity, 0)

    def added_above(self, high_water: int) -> int:
        return 0

    def close(self) -> None:
        self._client.abort()
        self._loop.run_until_complete(asyncio.sleep(0))  # in which the connection is closed
        self._loop.close()

    def _done(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return self._loop.run_until_complete(self._in_time(work))

    async def _in_time(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        with as_target_error(self._host, "with the lease of its mailboxes"):
            async with asyncio.timeout_at(self._until):
                return await work

    async def _found(self) -> tuple[bool, bool]:
        has_record = await read_record(self._client) is not None
        return has_record, LEASE_FOLDER in await self._client.mailboxes(LEASE_FOLDER)

    async def _make(self) -> None:
        try:
            await self._client.create(LEASE_FOLDER)
        except ImapRejected:  # another process may have created it at the same time
            if LEASE_FOLDER not in await self._client.mailboxes(LEASE_FOLDER):
                raise

    async def _read(self) -> LeaseHolder:
        entries = await self._entries()
        if not entries.claims:
            return entries.holder(datetime.now(UTC))
        token = f"{id(self):x}-{next(self._looks)}"
        now, entries = await self._appended(_LOOK, token)
        await self._remove(entries.of(token, _LOOK))
        return entries.holder(now)

    async def _take(self, claim: Claim, given_up: str) -> LeaseHolder:
        said = {name: getattr(claim, name) for name in _CLAIM_FIELDS}
        now, entries = await self._appended(_CLAIM, claim.token, said)
        holders = entries.holders(now)
        first = next(
            each for each in holders if each.token == claim.token or (each.is_alive and each.token != given_up)
        )
        if first.token != claim.token:
            await self._remove(entries.of(claim.token))
            return first
        gone = {each.token for each in holders if not each.is_alive or each.token == given_up} - {claim.token}
        await self._remove([each for each in entries.all if each.token in gone] + entries.left(now))
        return first

    async def _beat(self, claim: Claim) -> LeaseHolder:
        now, entries = await self._appended(_HEARTBEAT, claim.token)
        beats = entries.of(claim.token, _HEARTBEAT)
        is_claimed = bool(entries.of(claim.token, _CLAIM))
        await self._remove((beats[:-1] if is_claimed else beats) + entries.left(now))
        return entries.holder(now)

    async def _release(self, token: str) -> None:
        if LEASE_FOLDER in await self._client.mailboxes(LEASE_FOLDER):
            await self._remove((await self._entries()).of(token))

    async def _appended(self, kind: str, token: str, said: dict[str, Any] | None = None) -> tuple[datetime, _Entries]:
        """Append a message; returns its time and the folder's messages after it."""
        text = json.dumps({"kind": kind, "token": token, **(said or {})})
        head = f"Subject: {_SUBJECT}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n"
        await self._client.append(LEASE_FOLDER, [f"{head}{text}\r\n".encode()])
        entries = await self._entries()
        mine = entries.of(token, kind)
        if not mine:
            raise ImapRejected(f"a message that was put into the folder {LEASE_FOLDER} is not in it", "")
        return mine[-1].at, entries

    async def _entries(self) -> _Entries:
        """The folder's messages; they are read again if one was removed meanwhile."""
        for attempt in range(1, _ATTEMPTS + 1):
            folder = await self._client.select(LEASE_FOLDER)
            if not folder.exists:
                break
            try:
                found = await self._client.fetch("1:*", b"(UID INTERNALDATE BODY.PEEK[TEXT])")
                entries = filter(None, map(_entry, found))
                return _Entries(sorted(entries, key=lambda each: each.uid), folder.uid_next)
            except ImapRejected:
                if attempt == _ATTEMPTS:
                    raise
        return _Entries((), folder.uid_next)

    async def _remove(self, entries: Sequence[_Entry]) -> None:
        if entries:
            await self._client.expunge(",".join(str(each.uid) for each in entries))


def _entry(items: dict[bytes, object]) -> _Entry | None:
    """A message of the folder; ``None`` for one that is not Spindle's."""
    uid, date, text = items.get(b"UID"), items.get(b"INTERNALDATE"), items.get(b"BODY[TEXT]")
    if not (isinstance(uid, bytes) and isinstance(date, bytes) and isinstance(text, bytes)):
        return None
    try:
        said = json.loads(text)
        kind, token = said.pop("kind"), said.pop("token")
        if kind == _CLAIM and said.keys() != set(_CLAIM_FIELDS):
            return None
        return _Entry(int(uid), parsedate_to_datetime(date.decode()), kind, token, said)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
