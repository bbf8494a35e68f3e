"""Asking a MariaDB host whether it commits writes: hosts that do, that are read-only, that follow, and that wait."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from engine.databases.database import ProbeAnswer, Prober
from engine.databases.mariadb.probing import HostProbe
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from tests.doubles.mariadb_pair import run_on, running_pair, value_on, wait_for_replica
from tests.doubles.mariadb_server import MariaDBServer, running_server
from tests.engine.databases.contract.places import Place
from tests.engine.databases.contract.probing import error_of
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.waiting import wait_until

_SLOT_SECONDS = 0.1
_SEVERAL_PATIENCES_SECONDS = 4.0
_STORE = "probed"
_WAITING = "SELECT count(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for semi-sync ACK%'"


@pytest.fixture
def probers() -> Iterator[list[Prober]]:
    """Probers that are put in are closed after the test."""
    made: list[Prober] = []
    yield made
    for prober in made:
        prober.close()


@pytest.fixture(scope="module")
def own_server() -> Iterator[MariaDBServer]:
    """A server that may be spoilt, with a store."""
    with running_server("--log-bin=binlog") as server:
        Place(MariaDBUnderTest(server), _STORE).build()
        yield server


def prober_of(dbms: MariaDBUnderTest, probers: list[Prober], database: str) -> Prober:
    target = dbms.target(database)
    probers.append(dbms.database.prober(target, target.hosts[0], dbms.secret))
    return probers[-1]


def answer_of(prober: Prober) -> ProbeAnswer:
    answers: list[ProbeAnswer] = []

    def has_answered() -> bool:
        try:
            answer = prober.probe(_SLOT_SECONDS)
        except TargetError as error:
            if not _is_out(error):
                raise
            return False
        if answer is not None:
            answers.append(answer)
        return bool(answers)

    wait_until(has_answered, "the host answers")
    return answers[0]


def test_repeated_probes_of_a_committing_server_succeed(
    dbms: MariaDBUnderTest, pristine: Place, probers: list[Prober]
) -> None:
    first, second = (prober_of(dbms, probers, pristine.name) for _ in range(2))
    answers = [answer_of(prober) for prober in (first, first, second)]
    assert all(answer.takes_writes for answer in answers)
    assert len({answer.server for answer in answers}) == 1


def test_a_probe_commits_and_leaves_the_store_as_it_was(own_server: MariaDBServer, probers: list[Prober]) -> None:
    place = Place(MariaDBUnderTest(own_server), _STORE)
    contents, store = place.contents(), place.run("SELECT * FROM spindle_store")
    position = value_on(own_server, "SELECT @@gtid_binlog_pos")

    assert answer_of(prober_of(place.dbms, probers, place.name)).takes_writes

    assert value_on(own_server, "SELECT @@gtid_binlog_pos") != position
    assert place.run("SELECT * FROM spindle_store") == store
    assert place.contents() == contents


def test_read_only_server_does_not_take_writes(own_server: MariaDBServer, probers: list[Prober]) -> None:
    prober = prober_of(MariaDBUnderTest(own_server), probers, _STORE)
    run_on(own_server, "SET GLOBAL read_only = ON")
    assert answer_of(prober).takes_writes is False
    run_on(own_server, "SET GLOBAL read_only = OFF")
    assert answer_of(prober).takes_writes


def test_servers_and_restarts_have_different_identities(
    dbms: MariaDBUnderTest, own_server: MariaDBServer, probers: list[Prober]
) -> None:
    prober = prober_of(MariaDBUnderTest(own_server), probers, _STORE)
    before = answer_of(prober).server
    assert answer_of(prober_of(dbms, probers, "information_schema")).server != before
    started = int(before.split()[-1])
    wait_until(lambda: int(value_on(own_server, "SELECT unix_timestamp()")) > started, "its clock goes on")

    own_server.restart()

    after = answer_of(prober).server
    assert after != before
    assert after.split()[:-1] == before.split()[:-1]


@pytest.mark.parametrize("rights", ["SELECT ON probed.*", "SELECT ON mysql.*"])
def test_without_store_or_rights_the_hosts_variables_decide(
    own_server: MariaDBServer, probers: list[Prober], rights: str
) -> None:
    run_on(
        own_server,
        "CREATE OR REPLACE USER onlooker IDENTIFIED BY 'looks'",
        f"GRANT {rights} TO onlooker",
    )
    database = rights.rpartition(" ")[2].removesuffix(".*")
    target = replace(own_server.target(database), user="onlooker")
    probers.append(MariaDBUnderTest(own_server).database.prober(target, target.hosts[0], Secret("looks")))
    assert answer_of(probers[0]).takes_writes


def test_ended_session_raises_and_is_replaced(own_server: MariaDBServer, probers: list[Prober]) -> None:
    dbms = MariaDBUnderTest(own_server)
    prober = prober_of(dbms, probers, _STORE)
    answer_of(prober)
    dbms.end_sessions(_STORE)
    assert error_of(prober).error_class is ErrorClass.CONNECTION_LOST
    assert answer_of(prober).takes_writes


def test_frozen_server_returns_none_in_time(own_server: MariaDBServer, probers: list[Prober]) -> None:
    prober = prober_of(MariaDBUnderTest(own_server), probers, _STORE)
    answer_of(prober)
    own_server.freeze()
    try:
        assert [asked_in_vain(prober) for _ in range(15)] == [True] * 15
    finally:
        own_server.thaw()
    assert answer_of(prober).takes_writes


def asked_in_vain(prober: Prober) -> bool:
    """Whether one question had no answer, or only that there is no connection."""
    try:
        return prober.probe(_SLOT_SECONDS) is None
    except TargetError as error:
        return _is_out(error)


def _is_out(error: TargetError) -> bool:
    return error.error_class in (ErrorClass.CONNECTION_LOST, ErrorClass.TIMEOUT)


def test_a_commit_that_waits_for_a_replica_is_no_answer_and_leaves_few_sessions_waiting(
    own_server: MariaDBServer, probers: list[Prober]
) -> None:
    prober = prober_of(MariaDBUnderTest(own_server), probers, _STORE)
    answer_of(prober)
    wait_for_replica(own_server, is_on=True)
    try:
        until = time.monotonic() + _SEVERAL_PATIENCES_SECONDS
        while time.monotonic() < until:
            assert asked_in_vain(prober)
        wait_until(lambda: not asked_in_vain(prober) or value_on(own_server, _WAITING) != "0", "a commit waits")
        assert 1 <= int(value_on(own_server, _WAITING)) <= 3
    finally:
        wait_for_replica(own_server, is_on=False)
    assert answer_of(prober).takes_writes


def test_nothing_is_committed_on_a_server_that_follows_another(probers: list[Prober]) -> None:
    with running_pair() as (primary, replica):
        place = Place(MariaDBUnderTest(primary), _STORE)
        place.build()
        built = value_on(primary, "SELECT @@gtid_binlog_pos")
        wait_until(lambda: value_on(replica, "SELECT @@gtid_slave_pos") == built, "the replica has it all")
        run_on(replica, "SET GLOBAL read_only = OFF")
        prober = prober_of(MariaDBUnderTest(replica), probers, _STORE)

        assert answer_of(prober).takes_writes
        assert value_on(replica, "SELECT @@gtid_binlog_pos") == ""

        run_on(replica, "STOP SLAVE")
        assert answer_of(prober).takes_writes
        assert value_on(replica, "SELECT @@gtid_binlog_pos") != ""


class ScriptedConnection:
    """What no server here is: a MySQL server, or a node of a Galera cluster. Answers by the words of the question."""

    def __init__(self, **answers: list[tuple[Any, ...]] | TargetError) -> None:
        self._answers = answers
        self.executed: list[str] = []

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        if statement.startswith(("UPDATE", "SET")):
            self.executed.append(statement)
            return []
        answer = next(answer for words, answer in self._answers.items() if words in statement)
        if isinstance(answer, TargetError):
            raise answer
        return answer

    def close(self) -> None:
        pass


def asked(variables: dict[str, str], status: dict[str, str], **answers: Any) -> tuple[ProbeAnswer, bool]:
    """The answer, and whether a commit was asked for."""
    connection = ScriptedConnection(
        VARIABLES=[*({"hostname": "db1", "port": "3306", "read_only": "OFF"} | variables).items()],
        STATUS=[*status.items()],
        unix_timestamp=[(1_700_000_000.0,)],
        **answers,
    )
    answer = HostProbe()(cast(OdbcConnection, connection))
    return answer, any("UPDATE spindle_probe" in statement for statement in connection.executed)


@pytest.mark.parametrize(
    ("variables", "status", "takes_writes"),
    [
        ({"super_read_only": "ON"}, {}, False),
        ({"innodb_read_only": "ON"}, {}, False),
        ({"read_only": "NO_LOCK"}, {}, False),
        ({"wsrep_on": "ON"}, {"wsrep_ready": "OFF"}, False),
        ({"wsrep_on": "ON"}, {"wsrep_ready": "ON"}, True),
        ({"wsrep_on": "OFF"}, {"wsrep_ready": "OFF"}, True),
    ],
)
def test_takes_writes_follows_the_hosts_variables(
    variables: dict[str, str], status: dict[str, str], takes_writes: bool
) -> None:
    answer, has_committed = asked(variables, status)
    assert answer.takes_writes is takes_writes
    assert has_committed is takes_writes


@pytest.mark.parametrize(
    ("channels", "commits"),
    [
        ([(0,)], True),
        ([(1,)], False),
        (TargetError(ErrorClass.OTHER, "SELECT command denied", code="1142"), True),
        (TargetError(ErrorClass.OTHER, "Unknown table in information_schema", code="1109"), True),
    ],
)
def test_mysql_replica_is_not_made_to_commit(channels: Any, commits: bool) -> None:
    answer, has_committed = asked({"server_uuid": "4b1e"}, {}, replication_connection_status=channels)
    assert answer == ProbeAnswer(takes_writes=True, server="4b1e db1:3306 1700000000")
    assert has_committed is commits
