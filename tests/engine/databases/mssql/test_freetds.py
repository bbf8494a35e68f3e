"""SQL Server's connections over the real FreeTDS driver and the real pyodbc, to listeners that are no SQL Server.

What the driver sends at a login, how it tells what a server says, and that none can hold anybody up.
"""

import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.databases.definition import Table
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.load_rows import Destination, rows_of, send
from engine.databases.mssql.session import SqlServerSession
from engine.databases.odbc.connecting import connect_any
from engine.errors import BadInput, ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host, Target
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Kind
from engine.workloads.brokerage.bindings.mssql.calls import CALLS as BROKERAGE_CALLS
from engine.workloads.brokerage.bindings.mssql.store import STORE as BROKERAGE
from engine.workloads.brokerage.rows import BrokerageRows
from engine.workloads.brokerage.sizing import Size
from engine.workloads.dvdstore.bindings.mssql.calls import CALLS
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.wholesale.bindings.mssql.calls import CALLS as WHOLESALE_CALLS
from engine.workloads.wholesale.bindings.mssql.store import STORE as WHOLESALE
from engine.workloads.wholesale.picks import Line
from engine.workloads.wholesale.rows import WholesaleRows
from engine.workloads.wholesale.sizing import Warehouses
from tests.doubles.tds_server import TdsServer, tds_server
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession, open_session

pytestmark = pytest.mark.skipif("FreeTDS" not in pyodbc.drivers(), reason="the FreeTDS driver is not installed")
_QUICK, _USUAL = Timeouts(connect_seconds=1.0), Timeouts()
_GENEROUS_SECONDS = 60.0
_PASSWORD = Secret("pa;s{sw{{ord=' ü€ ")
_RUBBISH = b"HTTP/1.1 400 Bad Request\r\n\r\n" * 40


