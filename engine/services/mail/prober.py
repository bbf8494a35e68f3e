"""Probes a mail server ten times a second: does it accept a change to a message?"""

import asyncio
from contextlib import suppress

from engine.databases.database import ProbeAnswer
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.services.mail.accounts import Accounts
from engine.services.mail.connecting import log_in, tls_context
from engine.services.mail.failure import as_target_error
from engine.services.mail.imap.client import ImapClient, ImapRejected
from engine.services.mail.record import RECORD_FOLDER
from engine.target.target import Host, Target

_ABANDONED_SECONDS = 5.0


class MailProber:
    """Implements ``engine.databases.database.Prober`` with an event loop of its own, which runs during the calls.

    It alternately sets and removes a flag of the build's record in the first user's mailbox: the server has to store
    that, and nothing that users see changes.
    """

    def __init__(self, target: Target, host: Host, secret: Secret | None) -> None:
        self._target = target
        self._host = host
        self._account = Accounts(target, secret)
        self._tls = tls_context(target)
        self._loop = asyncio.new_event_loop()
        self._client: ImapClient | None = None
        self._asking: asyncio.Task[bool] | None = None
        self._asked_at = 0.0
        self._is_flagged = False

    def probe(self, within_seconds: float) -> ProbeAnswer | None:
        return self._loop.run_until_complete(self._probe(within_seconds))

    def close(self) -> None:
        self._disconnect()
        self._loop.run_until_complete(asyncio.sleep(0))  # in which the connection is closed
        self._loop.close()

    async def _probe(self, within_seconds: float) -> ProbeAnswer | None:
        if self._asking is None:
            self._asking, self._asked_at = self._loop.create_task(self._ask()), self._loop.time()
        done, _ = await asyncio.wait([self._asking], timeout=within_seconds)
        if not done:
            if self._loop.time() - self._asked_at > _ABANDONED_SECONDS:
                self._asking.cancel()
                with suppress(asyncio.CancelledError, TargetError):
                    await self._asking
                self._disconnect()
            return None
        asking, self._asking = self._asking, None
        try:
            takes_writes = asking.result()
        except TargetError:
            self._disconnect()
            raise
        return ProbeAnswer(takes_writes=takes_writes, server=str(self._host))

    async def _ask(self) -> bool:
        if self._client is None:
            self._client, _ = await log_in(self._target, self._account.account(0), _ABANDONED_SECONDS, tls=self._tls)
            with as_target_error(self._host, "with the probe"):
                await self._client.select(RECORD_FOLDER)
        self._is_flagged = not self._is_flagged
        with as_target_error(self._host, "with the probe"):
            try:
                await self._client.store("1:*", b"+FLAGS (\\Flagged)" if self._is_flagged else b"-FLAGS (\\Flagged)")
            except ImapRejected as error:
                if error.code.startswith("UNAVAILABLE"):
                    raise TargetError(ErrorClass.CONNECTION_LOST, error.text, usable=False) from None
                return False
        return self._client.exists > 0

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.abort()
        self._client, self._asking = None, None
