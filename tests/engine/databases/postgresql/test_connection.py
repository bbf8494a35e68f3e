import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from engine.databases.database import ProbeAnswer, Timeouts
from engine.databases.postgresql.connection import connect_any, conninfo
from engine.databases.postgresql.prober import PostgreSQLProber
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at
from tests.labs import running_lab
from tests.waiting import wait_until

_ROLE = "contract_role"
_SECRET = Secret("it's a \"pass\\word\" = ünïcode 'x'")
_HOST = Host("db1.example", 5433)
_TARGET = Target(kind="postgresql", hosts=(_HOST,), database="my 'shop'", user="an\\n", tls="require")


@pytest.fixture
def role(dbms: PostgreSQLUnderTest) -> Iterator[str]:
    """A user with a password full of special characters, and a schema of the same name."""
    _make_role(dbms)
    dbms.run("postgres", f"CREATE SCHEMA {_ROLE} AUTHORIZATION {_ROLE}")
    yield _ROLE
    dbms.run("postgres", f"DROP SCHEMA {_ROLE} CASCADE")
    dbms.run("postgres", f"DROP ROLE {_ROLE}")


@pytest.fixture(scope="module")
def standby() -> Iterator[Host]:
    """A second server, where the same user may write nothing."""
    with running_lab() as server:
        second = PostgreSQLUnderTest(server)
        _make_role(second)
        second.run("postgres", f"ALTER ROLE {_ROLE} SET default_transaction_read_only = on")
        yield second.target("postgres").hosts[0]


def _make_role(dbms: PostgreSQLUnderTest) -> None:
    dbms.run("postgres", f"CREATE ROLE {_ROLE} LOGIN PASSWORD {sql.quote(_SECRET.reveal())}")


def _parameters(text: str) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(text).items()}


def test_every_parameter_survives_its_quoting() -> None:
    found = _parameters(conninfo(_TARGET, _HOST, _SECRET, Timeouts(), options="-c jit=off"))
    assert (found["host"], found["port"], found["sslmode"]) == ("db1.example", "5433", "require")
    assert (found["dbname"], found["user"], found["password"]) == ("my 'shop'", "an\\n", _SECRET.reveal())
    assert found["options"].endswith("-c jit=off")


def test_without_a_secret_no_password_is_given() -> None:
    assert "password" not in _parameters(conninfo(_TARGET, _HOST, None, Timeouts()))


@pytest.mark.parametrize("silence_seconds", [0.2, 1.0, 10.0, 60.0])
def test_a_silent_network_is_noticed_in_time(silence_seconds: float) -> None:
    found = _parameters(conninfo(_TARGET, _HOST, None, Timeouts(silence_seconds=silence_seconds)))
    noticed = int(found["keepalives_idle"]) + int(found["keepalives_interval"]) * int(found["keepalives_count"])
    assert found["keepalives"] == "1"
    assert noticed <= max(3, silence_seconds)
    assert 1_000 <= int(found["tcp_user_timeout"]) <= max(1_000, 1_000 * silence_seconds)


def test_only_targets_of_several_hosts_require_a_writable_one() -> None:
    several = replace(_TARGET, hosts=(_HOST, Host("db2.example", 5432)))
    assert _parameters(conninfo(several, _HOST, None, Timeouts()))["target_session_attrs"] == "read-write"
    assert _parameters(conninfo(_TARGET, _HOST, None, Timeouts()))["target_session_attrs"] == "any"


def test_a_password_of_special_characters_opens_the_door(dbms: PostgreSQLUnderTest, role: str) -> None:
    target = replace(dbms.target("postgres"), user=role)
    connection, _ = connect_any(target, _SECRET, Timeouts())
    result = connection.exec_(b"SELECT current_user, current_schema")
    connection.finish()
    assert (result.get_value(0, 0), result.get_value(0, 1)) == (role.encode(), b"public")


def test_read_only_host_is_skipped(dbms: PostgreSQLUnderTest, role: str, standby: Host) -> None:
    (good,) = dbms.target("postgres").hosts
    target = replace(dbms.target("postgres"), user=role, hosts=(standby, good))
    for first_host in (0, 1):
        connection, number = connect_any(target, _SECRET, Timeouts(), first_host=first_host)
        connection.finish()
        assert number == 1


def test_error_says_that_no_host_accepts_writes(dbms: PostgreSQLUnderTest, role: str, standby: Host) -> None:
    target = replace(dbms.target("postgres"), user=role, hosts=(standby, standby))
    with pytest.raises(TargetError, match="accepts no writes") as caught:
        connect_any(target, _SECRET, Timeouts())
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST


