"""A user's session: a logged-in IMAP connection with INBOX selected, and the sending of messages.

The calls, by their names, with their arguments and results:

- ``check`` (): NOOP and UID SEARCH UNSEEN; the UIDs of unread messages.
- ``read`` (uid, place): fetches a whole message, which marks it as read; its UID, 0 where INBOX is empty.
- ``move`` (uid, place, folder): moves a message; its UID, 0 where INBOX is empty.
- ``append`` (folder, run, number, size): stores a message in a folder, as a client stores an appointment.
- ``send`` (recipients, run, number, size): sends a message; for each recipient the server's refusal, or nothing.

Where ``uid`` is 0, the message is the one at ``place``, a share of INBOX from 0 to 1. ``recipients`` are numbers of
users; ``run`` and ``number`` are those of ``engine.services.mail.message.MessageIdentity``.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.services.mail.accounts import Accounts
from engine.services.mail.connecting import log_in, tls_context
from engine.services.mail.delivery import Delivery, DeliveryFailed
from engine.services.mail.failure import as_target_error
from engine.services.mail.imap.client import ImapClient
from engine.services.mail.message import MessageIdentity, message_bytes
from engine.target.target import Host, Target

INBOX = "INBOX"


class MailSession:
    """Implements ``engine.databases.async_system.AsyncSession`` for the user of a number, from 0."""

    def __init__(self, client: ImapClient, host: Host, accounts: Accounts, user: int, delivery: Delivery) -> None:
        self.host = host
        self._client = client
        self._accounts = accounts
        self._user = user
        self._delivery = delivery
        self._loop = asyncio.get_running_loop()
        self._calls: dict[str, Callable[..., Awaitable[Any]]] = {
            "check": self._check,
            "read": self._read,
            "move": self._move,
            "append": self._append,
            "send": self._send,
        }

    @property
    def received(self) -> tuple[int, int]:
        return self._client.received

    @property
    def ended(self) -> "asyncio.Future[None]":
        return self._client.ended

    async def call(self, name: str, arguments: tuple[Any, ...]) -> Any:
        with as_target_error(self.host, f"with the call {name}"):
            try:
                return await self._calls[name](*arguments)
            except DeliveryFailed as error:
                raise error.as_target_error() from None

    def cut(self) -> None:
        self._loop.call_soon_threadsafe(self._abort)

    def close(self) -> None:
        self._client.close()

    def _abort(self) -> None:
        self._client.abort()
        self._delivery.abort()

    async def _check(self) -> list[int]:
        await self._client.noop()
        return await self._client.search(b"UNSEEN")

    async def _read(self, uid: int, place: float) -> int:
        if not (message := uid or await self._uid_at(place)):
            return 0
        found = await self._client.fetch(str(message), b"(UID BODY[])")
        if not any(b"BODY[]" in each for each in found):
            raise TargetError(ErrorClass.OTHER, f"mail server {self.host} does not find a message of its INBOX")
        return message

    async def _move(self, uid: int, place: float, folder: str) -> int:
        if message := uid or await self._uid_at(place):
            await self._client.move(str(message), folder)
        return message

    async def _append(self, folder: str, run: int, number: int, size: int) -> None:
        address = self._accounts.address(self._user)
        content = message_bytes(
            MessageIdentity(run, self._user, number), sender=address, recipients=[address], subject="Meeting", size=size
        )
        await self._client.append(folder, [content])

    async def _send(self, recipients: tuple[int, ...], run: int, number: int, size: int) -> tuple[str, ...]:
        addresses = [self._accounts.address(each) for each in recipients]
        content = message_bytes(
            MessageIdentity(run, self._user, number, recipients),
            sender=self._accounts.address(self._user),
            recipients=addresses,
            subject=f"Message {number}",
            size=size,
        )
        return await self._delivery.send(addresses, content)

    async def _uid_at(self, place: float) -> int:
        """The UID of the message at a place in INBOX; 0 where it is empty."""
        if not self._client.exists:
            return 0
        number = 1 + min(self._client.exists - 1, int(place * self._client.exists))
        for each in await self._client.fetch(str(number), b"(UID)", by_uid=False):
            if isinstance(uid := each.get(b"UID"), bytes):
                return int(uid)
        return 0


async def open_session(
    target: Target, secret: Secret | None, timeouts: Timeouts, user: int, *, first_host: int = 0
) -> MailSession:
    """Log in a user, by its number from 0, and select INBOX. Raises ``TargetError``."""
    try:
        accounts, tls = _prepared(target, secret)
        account = accounts.account(user)
    except UserError as error:
        raise TargetError(ErrorClass.REJECTED, error.cause, usable=False) from None
    client, host = await log_in(target, account, timeouts.connect_seconds, tls=tls, first_host=first_host)
    try:
        with as_target_error(host, f"opening the INBOX of {account.address}"):
            async with asyncio.timeout(timeouts.connect_seconds):
                await client.select(INBOX)
    except BaseException:
        client.abort()
        raise
    return MailSession(client, host, accounts, user, Delivery(target, host, account, tls))


@cache
def _prepared(target: Target, secret: Secret | None) -> tuple[Accounts, ssl.SSLContext | None]:
    """What all users of a target share; cached for each process."""
    return Accounts(target, secret), tls_context(target)
