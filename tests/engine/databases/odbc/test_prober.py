"""Asking a host again and again over ODBC: servers that answer, refuse, stand still or lose the connection."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from engine.databases.database import ProbeAnswer
from engine.databases.odbc import prober as prober_module
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.prober import OdbcProber
from engine.errors import ErrorClass
from engine.secrets import Secret
from engine.target.target import Host
from tests.doubles.proxy import SilentProxy
from tests.engine.databases.contract.probing import answer_of, error_of
from tests.engine.databases.odbc.conftest import Server

_SLOT_SECONDS = 0.1
_SOON_SECONDS = 60.0

Make = Callable[..., OdbcProber]
_numbers: dict[OdbcConnection, int] = {}


def ask(connection: OdbcConnection) -> ProbeAnswer:
    ((number,),) = connection.query("SELECT 1")
    return ProbeAnswer(takes_writes=int(number) == 1, server=str(_numbers.setdefault(connection, len(_numbers))))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine does not cost a prober its connection."""
    monkeypatch.setattr(prober_module, "LEAST_PATIENCE_SECONDS", 60.0)


@pytest.fixture
def prober_of() -> Iterator[Make]:
    """Makes probers that are closed after the test."""
    made: list[OdbcProber] = []

    def make(
        server: Server,
        host: Host | None = None,
        secret: Secret | None = None,
        probe: Callable[[OdbcConnection], ProbeAnswer] = ask,
    ) -> OdbcProber:
        made.append(OdbcProber(server.dialect, server.target, host or server.host, secret or server.secret, probe))
        return made[-1]

    yield make
    for prober in made:
        prober.close()


@pytest.mark.usefixtures("patient")
def test_probes_share_one_connection(server: Server, prober_of: Make) -> None:
    prober = prober_of(server)
    answers = {answer_of(prober) for _ in range(3)}
    assert len(answers) == 1
    assert answers.pop().takes_writes


def test_refusing_host_raises_at_once_and_is_probed_again(server: Server, refusing: Host, prober_of: Make) -> None:
    prober = prober_of(server, refusing)
    for _ in range(2):
        assert error_of(prober).error_class is ErrorClass.CONNECTION_LOST


def test_a_wrong_password_is_a_rejection(mariadb: Server, prober_of: Make) -> None:
    assert error_of(prober_of(mariadb, secret=Secret("wrong"))).error_class is ErrorClass.REJECTED


@pytest.mark.usefixtures("patient")
def test_ended_session_raises_and_is_replaced(mariadb: Server, prober_of: Make) -> None:
    sessions: list[int] = []

    def who(connection: OdbcConnection) -> ProbeAnswer:
        ((session,),) = connection.query("SELECT connection_id()")
        sessions.append(session)
        return ProbeAnswer(takes_writes=True, server=str(session))

    prober = prober_of(mariadb, probe=who)
    first = answer_of(prober)
    other = mariadb.open()
    other.query(f"KILL {sessions[0]}")
    other.close()
    assert error_of(prober).error_class is ErrorClass.CONNECTION_LOST
    assert answer_of(prober) != first


@pytest.mark.timeout(180)
@pytest.mark.parametrize("asked_before", [False, True])
def test_frozen_server_returns_none_in_time(
    mariadb: Server,
    prober_of: Make,
    frozen_mariadb: Callable[[], AbstractContextManager[None]],
    asked_before: bool,
) -> None:
    prober = prober_of(mariadb)
    if asked_before:
        answer_of(prober)
    with frozen_mariadb():
        assert [prober.probe(_SLOT_SECONDS) for _ in range(25)] == [None] * 25
    assert answer_of(prober).takes_writes


@pytest.mark.timeout(180)
def test_a_connection_that_the_network_swallowed_is_given_up(server: Server, prober_of: Make) -> None:
    with SilentProxy(server.host) as proxy:
        prober = prober_of(server, proxy.host)
        first = answer_of(prober)
        assert proxy.silence() >= 1
        assert prober.probe(_SLOT_SECONDS) is None
        assert answer_of(prober) != first  # by a new connection, which the proxy serves


@pytest.mark.usefixtures("patient")
def test_a_fault_of_our_own_is_raised(mariadb: Server, prober_of: Make) -> None:
    def wrong(connection: OdbcConnection) -> ProbeAnswer:
        raise LookupError("nothing there")

    with pytest.raises(LookupError):
        prober_of(mariadb, probe=wrong).probe(_SOON_SECONDS)


@pytest.mark.usefixtures("patient")
def test_late_answer_belongs_to_the_next_slot(mariadb: Server, prober_of: Make) -> None:
    is_over = threading.Event()

    def slow(connection: OdbcConnection) -> ProbeAnswer:
        assert is_over.wait(_SOON_SECONDS)
        return ask(connection)

    prober = prober_of(mariadb, probe=slow)
    assert prober.probe(0.01) is None
    is_over.set()
    answer = prober.probe(_SOON_SECONDS)
    assert answer is not None
    assert answer.takes_writes
