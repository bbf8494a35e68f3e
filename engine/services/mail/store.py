"""The store of a workload on a mail server: fills, counts, verifies, resets and empties its mailboxes, many at a
time."""

import asyncio
import time
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.databases.database import BuildReport, ServerInfo, StoreState, Timeouts
from engine.databases.definition import Check
from engine.databases.lease import NO_LEASE, HeldLease
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.refusals import (
    complete_store_in_the_way,
    no_store,
    nothing_to_drop,
    other_workload,
    partly_built,
    partly_reset,
)
from engine.databases.replacing import Replacement
from engine.errors import Cancelled, UserError
from engine.figure_text import counted, whole
from engine.secrets import Secret
from engine.services.mail import mailbox
from engine.services.mail.accounts import Accounts
from engine.services.mail.connecting import log_in, tls_context
from engine.services.mail.definition import FOLDERS, MailboxDefinition
from engine.services.mail.imap.client import ImapClient
from engine.services.mail.lease import LEASE_FOLDER, MailLease
from engine.services.mail.mailbox_workers import MailboxWorkers
from engine.services.mail.record import RECORD_FOLDER, MailRecord, read_record, write_record
from engine.services.mail.session import INBOX
from engine.target.store_layout import StoreLayout
from engine.target.target import Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BEYOND = "messages"


