"""The lease of the mailboxes on a Dovecot: the contract of all leases, and who is first where many come at once."""

import imaplib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from engine.conduct.leasing import StoreLease, holder_of
from engine.databases.database import Timeouts
from engine.databases.progress import Progress
from engine.errors import UserError
from engine.secrets import Secret
from engine.services.mail.lease import LEASE_FOLDER
from engine.services.mail.store import MailStore
from engine.target.target import Target
from engine.workload.registry import MAIL
from engine.workloads.bindings import store_of
from tests.dovecot import DOMAIN, PASSWORD, Dovecot, dovecot
from tests.engine.databases.contract.holding import JOIN_SECONDS, HoldingContract, Lessee
from tests.engine.databases.contract.places import never, silent
from tests.waiting import wait_until

pytestmark = pytest.mark.slow
_MANY = 8


class Mailboxes:
    """Two mailboxes on a server; implements ``LeasedPlace``."""

    name = DOMAIN
    lease_seconds = 6.0  # the times of messages are in whole seconds

    def __init__(self, server: Dovecot) -> None:
        self.server = server

    @property
    def opener(self) -> Callable[[], MailStore]:
        return partial(_store_at, self.server.target, self.server.secret)

    @property
    def store(self) -> MailStore:
        return self.opener()

    def build(self, report_progress: Callable[[Progress], None] = silent, lease: StoreLease | None = None) -> None:
        given = {} if lease is None else {"lease": lease}
        self.store.build("2x0.02MB", 1, replace=True, report_progress=report_progress, cancelled=never, **given)

    def failed_checks(self) -> set[str]:
        return {check.what for check in self.store.verify(report_progress=silent, cancelled=never) if not check.ok}

    def reset(self) -> None:
        self.store.reset(report_progress=silent, cancelled=never)

    def leases(self) -> int | None:
        """How many messages the lease's folder has; ``None`` without that folder."""
        with imaplib.IMAP4("127.0.0.1", self.server.imap_port) as other:
            other.login(f"user1@{DOMAIN}", PASSWORD)
            said, count = other.select(f'"{LEASE_FOLDER}"')
            return int(count[0] or b"") if said == "OK" else None


def _store_at(target: Target, secret: Secret) -> MailStore:
    return MailStore(target, secret, Timeouts(), store_of(MAIL, "mail"))


@pytest.fixture(scope="module")
def built() -> Iterator[Mailboxes]:
    with dovecot(2) as server:
        mailboxes = Mailboxes(server)
        mailboxes.build()
        yield mailboxes


@pytest.fixture
def place(built: Mailboxes) -> Iterator[Mailboxes]:
    """The mailboxes; the next test finds no message of a lease that this one took."""
    yield built
    with imaplib.IMAP4("127.0.0.1", built.server.imap_port) as other:
        other.login(f"user1@{DOMAIN}", PASSWORD)
        other.delete(f'"{LEASE_FOLDER}"')


class TestMailLease(HoldingContract):
    """What holds of every lease."""


@pytest.fixture
def lasting(place: Mailboxes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases do not run out in a test that is not about it, however late a heartbeat is."""
    monkeypatch.setattr(place, "lease_seconds", 300.0)


@pytest.mark.usefixtures("lasting")
def test_one_of_many_concurrent_claims_is_the_holder(place: Mailboxes) -> None:
    lessees = [Lessee(place, f"run {number}") for number in range(_MANY)]
    together = threading.Barrier(_MANY)

    def took(lessee: Lessee) -> bool:
        together.wait(JOIN_SECONDS)
        with suppress(UserError):
            lessee.lease.take()
        return lessee.lease.is_held

    with ThreadPoolExecutor(_MANY) as pool:
        for _ in range(3):
            holding = [lessee for lessee, is_held in zip(lessees, pool.map(took, lessees), strict=True) if is_held]
            assert len(holding) == 1
            assert holding[0].holds(place)
            holding[0].lease.release()
            assert holder_of(place.store) is None
    assert place.leases() == 0
    assert not any(lessee.said or lessee.touched for lessee in lessees)


@pytest.mark.usefixtures("lasting")
def test_a_lease_outlives_its_server(place: Mailboxes) -> None:
    lessee = Lessee(place)
    lessee.lease.take()
    place.server.kill()
    place.server.start()

    def is_kept() -> bool:
        holder = holder_of(place.store)
        return holder is not None and holder.silent_seconds < 1

    wait_until(is_kept, "a heartbeat has reached the server that has come back")
    assert lessee.holds(place)
    assert lessee.touched == []
    lessee.lease.release()


def test_a_frozen_server_does_not_block_the_lease(place: Mailboxes, monkeypatch: pytest.MonkeyPatch) -> None:
    lessee = Lessee(place)
    lessee.lease.take()
    monkeypatch.setattr("engine.services.mail.lease._CALLS_SECONDS", 0.5)
    place.server.freeze()
    try:
        lessee.lease.release()  # the server does not hear of it
        wait_until(lambda: "lease" not in {thread.name for thread in threading.enumerate()}, "its thread has ended")
    finally:
        place.server.thaw()


def test_a_build_leases_the_mailboxes_and_a_drop_removes_the_lease(
    place: Mailboxes,
) -> None:
    first, second, dropping = (Lessee(place, purpose) for purpose in ("build", "build", "drop"))
    place.store.drop()
    assert place.leases() is None
    first.lease.take_if_there()
    assert not first.lease.is_held
    reached, refused = threading.Event(), threading.Event()

    def report_progress(_: Progress) -> None:
        reached.set()
        assert refused.wait(JOIN_SECONDS)

    with ThreadPoolExecutor(1) as background:
        building = background.submit(place.build, report_progress, first.lease)
        assert reached.wait(JOIN_SECONDS)
        with pytest.raises(UserError, match=r"is in use since .*\(build, "):
            place.build(lease=second.lease)
        refused.set()
        building.result(JOIN_SECONDS)
    assert first.holds(place)
    first.lease.release()
    dropping.lease.take_if_there()
    place.store.drop(lease=dropping.lease)
    assert place.leases() is None
    place.build()
