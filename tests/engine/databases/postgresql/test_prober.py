"""Asking a host whether it commits writes: on servers that answer, refuse, stand still or wait for a standby."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.databases.database import Prober
from engine.databases.postgresql import PostgreSQL
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.frozen import frozen
from tests.doubles.proxy import SilentProxy
from tests.engine.databases.contract.places import Place
from tests.engine.databases.contract.probing import answer_of, error_of
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest, server_of_its_own
from tests.waiting import wait_until

_SLOT_SECONDS = 0.1
_SOON_SECONDS = 60.0
_SEVERAL_PATIENCES_SECONDS = 4.0
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'"


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgreSQLUnderTest]:
    """A server that may be spoilt."""
    with server_of_its_own() as server:
        yield server


@pytest.fixture
def lonely(own_server: PostgreSQLUnderTest) -> Iterator[PostgreSQLUnderTest]:
    """A server whose commits wait for a standby that there is not."""
    _wait_for_standby(own_server, "nobody")
    yield own_server
    _wait_for_standby(own_server, "")


def _wait_for_standby(dbms: PostgreSQLUnderTest, name: str) -> None:
    dbms.run("postgres", f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
    dbms.run("postgres", "SELECT pg_reload_conf()")
    wait_until(lambda: dbms.run("postgres", "SHOW synchronous_standby_names") == [(name,)], "the setting holds")
    dbms.run("postgres", "CHECKPOINT")  # commits wait from when the checkpointer, too, has read the setting


@pytest.fixture
def probers() -> Iterator[list[Prober]]:
    """Probers that are put in are closed after the test."""
    made: list[Prober] = []
    yield made
    for prober in made:
        prober.close()


def prober_of(dbms: PostgreSQLUnderTest, probers: list[Prober], host: Host | None = None) -> Prober:
    target = dbms.target("postgres")
    probers.append(PostgreSQL().prober(target, host or target.hosts[0], dbms.secret))
    return probers[-1]


def test_repeated_probes_of_a_committing_server_succeed(dbms: PostgreSQLUnderTest, probers: list[Prober]) -> None:
    first, second = (
        prober_of(dbms, probers),
        prober_of(dbms, probers, Host("localhost", dbms.target("x").hosts[0].port)),
    )
    answers = [answer_of(prober) for prober in (first, first, second)]
    assert all(answer.takes_writes for answer in answers)
    assert len({answer.server for answer in answers}) == 1


def test_a_probe_touches_no_table(place: Place, probers: list[Prober]) -> None:
    before = place.contents()
    target = place.target
    probers.append(PostgreSQL().prober(target, target.hosts[0], place.dbms.secret))
    assert answer_of(probers[0]).takes_writes
    assert place.contents() == before
    state = place.store.state()
    assert state is not None
    assert state.is_pristine


def test_read_only_server_does_not_take_writes(own_server: PostgreSQLUnderTest, probers: list[Prober]) -> None:
    own_server.run("postgres", "CREATE ROLE reader LOGIN PASSWORD 'reads'")
    own_server.run("postgres", "ALTER ROLE reader SET default_transaction_read_only = on")
    target = replace(own_server.target("postgres"), user="reader")
    probers.append(PostgreSQL().prober(target, target.hosts[0], Secret("reads")))
    assert answer_of(probers[0]).takes_writes is False


def test_two_servers_have_different_identities(
    dbms: PostgreSQLUnderTest, own_server: PostgreSQLUnderTest, probers: list[Prober]
) -> None:
    assert answer_of(prober_of(dbms, probers)).server != answer_of(prober_of(own_server, probers)).server


def test_refusing_host_raises_at_once_and_is_probed_again(
    dbms: PostgreSQLUnderTest, refusing: Host, probers: list[Prober]
) -> None:
    prober = prober_of(dbms, probers, refusing)
    for _ in range(2):
        assert error_of(prober).error_class is ErrorClass.CONNECTION_LOST


def test_a_wrong_password_is_a_rejection(dbms: PostgreSQLUnderTest, probers: list[Prober]) -> None:
    target = dbms.target("postgres")
    probers.append(PostgreSQL().prober(target, target.hosts[0], Secret("wrong")))
    assert error_of(probers[0]).error_class is ErrorClass.REJECTED


def test_ended_session_raises_and_is_replaced(own_server: PostgreSQLUnderTest, probers: list[Prober]) -> None:
    prober = prober_of(own_server, probers)
    answer_of(prober)
    own_server.run(
        "postgres",
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE application_name = 'spindle' AND backend_type = 'client backend'",
    )
    assert error_of(prober).error_class is ErrorClass.CONNECTION_LOST
    assert answer_of(prober).takes_writes


@pytest.mark.parametrize("asked_before", [False, True])
def test_frozen_server_returns_none_in_time(
    own_server: PostgreSQLUnderTest, probers: list[Prober], asked_before: bool
) -> None:
    prober = prober_of(own_server, probers)
    if asked_before:
        answer_of(prober)
    with own_server.connection("postgres") as connection, frozen(connection):
        assert [prober.probe(_SLOT_SECONDS) for _ in range(15)] == [None] * 15
    assert answer_of(prober).takes_writes


def test_a_connection_that_the_network_swallowed_is_given_up(
    own_server: PostgreSQLUnderTest, probers: list[Prober]
) -> None:
    with SilentProxy(own_server.target("postgres").hosts[0]) as proxy:
        prober = prober_of(own_server, probers, proxy.host)
        answer_of(prober)
        assert proxy.silence() >= 1
        assert prober.probe(_SLOT_SECONDS) is None
        assert answer_of(prober).takes_writes  # by a new connection, which the proxy serves


def test_a_commit_that_waits_for_a_standby_is_no_answer_and_leaves_few_sessions_waiting(
    lonely: PostgreSQLUnderTest, probers: list[Prober]
) -> None:
    prober = prober_of(lonely, probers)
    until = time.monotonic() + _SEVERAL_PATIENCES_SECONDS
    while time.monotonic() < until:
        assert prober.probe(_SLOT_SECONDS) is None
    wait_until(lambda: prober.probe(_SLOT_SECONDS) or lonely.run("postgres", _WAITING) != [(0,)], "a commit waits")
    ((waiting,),) = lonely.run("postgres", _WAITING)
    assert 1 <= waiting <= 3
    _wait_for_standby(lonely, "")
    assert answer_of(prober).takes_writes


def test_a_purchase_whose_wait_for_the_standby_was_cancelled_is_in_doubt(own_server: PostgreSQLUnderTest) -> None:
    place = Place(own_server, "contract_lonely")
    place.build(DbSize(1, "MB"))
    session = place.open()
    caught: list[TargetError] = []

    def buy() -> None:
        try:
            session.purchase(1, [(1, 1)], net=999, tax=82, total=1081)
        except TargetError as error:
            caught.append(error)

    _wait_for_standby(own_server, "nobody")
    try:
        buyer = threading.Thread(target=buy)
        buyer.start()
        wait_until(lambda: own_server.run("postgres", _WAITING) == [(1,)], "the purchase waits for the standby")
        own_server.run("postgres", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        buyer.join(_SOON_SECONDS)
    finally:
        _wait_for_standby(own_server, "")

    (error,) = caught
    assert "canceling wait for synchronous replication" in str(error)
    assert not error.usable
    assert not error.undone
    assert place.value("SELECT count(*) FROM orders WHERE customerid = 1 AND netamount = 9.99") == 1
    place.close()