class MailStore:
    """Implements ``engine.databases.database.Store``."""

    def __init__(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: MailboxDefinition
    ) -> None:
        self._target = target
        self._accounts = Accounts(target, secret)
        self._timeouts = timeouts
        self._definition = definition
        self._tls = tls_context(target)
        self._workers = MailboxWorkers(target, self._accounts, timeouts, self._tls)

    def server(self) -> ServerInfo:
        return asyncio.run(self._server())

    def state(self) -> StoreState | None:
        record = self._record()
        if record is None:
            return None
        beyond: dict[str, int] = {}
        if record.identity:
            beyond = {_BEYOND: max(0, self._counted(record) - record.built)}
        return StoreState(
            workload=record.workload,
            scale=record.scale,
            seed=record.seed,
            complete=bool(record.identity),
            beyond=beyond,
            as_built_at=record.as_built_at,
            is_reset_interrupted=record.is_reset_interrupted,
        )

    def replacement(self, scale: str) -> Replacement | None:
        record = self._record()
        if record is None or not record.is_complete:
            return None
        obstacle = "mailboxes are emptied of what was built in them before they are filled"
        return Replacement(scale=record.scale, host=str(self._target.hosts[0]), obstacle=obstacle)

    def build(
        self,
        scale: str,
        seed: int,
        *,
        replace: bool,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
        layout: StoreLayout | None = None,
        delete_first: bool = False,
        lease: HeldLease = NO_LEASE,
    ) -> BuildReport:
        before = self._record()
        if before is not None and before.is_complete and not replace:
            raise complete_store_in_the_way(self._target, before.scale)
        lease.take()
        began = time.monotonic()
        mailboxes = self._definition.mailboxes(scale)
        record = MailRecord(
            workload=self._definition.workload,
            version=self._definition.version,
            scale=scale,
            seed=seed,
            is_complete=False,
        )
        if before is not None:
            self._empty(before, report_progress, cancelled)
        self._write(record)
        sizes = [list(self._definition.sizes(scale, seed, user)) for user in range(mailboxes)]
        whole_bytes, stored, messages = max(1, sum(map(sum, sizes))), 0, 0

        def filled(count: int, octets: int) -> None:
            nonlocal stored, messages
            stored, messages = stored + octets, messages + count
            share = min(1.0, stored / whole_bytes)
            report_progress(Progress(doing=f"{whole(messages)} messages stored", share=share))
            if cancelled():
                raise Cancelled

        async def fill(client: ImapClient, user: int) -> None:
            if before is None:
                await self._require_empty(client, user)
            await mailbox.fill(client, user, self._accounts.address(user), sizes[user], filled)

        self._workers.each(mailboxes, fill, cancelled=cancelled)
        self._write(record.changed(is_complete=True, built=messages, as_built_at=_now()))
        seconds = time.monotonic() - began
        return BuildReport(
            rows={"mailboxes": mailboxes, "messages": messages},
            bytes_streamed=stored,
            load_seconds=seconds,
            index_seconds=0.0,
        )

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        record = self._complete_record()
        mailboxes = self._definition.mailboxes(record.scale)
        missing: dict[int, int] = {}
        found_built = 0

        async def verify(client: ImapClient, user: int) -> None:
            nonlocal found_built
            expected = len(list(self._definition.sizes(record.scale, record.seed, user)))
            numbers = {
                each.identity.number
                for folder in (INBOX, *FOLDERS)
                for each in await mailbox.found_in(client, folder)
                if each.identity is not None and each.identity.is_built and each.identity.sender == user
            }
            found_built += len(numbers)
            if lacks := expected - len(numbers & set(range(1, expected + 1))):
                missing[user] = lacks

        self._workers.each(
            mailboxes, verify, doing="mailboxes looked through", report_progress=report_progress, cancelled=cancelled
        )
        places = ", ".join(
            f"{self._accounts.address(user)}: {lacks} missing" for user, lacks in sorted(missing.items())[:3]
        )
        return [
            Check(
                what="messages as built, in INBOX or moved by runs",
                expected=whole(record.built),
                found=whole(found_built),
                ok=found_built == record.built,
            ),
            Check(
                what="mailboxes with all their messages",
                expected=whole(mailboxes),
                found=whole(mailboxes - len(missing)) + (f" ({places})" if places else ""),
                ok=not missing,
            ),
        ]

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        record = self._record()
        if record is None:
            raise no_store(self._target)
        if not record.is_complete:
            raise partly_built(self._target)
        self._write(record.changed(is_reset_interrupted=True))
        self._workers.each(
            self._definition.mailboxes(record.scale),
            lambda client, _user: mailbox.reset(client),
            doing="mailboxes reset",
            report_progress=report_progress,
            cancelled=cancelled,
        )
        self._write(record.changed(is_reset_interrupted=False, as_built_at=_now()))

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        record = self._record()
        if record is None:
            raise nothing_to_drop(self._target)
        self._empty(record, lambda _step: None, lambda: False)
        lease.rest()

        async def remove(client: ImapClient) -> None:
            await mailbox.remove(client, RECORD_FOLDER)
            await mailbox.remove(client, LEASE_FOLDER)

        self._workers.in_first(remove)
        mailboxes = self._definition.mailboxes(record.scale)
        return (
            f"Spindle's messages and folders in {counted(mailboxes, 'mailbox', 'mailboxes')} of"
            f" {self._target.database} (the accounts stay)"
        )

    def identity(self) -> str:
        """``StoreState.as_built_at`` now; empty where there is no complete store."""
        record = self._record()
        return "" if record is None else record.identity

    def copies(
        self, runs: Collection[int], *, report_progress: ReportProgress, cancelled: IsCancelled
    ) -> "npt.NDArray[np.void]":
        """The copies of the messages of these runs in all mailboxes, as ``engine.services.mail.copies.COPY_TYPE``."""
        from engine.services.mail.copies import as_array, copies_in  # imports numpy, which client processes do not load

        mailboxes = self._definition.mailboxes(self._complete_record().scale)
        copies: list[tuple[int, int, int]] = []

        async def look(client: ImapClient, user: int) -> None:
            copies.extend(await copies_in(client, user, runs))

        self._workers.each(
            mailboxes, look, doing="mailboxes looked through", report_progress=report_progress, cancelled=cancelled
        )
        return as_array(copies)

    def address(self, user: int) -> str:
        """The address of a user, numbered from 0."""
        return self._accounts.address(user)

    def open_lease(self) -> MailLease:
        return MailLease(self._target, self._accounts.account(0), self._timeouts.connect_seconds, self._tls)

    def load_account(self) -> None:
        """Users log in as themselves."""

    async def _server(self) -> ServerInfo:
        began = time.monotonic()
        client, host = await log_in(
            self._target, self._accounts.account(0), self._timeouts.connect_seconds, tls=self._tls
        )
        connect_ms = 1000 * (time.monotonic() - began)
        mail = self._target.mail
        await client.logout()
        return ServerInfo(
            product="mail server",
            version=client.greeting.rstrip("."),
            host=str(host),
            writable=True,
            settings={
                "capabilities": " ".join(sorted(client.capabilities)),
                "delivery": f"{mail.delivery} to {mail.delivery_host or host.name}:{mail.port}",
                "encryption": self._target.tls,
            },
            connect_ms=round(connect_ms, 1),
        )

    def _record(self) -> MailRecord | None:
        """The record of what was built; ``None`` without one. Raises ``UserError`` for another workload's."""
        record = self._workers.in_first(read_record)
        if record is not None and record.workload != self._definition.workload:
            raise other_workload(self._target, record.workload, self._definition.workload)
        return record

    def _complete_record(self) -> MailRecord:
        record = self._record()
        if record is None:
            raise no_store(self._target)
        if record.is_reset_interrupted:
            raise partly_reset(self._target)
        if not record.is_complete:
            raise partly_built(self._target)
        return record

    def _write(self, record: MailRecord) -> None:
        self._workers.in_first(lambda client: write_record(client, record))

    def _counted(self, record: MailRecord) -> int:
        """How many messages all mailboxes have."""
        messages = 0

        async def add(client: ImapClient, _user: int) -> None:
            nonlocal messages
            found = await mailbox.count(client)
            messages += found  # added after the await, since other mailboxes are counted meanwhile

        self._workers.each(self._definition.mailboxes(record.scale), add)
        return messages

    def _empty(self, record: MailRecord, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        self._workers.each(
            self._definition.mailboxes(record.scale),
            lambda client, _user: mailbox.empty(client),
            doing="mailboxes emptied",
            report_progress=lambda step: report_progress(replace(step, share=0.0)),  # what takes long comes after it
            cancelled=cancelled,
        )

    async def _require_empty(self, client: ImapClient, user: int) -> None:
        """Refuse a mailbox with mail that is not Spindle's: users read, move and delete what they find."""
        found = await mailbox.found_in(client, INBOX)
        foreign = sum(each.identity is None for each in found)
        if foreign:
            raise UserError(
                f"The mailbox of {self._accounts.address(user)} holds {counted(foreign, 'message')} that Spindle did"
                " not store; give accounts that are for tests alone."
            )
        if found:
            await mailbox.empty(client)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
