"""Work on the mailboxes of a target's users, some of them at the same time."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.databases.database import Timeouts
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.figure_text import whole
from engine.services.mail.accounts import Accounts
from engine.services.mail.connecting import log_in
from engine.services.mail.failure import as_target_error
from engine.services.mail.imap.client import ImapClient
from engine.target.target import Target

_AT_A_TIME = 16
_PATIENT_SECONDS = 60.0
"""How long one of many users may take to log in; longer than in a run, as nothing is measured here."""
Work = Callable[[ImapClient, int], Awaitable[None]]
"""Work in a mailbox over a connection of its user, given the user's number from 0."""
_Result = TypeVar("_Result")


class MailboxWorkers:
    """Logs in the users of a target, and works on their mailboxes; each method runs its own event loop."""

    def __init__(self, target: Target, accounts: Accounts, timeouts: Timeouts, tls: ssl.SSLContext | None) -> None:
        self._target = target
        self._accounts = accounts
        self._timeouts = timeouts
        self._tls = tls

    def each(
        self,
        mailboxes: int,
        work: Work,
        *,
        doing: str = "",
        report_progress: ReportProgress = lambda _step: None,
        cancelled: IsCancelled = lambda: False,
    ) -> None:
        """Do ``work`` in each of the first users' mailboxes; the first error ends all of it.

        ``doing`` describes the finished ones in the progress, such as ``mailboxes reset``.
        """
        done = 0

        async def counted(client: ImapClient, user: int) -> None:
            nonlocal done
            await work(client, user)
            done += 1
            if doing:
                report_progress(Progress(doing=f"{whole(done)} {doing}", share=done / mailboxes))

        asyncio.run(self._each(mailboxes, counted, cancelled))

    def in_first(self, work: Callable[[ImapClient], Awaitable[_Result]]) -> _Result:
        """Do ``work`` in the first user's mailbox, and return its result."""
        results: list[_Result] = []

        async def keep(client: ImapClient, _user: int) -> None:
            results.append(await work(client))

        self.each(1, keep)
        return results[0]

    async def _each(self, mailboxes: int, work: Work, cancelled: IsCancelled) -> None:
        waiting, seconds = iter(range(mailboxes)), self._timeouts.connect_seconds
        if mailboxes > 1:
            seconds = max(seconds, _PATIENT_SECONDS)

        async def worker() -> None:
            for user in waiting:
                if cancelled():
                    raise Cancelled
                account = self._accounts.account(user)
                client, host = await log_in(self._target, account, seconds, tls=self._tls)
                try:
                    with as_target_error(host, f"working on the mailbox of {account.address}"):
                        await work(client, user)
                        await client.logout()
                finally:
                    client.abort()

        tasks = [asyncio.create_task(worker()) for _ in range(min(_AT_A_TIME, mailboxes))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
