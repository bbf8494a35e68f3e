"""Takes the leases of stores and keeps them alive, so that nobody resets or replaces a store that is in use.

All work on a store takes its lease first; a run takes those of all its stores or none. Each lease has a thread that
renews it; errors of that thread never affect the work. The lease itself is in ``engine.databases.lease``.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine.databases.database import Store
from engine.databases.lease import Claim, LeaseHolder, OpenLease
from engine.errors import ErrorClass, TargetError, UserError
from engine.figure_text import capitalised
from engine.target.kinds import STORAGE, kind_facts
from engine.target.target import Target
from engine.telemetry.event import EventCode

_TAKE_SECONDS = 20.0
_RETRY_SECONDS = 1.0
_JOIN_SECONDS = 8.0  # longer than any call on the lease's connection may take
_log = logging.getLogger(__name__)

Notify = Callable[[str], None]


@dataclass(frozen=True)
class LeaseConflict:
    """What others did to a leased store.

    ``code`` and ``place`` say what happened to which store, ``text`` says the same as a clause for the user. ``who``
    did it is empty if unknown.
    """

    code: EventCode
    place: str
    text: str
    who: str = ""


OnConflict = Callable[[LeaseConflict], None]


def _ignore(_conflict: LeaseConflict) -> None:
    """The default, for work without figures that a conflict could distort."""


class _Ending:
    """The request to the thread of a lease to end, and whether it releases the lease then."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.releases = False


class StoreLease:
    """The lease of one store for one claim; implements ``engine.databases.lease.HeldLease``.

    ``where`` names the store in sentences: ``database 'ds2' on db1.lab``. ``notify`` gets what the user should know,
    and ``on_conflict``, on the lease's thread, what others did to the store although it was leased. ``breaks`` takes
    the lease over from a holder who is alive.
    """

    def __init__(
        self,
        store: Store,
        claim: Claim,
        where: str,
        *,
        notify: Notify,
        on_conflict: OnConflict = _ignore,
        breaks: bool = False,
    ) -> None:
        self._store = store
        self._claim = claim
        self._where = where
        self._notify = notify
        self._on_conflict = on_conflict
        self._breaks = breaks
        self._generation = 0
        self._built_at: str | None = None
        self._lost_to = ""
        self._is_impossible = False
        self._ending = _Ending()
        self._thread: threading.Thread | None = None

    @property
    def is_held(self) -> bool:
        """Whether the lease was taken; false where there is no store yet, or no right to keep a lease in it."""
        return self._thread is not None

    @property
    def _subject(self) -> str:
        return capitalised(self._where)

    def take_if_there(self) -> None:
        """Take the lease if there is a store; without one there is nothing to lease yet.

        Raises ``UserError`` if somebody else holds it, ``TargetError`` if the server can't be reached.
        """
        self._take(makes_table=False)

    def take(self) -> None:
        """Take the lease, also of a store that is still to be built."""
        self._take(makes_table=True)

    def watch(self, built_at: str) -> None:
        """From now on, report a conflict if the store is no longer the one built or reset at this moment."""
        self._built_at = built_at

    def rest(self) -> None:
        """Stop the heartbeat and close the connection, without releasing the lease; it stays until it expires."""
        _join(self.ending(releases=False))

    def release(self) -> None:
        """Release the lease; if the server can't be reached, it expires by itself. May be called more than once."""
        _join(self.ending(releases=True))

    def ending(self, *, releases: bool) -> list[threading.Thread]:
        """Ask the lease's thread to end, after releasing the lease if ``releases``; returns the thread, if any."""
        thread, self._thread = self._thread, None
        if thread is None:
            return []
        self._ending.releases = releases
        self._ending.asked.set()
        return [thread]

    def _take(self, *, makes_table: bool) -> None:
        if self.is_held or self._is_impossible:
            return
        table = self._opened()
        if table is None:
            return
        try:
            with table.in_time(_TAKE_SECONDS):
                is_taken = self._taken(table, makes_table=makes_table)
        except BaseException:
            table.close()
            raise
        if not is_taken:
            table.close()
            return
        self._ending = _Ending()
        self._thread = threading.Thread(target=self._keep, args=(table, self._ending), name="lease", daemon=True)
        self._thread.start()

    def _opened(self) -> OpenLease | None:
        try:
            return self._store.open_lease()
        except TargetError as error:
            if error.error_class is ErrorClass.MISSING_DATABASE:
                return None
            raise

    def _taken(self, table: OpenLease, *, makes_table: bool) -> bool:
        """Whether the lease is ours now; false without a store, and, with a notification, if no lease is possible."""
        try:
            has_store, has_table = table.found()
            if not has_table:
                if not (has_store or makes_table):
                    return False
                table.make()
            seen = table.read()
            self._refuse(seen)
            now = table.take(self._claim, seen, breaks=self._breaks)
        except TargetError as error:
            if not (error.usable or error.undone):
                raise  # a lost connection, not a missing privilege
            self._is_impossible = True
            reason = error.cause.rstrip(".")
            self._notify(f"{self._subject} can't be marked as in use ({reason}); others are not kept from using it.")
            return False
        if now.token != self._claim.token:
            raise self._in_use(now)
        self._generation = now.generation
        return True

    def _refuse(self, seen: LeaseHolder) -> None:
        """Raise ``UserError`` for a live holder, unless its lease is to be broken; notify the user of a takeover."""
        if not seen.token or seen.token == self._claim.token:
            return
        if not seen.is_alive:
            self._notify(f"{self._subject} was in use by {seen.description}, {seen.end}; its lease was taken over.")
        elif self._breaks:
            self._notify(f"{self._subject} was in use by {seen.description}; that lease was broken.")
        else:
            raise self._in_use(seen)

    def _in_use(self, holder: LeaseHolder) -> UserError:
        claim = self._claim
        is_us = (holder.host_name, holder.process_id) == (claim.host_name, claim.process_id)
        since = f"{self._subject} is in use since {holder.since_text} by"
        if is_us:
            return UserError(f"{since} this {holder.program} ({holder.purpose}); wait until that ends, or stop it.")
        return UserError(
            f"{since} {holder.description}. Wait until that ends, or stop it there; if it was killed, the store is free"
            f" {holder.lasts_seconds:.0f} s later."
        )

    def _keep(self, table: OpenLease, ending: _Ending) -> None:
        """The thread's main function, with the lease's connection: heartbeats, then the release if requested."""
        kept: OpenLease | None = table
        pause = self._claim.heartbeat_seconds
        while not ending.asked.wait(pause):
            kept = self._attempt(kept, self._beat)
            pause = self._claim.heartbeat_seconds if kept is not None else min(_RETRY_SECONDS, pause)
        if ending.releases:
            kept = self._attempt(kept, lambda table: table.release(self._claim.token))
        if kept is not None:
            kept.close()

    def _attempt(self, table: OpenLease | None, work: Callable[[OpenLease], None]) -> OpenLease | None:
        """Do it over the connection, or a new one; returns the connection, or ``None`` if it is not usable any more."""
        try:
            table = table or self._store.open_lease()
            assert table is not None, "its lease was taken"
            with table.in_time():
                work(table)
        except Exception as error:
            level = logging.INFO if isinstance(error, TargetError | UserError) else logging.ERROR
            _log.log(level, "the lease of %s was not kept alive", self._where, exc_info=error)
            if table is not None:
                table.close()
            return None
        return table

    def _beat(self, table: OpenLease) -> None:
        has_store, has_table = table.found()
        if has_store and not has_table:
            table.make()
        if has_store or has_table:
            now = table.beat(self._claim)
            if now.token != self._claim.token:
                self._take_again(table, now)
        self._check_store(table, has_store=has_store)

    def _take_again(self, table: OpenLease, seen: LeaseHolder) -> None:
        """The lease is not ours any more: it was taken over, or reverted by a failover or a restore."""
        if seen.is_alive:
            if seen.token != self._lost_to:
                self._lost_to = seen.token
                taken = f"the lease of {self._where} was taken by others ({seen.purpose})"
                self._on_conflict(LeaseConflict(EventCode.STORE_LEASE_TAKEN, self._where, taken, seen.description))
            return
        if seen.generation > self._generation and not self._lost_to:
            held = f"{self._where} was held by others for a while"
            self._on_conflict(LeaseConflict(EventCode.STORE_HELD_BY_OTHERS, self._where, held))
        self._lost_to = ""
        self._generation = table.take(self._claim, seen).generation

    def _check_store(self, table: OpenLease, *, has_store: bool) -> None:
        if self._built_at is None:
            return
        identity = table.identity() if has_store else None
        built_at = identity[0] if identity is not None else ""
        if built_at != self._built_at:
            self._built_at = built_at
            self._on_conflict((store_rebuilt if built_at else store_removed)(self._where))