@pytest.fixture
def server() -> Iterator[TdsServer]:
    with tds_server() as server:
        yield server


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def talker() -> Iterator[Host]:
    """A port where somebody talks who is no SQL Server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ended = threading.Event()

        def talk() -> None:
            listener.settimeout(0.05)
            while not ended.is_set():
                try:
                    client, _ = listener.accept()
                except TimeoutError:
                    continue
                with client:
                    client.sendall(_RUBBISH)

        talking = threading.Thread(target=talk)
        talking.start()
        yield Host("127.0.0.1", listener.getsockname()[1])
        ended.set()
        talking.join()


def _target(port: int, database: str = "shop") -> Target:
    host = Host("127.0.0.1", port)
    return Target(kind="mssql", hosts=(host,), database=database, user="ann", tls="disable", driver="FreeTDS")


def _refusal(host: Host, timeouts: Timeouts = _USUAL, **changes: str) -> TargetError:
    target = replace(_target(1), hosts=(host,), **changes)  # type: ignore[arg-type]
    began = time.monotonic()
    with pytest.raises(TargetError) as caught:
        open_session(target, _PASSWORD, timeouts)
    assert time.monotonic() - began < _GENEROUS_SECONDS
    assert not caught.value.usable
    assert str(host.port) in str(caught.value)
    return caught.value


def _session(server: TdsServer) -> DvdStoreSession:
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    return DvdStoreSession(SqlServerSession(connection, CALLS))


@pytest.mark.parametrize("tls", ["disable", "require"])
def test_a_closed_port_is_a_lost_connection(refusing: Host, tls: str) -> None:
    assert _refusal(refusing, tls=tls).error_class is ErrorClass.CONNECTION_LOST


@pytest.mark.parametrize("tls", ["disable", "require"])
def test_a_silent_port_is_a_time_out(silent_host: Host, tls: str) -> None:
    assert _refusal(silent_host, _QUICK, tls=tls).error_class is ErrorClass.TIMEOUT


@pytest.mark.parametrize("tls", ["disable", "require"])
def test_a_port_where_something_else_talks_is_a_lost_connection(talker: Host, tls: str) -> None:
    assert _refusal(talker, tls=tls).error_class is ErrorClass.CONNECTION_LOST


def test_a_server_without_encryption_is_refused_where_it_is_required(server: TdsServer) -> None:
    _refusal(Host("127.0.0.1", server.port), tls="require")
    assert server.logins == []


@pytest.mark.parametrize(
    "password", ["pa;s{sw{{ord=' ü€ ", "s}w}}ord={ ' ", "}", "}}", "a}=", " b ", ";", "{", "{x;=", '"']
)
def test_login_attributes_arrive_unchanged(server: TdsServer, password: str) -> None:
    connection, _ = connect_any(SqlServerDialect(), _target(server.port, "sh'op ;x"), Secret(password), _QUICK)
    connection.close()
    (login,) = server.logins
    assert (login["user"], login["password"]) == ("ann", password)
    assert (login["database"], login["application"], login["intent"]) == ("sh'op ;x", "spindle", "ReadWrite")
    assert server.batches[-1:] == list(SqlServerDialect().session_statements), "behind what pyodbc asks once"


@pytest.mark.parametrize("password", ["a};b", "{a}", ";}"])
def test_password_that_the_driver_would_alter_is_refused(server: TdsServer, password: str) -> None:
    with pytest.raises(BadInput, match="driver FreeTDS can't be given") as caught:
        connect_any(SqlServerDialect(), _target(server.port), Secret(password), _QUICK)
    assert password not in str(caught.value)
    assert server.logins == []


@pytest.mark.parametrize(
    ("errors", "error_class"),
    [
        ([(18456, "Login failed for user 'ann'.")], ErrorClass.REJECTED),
        (
            [(4060, 'Cannot open database "shop" requested by the login.'), (18456, "Login failed.")],
            ErrorClass.MISSING_DATABASE,
        ),
        (
            [(983, "Unable to access availability database 'shop'."), (18456, "Login failed.")],
            ErrorClass.CONNECTION_LOST,
        ),
    ],
)
def test_a_refused_log_in_is_classed_by_its_number(
    server: TdsServer, errors: list[tuple[int, str]], error_class: ErrorClass
) -> None:
    server.refusal = errors
    refusal = _refusal(Host("127.0.0.1", server.port))
    assert refusal.error_class is error_class


@pytest.mark.parametrize("number", [12_001, None])
def test_a_purchase_is_a_remote_procedure_call_with_one_answer(server: TdsServer, number: int | None) -> None:
    server.number = number
    session = _session(server)
    batches = len(server.batches)
    assert session.purchase(17, [(9, 3), (4, 1)], net=12_345, tax=1_018, total=13_363) == number
    assert session.purchase(17, [(8, 3), (4, 1)], net=12_345, tax=1_018, total=13_363) == number
    session.close()
    assert server.calls == ["dbo.purchase"] * 2
    assert len(server.batches) == batches, "nothing else is sent"


_LINES: list[Line] = [(1, 7, 3), (1, 99_999, 10), (2, 5, 1), (3, 1, 2), (3, 2, 9)]


@pytest.mark.parametrize(
    ("transaction", "arguments", "procedure", "sent"),
    [
        (
            "new_order",
            (1, 10, 2_999, _LINES),
            "place_order",
            [1, 10, 2_999, 5, 1, 7, 3, 1, 99_999, 10, 2, 5, 1, 3, 1, 2, 3, 2, 9],
        ),
        ("payment", (1, 2, 3, 4, 5, "", 500_000), "payment", [1, 2, 3, 4, 5, "", 500_000]),
        ("payment", (1, 2, 3, 4, 0, "BARBARBAR", 100), "payment", [1, 2, 3, 4, 0, "BARBARBAR", 100]),
        ("order_status", (1, 2, 0, "OUGHTPRESESE"), "order_status", [1, 2, 0, "OUGHTPRESESE"]),
        ("delivery", (10_000, 10), "delivery", [10_000, 10]),
        ("stock_level", (10_000, 10, 20), "stock_level", [10_000, 10, 20]),
    ],
)
def test_wholesales_transactions_are_remote_procedure_calls(
    server: TdsServer, transaction: str, arguments: tuple[Any, ...], procedure: str, sent: list[int | str]
) -> None:
    server.number = 3_001
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    session = SqlServerSession(connection, WHOLESALE_CALLS)
    batches = len(server.batches)
    results = [session.call(transaction, arguments) for _ in range(2)]
    session.close()
    if transaction == "order_status":
        assert [each.decoded() for each in results] == [[(3_001,)]] * 2
    else:
        assert results == [3_001] * 2
    assert server.calls == [f"dbo.{procedure}"] * 2
    assert server.arguments == [sent] * 2
    assert len(server.batches) == batches, "nothing else is sent"
    assert server.prepared == []


_NUMBERS = list(range(1, 21))


@pytest.mark.parametrize(
    ("transaction", "arguments", "sent"),
    [
        ("trade_order", (9, "007", "SNVAQ", "", "", "TMB", 100, 99, 1, 0, 0), None),
        ("trade_result", (1_000_000_001, 25_00), None),
        ("market_feed", ("ABCDE", [25_00], [100]), ["ABCDE  00000250000000100"]),
        ("broker_volume", ("Ada Abel|Otto Orth", "Energy"), ["Energy", "Ada Abel", "Otto Orth"]),
        ("trade_lookup", (1, _NUMBERS, 0, "", "a", "b"), [1, "".join(f"{n:010}" for n in _NUMBERS), 0, "", "a", "b"]),
        ("trade_cleanup", (), None),
    ],
)
def test_brokerages_transactions_are_remote_procedure_calls(
    server: TdsServer, transaction: str, arguments: tuple[Any, ...], sent: list[int | str] | None
) -> None:
    server.number = 77
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    session = SqlServerSession(connection, BROKERAGE_CALLS)
    result = session.call(transaction, arguments)
    session.close()
    is_number = transaction in ("trade_result", "trade_cleanup")
    assert (result if is_number else result.decoded()) == (77 if is_number else [(77,)])
    assert server.calls == [f"dbo.{transaction}"]
    assert server.arguments == [list(arguments) if sent is None else sent]
    assert server.prepared == []


def test_long_texts_are_of_a_type_without_a_length(server: TdsServer) -> None:
    block = BrokerageRows(Size(1_000, 1), 7).block("news_item", 0)
    inserts = _sent_inserts(server, "news_item", BROKERAGE.tables["news_item"], [block])
    widths = {"VARCHAR(80)", "VARCHAR(255)", "VARCHAR(30)"}
    assert _declared_types(inserts) == {"INT", "DATETIME2", *widths, "VARCHAR(MAX)"}
    assert sum(map(len, inserts)) > 10_000 * block.rows


def test_a_new_order_that_the_server_rolls_back_has_no_number(server: TdsServer) -> None:
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    session = SqlServerSession(connection, WHOLESALE_CALLS)
    assert session.call("new_order", (1, 10, 2_999, _LINES)) is None
    session.close()


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([(1205, "was deadlocked")], (ErrorClass.DEADLOCK, True, True)),
        ([(1222, "Lock request time out period exceeded.")], (ErrorClass.TIMEOUT, True, True)),
        ([(547, "FOREIGN KEY"), (3621, "The statement has been terminated.")], (ErrorClass.OTHER, True, True)),
        ([(3906, "the database is read-only")], (ErrorClass.CONNECTION_LOST, False, True)),
        ([(983, "not in the PRIMARY or SECONDARY role")], (ErrorClass.CONNECTION_LOST, False, False)),
        ([(596, "kill state")], (ErrorClass.CONNECTION_LOST, False, False)),
        ([(31_337, "of a version to come")], (ErrorClass.OTHER, False, False)),
    ],
)
def test_call_errors_are_classified_by_the_drivers_record(
    server: TdsServer, errors: list[tuple[int, str]], expected: tuple[ErrorClass, bool, bool]
) -> None:
    server.errors = errors
    session = _session(server)
    with pytest.raises(TargetError, match=errors[0][1].rstrip(".")) as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert (caught.value.error_class, caught.value.usable, caught.value.undone) == expected
    assert caught.value.code == str(errors[0][0])
    session.close()


def test_a_connection_that_is_reset_under_a_purchase_leaves_it_in_doubt(server: TdsServer) -> None:
    server.dies = True
    session = _session(server)
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    assert (caught.value.usable, caught.value.undone) == (False, False)
    session.close()


def test_a_connection_that_died_while_idle_is_lost_at_its_next_call(server: TdsServer) -> None:
    session = _session(server)
    session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    server.hang_up()
    for _ in range(2):
        with pytest.raises(TargetError) as caught:
            session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
        assert caught.value.error_class is ErrorClass.CONNECTION_LOST
        assert (caught.value.usable, caught.value.undone) == (False, False)
    session.close()
    assert len(server.calls) == 1


def test_a_call_that_hangs_is_cut_and_in_doubt(server: TdsServer, background: ThreadPoolExecutor) -> None:
    server.hangs = True
    session = _session(server)
    hanging = background.submit(session.purchase, 1, [(1, 1)], 1, 0, 1)
    assert server.in_call.wait(_GENEROUS_SECONDS)
    session.cut()
    error = hanging.exception(timeout=_GENEROUS_SECONDS)
    assert isinstance(error, TargetError)
    assert error.error_class is ErrorClass.CONNECTION_LOST
    assert (error.usable, error.undone) == (False, False)
    session.close()


def test_a_call_that_the_driver_gives_up_is_in_doubt(server: TdsServer) -> None:
    server.hangs = True
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    connection.raw.timeout = 1
    session = DvdStoreSession(SqlServerSession(connection, CALLS))
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert caught.value.error_class is ErrorClass.TIMEOUT
    assert (caught.value.usable, caught.value.undone) == (False, False)
    session.close()


def test_statements_of_many_rows_differ_in_nothing_but_their_values(server: TdsServer) -> None:
    table = STORE.tables["customers"]
    blocks = list(StoreRows(DbSize(1, "MB"), 7).blocks("customers"))
    inserts = _sent_inserts(server, "customers", table, blocks)
    assert len(inserts) == 20
    widths = {column.width for column in table.columns if column.kind is Kind.TEXT}
    assert _declared_types(inserts) == {"INT", *(f"VARCHAR({width})" for width in widths)}
    names = [row[15].encode() for block in blocks for row in rows_of(block, table.columns)]
    assert all(name in inserts[place // 100] for place, name in enumerate(names))


@pytest.mark.parametrize(
    ("table", "types"),
    [
        ("customer", {"INT", "BIGINT", "DATETIME2", *(f"VARCHAR({width})" for width in (2, 9, 16, 20, 500))}),
        ("orders", {"INT", "DATETIME2"}),
        ("order_line", {"INT", "BIGINT", "DATETIME2", "VARCHAR(24)"}),
    ],
)
def test_missing_values_have_the_types_of_their_columns(server: TdsServer, table: str, types: set[str]) -> None:
    """Delivered orders come first and undelivered ones last, whose carriers and moments of delivery are missing."""
    block = WholesaleRows(Warehouses(1), 7).block(table, 0)
    inserts = _sent_inserts(server, table, WHOLESALE.tables[table], [block])
    assert _declared_types(inserts) == types


def _sent_inserts(server: TdsServer, name: str, table: Table, blocks: list[Block]) -> list[bytes]:
    connection, _ = connect_any(SqlServerDialect(), _target(server.port), _PASSWORD, _USUAL)
    try:
        send(connection, Destination(name=name, table=table), blocks, lambda: False, lambda *_: None)
    finally:
        connection.close()
    return [request for request in server.prepared if _utf16(f"INSERT INTO dbo.{name} ") in request]


def _declared_types(inserts: list[bytes]) -> set[str]:
    """The types of the parameters, which are the same in all statements of as many rows."""
    declarations = {_declaration(request) for request in inserts}
    assert len(declarations) <= 2, "those of full statements, and of the last one"
    return {
        kind
        for text in declarations
        for kind in re.findall(r"[A-Z]+[0-9]?(?:\((?:[\d, ]+|MAX)\))?", re.sub(r"@P\d+", "", text))
    }


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le")


def _declaration(request: bytes) -> str:
    """The declaration of a prepared statement's parameters up to the last whole number; what follows is mixed."""
    begin = request.index(_utf16("@P1 "))
    text = request[begin : request.index(_utf16("INSERT INTO"), begin)].decode("utf-16-le", "replace")
    return text[: text.rindex("INT") + 3]
