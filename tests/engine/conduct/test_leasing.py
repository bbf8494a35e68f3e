"""Keeping a lease alive where the server is in trouble, or has no right to give: on the session's embedded server."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from engine.conduct.leasing import Leases, StoreLease, holder_of, place_of, taken
from engine.databases.database import Store, Timeouts
from engine.databases.lease import HEARTBEAT_SECONDS, LEASE_SECONDS, Claim
from engine.errors import TargetError
from engine.secrets import Secret
from engine.target.target import EMBEDDED, Host, Target
from tests.doubles.frozen import frozen
from tests.engine.conftest import BuiltStore
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.waiting import wait_until

_ROLE = "lease_reader"
_SECRET = Secret("of the reader")
_BOUND_SECONDS = 20.0


@pytest.fixture
def leased(build_store: Callable[[str], BuiltStore]) -> Iterator[BuiltStore]:
    """A store of its own, whose lease is gone after the test."""
    store = build_store("leased")
    yield store
    with store.connect() as connection:
        connection.execute("DROP TABLE IF EXISTS spindle_lease")


@pytest.fixture
def reader(leased: BuiltStore) -> Iterator[Store]:
    """The same store for a user who may look at it, and make nothing."""
    with leased.connect() as connection:
        connection.execute(f"CREATE ROLE {_ROLE} LOGIN PASSWORD '{_SECRET.reveal()}'")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {_ROLE}")
    target = replace(leased.target, user=_ROLE)
    yield store_at(target, _SECRET, Timeouts())
    with leased.connect() as connection:
        connection.execute(f"DROP OWNED BY {_ROLE}")
        connection.execute(f"DROP ROLE {_ROLE}")


def _claim(purpose: str = "run", lasts_seconds: float = LEASE_SECONDS, heartbeat_seconds: float = 0.1) -> Claim:
    return Claim(purpose=purpose, program="tests", lasts_seconds=lasts_seconds, heartbeat_seconds=heartbeat_seconds)


def _watched(store: Store, claim: Claim, touched: list[str]) -> StoreLease:
    """A lease that notes what others do to the store."""
    return StoreLease(store, claim, "the store", notify=print, on_conflict=lambda touch: touched.append(touch.text))


def test_claim_names_its_holder() -> None:
    claim, other = Claim(purpose="run", program="command line"), Claim(purpose="run", program="command line")
    assert claim.user_name
    assert claim.host_name
    assert claim.process_id > 0
    assert claim.token != other.token
    assert claim.heartbeat_seconds == HEARTBEAT_SECONDS < LEASE_SECONDS == claim.lasts_seconds


def test_a_store_is_named_by_its_database_and_its_hosts() -> None:
    hosts = (Host("db1.lab", 5432), Host("db2.lab", 5432))
    assert place_of(Target(kind="postgresql", hosts=hosts)) == "database 'ds2' on db1.lab, db2.lab"
    assert place_of(Target(kind=EMBEDDED)) == "database 'ds2' on the embedded server"


def test_frozen_server_does_not_block_the_lease(leased: BuiltStore, monkeypatch: pytest.MonkeyPatch) -> None:
    touched: list[str] = []
    claim, store, opened = _claim(), leased.store, []
    open_lease = store.open_lease
    monkeypatch.setattr(store, "open_lease", lambda: (opened.append(1), open_lease())[1])
    lease = _watched(store, claim, touched)
    lease.take()
    monkeypatch.setattr("engine.databases.lease._CALLS_SECONDS", 0.5)
    with leased.connect() as connection:
        with frozen(connection):
            wait_until(lambda: len(opened) > 1, "the connection that hung was cut, and another one is tried")
        wait_until(lambda: _is_fresh(leased, claim), "the lease is renewed", timeout_seconds=_BOUND_SECONDS)
        with frozen(connection):
            began = time.monotonic()
            lease.release()
            assert time.monotonic() - began < _BOUND_SECONDS
    wait_until(lambda: not _threads("lease"), "the lease's thread has ended", timeout_seconds=_BOUND_SECONDS)
    assert touched == []


def test_leases_on_a_frozen_server_are_released_in_parallel(
    leased: BuiltStore, build_store: Callable[[str], BuiltStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.conduct.leasing._JOIN_SECONDS", 4.0)
    stores = [leased, *(build_store(f"leased_{number}") for number in range(4))]
    leases = Leases([StoreLease(store.store, _claim(), "a store", notify=print) for store in stores])
    leases.take()
    with leased.connect() as connection, frozen(connection):
        began = time.monotonic()
        leases.release()
        assert time.monotonic() - began < 16.0  # one after the other it would be twenty seconds
    wait_until(lambda: not _threads("lease"), "their threads have ended", timeout_seconds=_BOUND_SECONDS)


def test_missing_right_to_create_a_table_skips_the_lease(reader: Store) -> None:
    said: list[str] = []
    lease = StoreLease(reader, _claim(), "Database 'leased' on db1", notify=said.append)
    with taken(Leases([lease])):
        assert not lease.is_held
        lease.take()
    assert len(said) == 1
    assert said[0].startswith("Database 'leased' on db1 can't be marked as in use (permission denied for schema public")
    assert holder_of(reader) is None


def test_read_only_account_sees_no_wrong_holder(leased: BuiltStore, reader: Store) -> None:
    said: list[str] = []
    lease = StoreLease(leased.store, _claim("run 'a'"), "the store", notify=said.append)
    with taken(Leases([lease])):
        other = StoreLease(reader, _claim(), "the store", notify=said.append)
        other.take()
        assert not other.is_held
    assert "permission denied for table spindle_lease" in said[0]


def test_a_server_that_can_not_be_reached_is_an_error_before_the_work(leased: BuiltStore) -> None:
    target = replace(leased.target, hosts=(Host("127.0.0.1", 1),))
    nowhere = store_at(target, leased.secret, Timeouts())
    there = StoreLease(leased.store, _claim(), "the store", notify=print)
    with pytest.raises(TargetError, match="refused the connection"):
        Leases([there, StoreLease(nowhere, _claim(), "the other", notify=print)]).take()
    assert not there.is_held
    assert holder_of(leased.store) is None
    assert holder_of(nowhere) is None


def test_lease_taken_and_released_meanwhile_is_reported(leased: BuiltStore) -> None:
    touched: list[str] = []
    lease = StoreLease(
        leased.store,
        _claim(heartbeat_seconds=1.0),
        "the store",
        notify=print,
        on_conflict=lambda touch: touched.append(touch.text),
    )
    lease.take()
    with leased.connect() as connection:
        connection.execute("UPDATE spindle_lease SET token = '', generation = generation + 1")
    wait_until(lambda: bool(touched), "it was noticed")
    assert touched == ["the store was held by others for a while"]
    lease.release()


def test_lease_lost_in_a_failover_is_taken_again_silently(leased: BuiltStore) -> None:
    touched: list[str] = []
    claim = _claim()
    with leased.connect() as connection:
        for _ in range(2):
            with taken(Leases([StoreLease(leased.store, _claim(), "the store", notify=print)])):
                pass
        lease = _watched(leased.store, claim, touched)
        lease.take()
        connection.execute("UPDATE spindle_lease SET token = '', generation = 1")
    wait_until(lambda: _is_fresh(leased, claim), "the lease is ours again")
    lease.release()
    assert touched == []


def test_dropped_store_is_detected(build_store: Callable[[str], BuiltStore]) -> None:
    store = build_store("leased_and_gone")
    state = store.store.state()
    assert state is not None
    touched: list[str] = []
    lease = _watched(store.store, _claim(), touched)
    lease.take()
    lease.watch(state.as_built_at)
    with store.connect() as connection:
        connection.execute("UPDATE spindle_store SET state = 'building'")
    wait_until(lambda: bool(touched), "it was noticed")
    assert touched == ["the store holds no complete store any more"]
    store.store.drop(lease=lease)
    assert len(touched) == 1


def _is_fresh(store: BuiltStore, claim: Claim) -> bool:
    holder = holder_of(store.store)
    return holder is not None and holder.token == claim.token and holder.silent_seconds < 1


def _threads(name: str) -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == name}