class Leases:
    """The leases of several stores, taken together or not at all."""

    def __init__(self, leases: Sequence[StoreLease]) -> None:
        self._leases = leases

    def take(self) -> None:
        """Take the leases of all existing stores; if ``StoreLease.take_if_there`` raises, none is held afterwards."""
        try:
            for lease in self._leases:
                lease.take_if_there()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Release all of them concurrently. May be called more than once."""
        _join([thread for lease in self._leases for thread in lease.ending(releases=True)])


def _join(threads: Sequence[threading.Thread]) -> None:
    """Wait for some seconds in total; a thread that hangs in a call ends by itself when its connection is cut."""
    until = time.monotonic() + _JOIN_SECONDS
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))


def place_of(planned: Target) -> str:
    """A store as sentences name it: ``database 'ds2' on db1.lab``."""
    if planned.kind == STORAGE:
        return f"file {planned.database} on {planned.storage.machine or 'this machine'}"
    hosts = ", ".join(dict.fromkeys(host.name for host in planned.hosts))
    return f"{kind_facts(planned.kind).subject.holder} '{planned.database}' on {hosts or 'the embedded server'}"


def store_rebuilt(place: str) -> LeaseConflict:
    return LeaseConflict(EventCode.STORE_REBUILT, place, f"{place} was reset or replaced by others")


def store_removed(place: str) -> LeaseConflict:
    return LeaseConflict(EventCode.STORE_REMOVED, place, f"{place} holds no complete store any more")


def holder_of(store: Store) -> LeaseHolder | None:
    """The present holder of a store's lease; ``None`` if there is none, or it can't be determined."""
    try:
        table = store.open_lease()
    except (TargetError, UserError):
        return None
    if table is None:
        return None
    try:
        with table.in_time():
            _, has_table = table.found()
            holder = table.read() if has_table else None
    except TargetError:
        return None
    finally:
        table.close()
    return holder if holder is not None and holder.is_alive else None


@contextmanager
def taken(leases: Leases) -> Iterator[None]:
    """Hold the leases within the block."""
    leases.take()
    try:
        yield
    finally:
        leases.release()