def test_single_host_may_be_read_only(dbms: PostgreSQLUnderTest, role: str, standby: Host) -> None:
    target = replace(dbms.target("postgres"), user=role, hosts=(standby,))
    server = store_at(target, _SECRET, Timeouts()).server()
    assert (server.writable, server.host) == (False, str(standby))


@pytest.mark.timeout(100)
@pytest.mark.parametrize("first_host", [0, 1])
def test_a_silent_host_holds_no_other_up(dbms: PostgreSQLUnderTest, silent_host: Host, first_host: int) -> None:
    (good,) = dbms.target("postgres").hosts
    target = replace(dbms.target("postgres"), hosts=(silent_host, good))
    connection, number = connect_any(target, dbms.secret, Timeouts(connect_seconds=600), first_host=first_host)
    connection.finish()
    assert number == 1


@pytest.mark.timeout(100)
def test_a_host_whose_network_answers_nothing_at_all_is_given_up_in_time(dbms: PostgreSQLUnderTest) -> None:
    with socket.socket() as listener, ExitStack() as crowd:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        full = Host("127.0.0.1", listener.getsockname()[1])
        for _ in range(8):  # a full queue drops new connections
            knocking = crowd.enter_context(socket.socket())
            knocking.setblocking(False)
            knocking.connect_ex((full.name, full.port))
        target = replace(dbms.target("postgres"), hosts=(full,))
        with pytest.raises(TargetError) as caught:
            connect_any(target, dbms.secret, Timeouts(connect_seconds=0.5))
    assert caught.value.error_class is ErrorClass.TIMEOUT


@pytest.mark.parametrize("name", ["no-such-host", "x" * 64])
def test_unresolvable_name_is_reported_and_delays_no_other_host(
    dbms: PostgreSQLUnderTest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = socket.getaddrinfo

    def known_names(host: str, *rest: Any, **others: Any) -> Any:
        if host == "no-such-host":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **others)

    monkeypatch.setattr("engine.databases.racing.getaddrinfo", known_names)
    nowhere = Host(name, 5432)
    target = replace(dbms.target("postgres"), hosts=(nowhere,))
    with pytest.raises(TargetError, match=rf"No connection to {name}:5432: host name not found \(DNS\)") as caught:
        connect_any(target, dbms.secret, Timeouts())
    assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)

    (good,) = dbms.target("postgres").hosts
    connection, number = connect_any(replace(target, hosts=(nowhere, good)), dbms.secret, Timeouts())
    connection.finish()
    assert number == 1


def test_the_addresses_of_a_host_are_tried_in_turn_under_its_name() -> None:
    found = _parameters(conninfo(_TARGET, _HOST, None, Timeouts(), addresses=["::1", "127.0.0.1"]))
    assert (found["host"], found["hostaddr"], found["port"]) == ("db1.example,db1.example", "::1,127.0.0.1", "5433")


@pytest.mark.timeout(100)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_a_silent_address_of_a_host_holds_no_other_up(
    dbms: PostgreSQLUnderTest, two_addresses: tuple[str, str]
) -> None:
    connection, number = connect_any(dbms.target("postgres"), dbms.secret, Timeouts(connect_seconds=600))
    found = {option.keyword: option.val for option in connection.info}
    connection.finish()
    assert (number, found[b"hostaddr"]) == (0, two_addresses[1].encode())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_probe_continues_with_the_hosts_next_address(dbms: PostgreSQLUnderTest, two_addresses: tuple[str, str]) -> None:
    target = dbms.target("postgres")
    prober = PostgreSQLProber(target, target.hosts[0], dbms.secret)
    answers: list[ProbeAnswer] = []

    def answered() -> bool:
        answers.extend(answer for answer in (prober.probe(0.1),) if answer is not None)
        return bool(answers)

    wait_until(answered, "the second address answers")
    prober.close()
    assert answers[0].takes_writes


@pytest.fixture
def two_addresses(dbms: PostgreSQLUnderTest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The server's host has two addresses: the first accepts connections and never says a word."""
    (host,) = dbms.target("postgres").hosts
    addresses = ("127.0.0.2", host.name)

    def found(name: str, port: int, **_: Any) -> Any:
        assert name == host.name
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr("engine.databases.racing.getaddrinfo", found)
    with socket.create_server((addresses[0], host.port)):
        yield addresses
