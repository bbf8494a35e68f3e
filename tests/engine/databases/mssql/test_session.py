from collections.abc import Iterator
from random import Random

import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.picks import new_customer
from tests.doubles.recorded_sql_server import RecordedCursor, RecordedSqlServer, odbc_error
from tests.engine.workloads.dvdstore.sessions import DvdStoreSession, open_session

_SECRET = Secret("horse battery staple")
_ROW = (5, 3, "ACE WOOD", "ANN LEE", 1299, 0, 7)


@pytest.fixture
def session(recorded: RecordedSqlServer, target: Target) -> Iterator[DvdStoreSession]:
    opened = open_session(target, _SECRET, Timeouts(statement_seconds=2.5))
    recorded.sent.clear()
    yield opened
    opened.close()


def test_session_checks_procedures_and_sets_lock_timeout_in_one_round_trip(
    recorded: RecordedSqlServer, target: Target
) -> None:
    open_session(target, _SECRET, Timeouts(statement_seconds=2.5)).close()
    first, *others = recorded.statements()
    assert "SET LOCK_TIMEOUT 2500;" in first
    assert all(f"N'dbo.{name}'" in first for name in STORE.procedures)
    assert all("Updateability" in other for other in others)


def test_a_database_without_the_procedures_is_no_place_for_a_session(
    recorded: RecordedSqlServer, target: Target
) -> None:
    error = odbc_error(("42000", 50_000, "the database holds no complete store"))
    recorded.answers("LOCK_TIMEOUT", error=error)
    with pytest.raises(TargetError, match="holds no complete store") as caught:
        open_session(target, _SECRET, Timeouts())
    assert caught.value.error_class is ErrorClass.OTHER


def test_a_call_is_a_remote_procedure_call_whose_driver_waits_longer_than_the_server(
    recorded: RecordedSqlServer, session: DvdStoreSession
) -> None:
    recorded.answers(r"browse_by_category", [_ROW])
    assert session.browse_by_category(3, 4).decoded() == [_ROW]
    (sent,) = recorded.sent
    assert (sent.statement, sent.values) == ("{CALL dbo.browse_by_category (?, ?)}", (3, 4))
    assert sent.timeout_seconds == 4


def test_row_counts_before_the_rows_are_passed_over(recorded: RecordedSqlServer, session: DvdStoreSession) -> None:
    recorded.answers(r"browse_by_actor", None, None, [_ROW], None)
    assert session.browse_by_actor("ANN", "LEE", 2).decoded() == [_ROW]
    assert recorded.sent[0].values == ("ANN", "LEE", 2)


def test_an_error_behind_the_rows_is_not_missed(recorded: RecordedSqlServer, session: DvdStoreSession) -> None:
    recorded.answers(r"browse_by_title", [_ROW], error=odbc_error(("42000", 7619, "The full-text query failed.")))
    with pytest.raises(TargetError, match="full-text query failed") as caught:
        session.browse_by_title("ACE", "WOOD", 2)
    assert caught.value.usable


def test_a_log_in_has_the_customer_and_what_was_bought(recorded: RecordedSqlServer, session: DvdStoreSession) -> None:
    recorded.answers(r"dbo\.login", [(17, "ACE WOOD", "ANN LEE", "OLD FOX"), (17, "NEW SUN", "BOB RAY", "ACE WOOD")])
    customer, rows = session.login("user17", "password")
    assert (customer, len(rows)) == (17, 2)
    assert rows.decoded() == [("ACE WOOD", "ANN LEE", "OLD FOX"), ("NEW SUN", "BOB RAY", "ACE WOOD")]


@pytest.mark.parametrize(("answer", "customer"), [([], None), ([(17, None, None, None)], 17)])
def test_an_unknown_customer_and_one_without_purchases_have_no_rows(
    recorded: RecordedSqlServer, session: DvdStoreSession, answer: list[tuple[object, ...]], customer: int | None
) -> None:
    recorded.answers(r"dbo\.login", answer)
    found, rows = session.login("user17", "password")
    assert (found, len(rows), rows.decoded()) == (customer, 0, [])


@pytest.mark.parametrize("made", [20_001, None])
def test_a_registration_passes_every_column_in_the_procedures_order(
    recorded: RecordedSqlServer, session: DvdStoreSession, made: int | None
) -> None:
    recorded.answers(r"new_customer", [(made,)])
    customer = new_customer(Random(1))
    assert session.new_customer(customer) == made
    (sent,) = recorded.sent
    assert len(sent.values) == sent.statement.count("?") == 19
    assert sent.values[:2] == (customer.firstname, customer.lastname)
    assert (sent.values[6], sent.values[14], sent.values[18]) == (customer.zip, customer.username, customer.gender)
    assert None not in sent.values, "the driver would ask the server what a null is"


def test_price_query_has_an_argument_for_each_product(recorded: RecordedSqlServer, session: DvdStoreSession) -> None:
    recorded.answers(r"product_prices", [(1, 999), (2, 1999)])
    assert session.prices([1, 2, 3]) == {1: 999, 2: 1999}
    assert [sent.values for sent in recorded.sent] == [(1, 2, 3)]


@pytest.mark.parametrize("order", [12_001, None])
def test_a_purchase_is_one_call_with_no_more_arguments_than_lines(
    recorded: RecordedSqlServer, session: DvdStoreSession, order: int | None
) -> None:
    recorded.answers(r"purchase", [(order,)])
    assert session.purchase(17, [(9, 3), (4, 1)], net=12_345, tax=1_018, total=13_363) == order
    (sent,) = recorded.sent
    assert sent.statement == f"{{CALL dbo.purchase ({', '.join('?' * 9)})}}"
    assert sent.values == (17, 12_345, 1_018, 13_363, 2, 9, 3, 4, 1)


def test_each_statement_keeps_its_cursor(
    recorded: RecordedSqlServer, session: DvdStoreSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded.answers(r"purchase", [(1,)])
    (raw,) = [connection for connection in recorded.connections if not connection.closed]
    made: list[RecordedCursor] = []
    cursor = raw.cursor

    def counted() -> RecordedCursor:
        made.append(cursor())
        return made[-1]

    monkeypatch.setattr(raw, "cursor", counted)
    for lines in ([(1, 1)], [(1, 1), (2, 1)], [(3, 1)], [(4, 1), (5, 1)]):
        session.purchase(1, lines, net=1, tax=0, total=1)
    assert len(made) == 2


@pytest.mark.parametrize(
    ("error", "dies", "expected"),
    [
        (odbc_error(("40001", 1205, "deadlocked")), False, (ErrorClass.DEADLOCK, True, True)),
        (
            odbc_error(("42000", 1222, "Lock request time out period exceeded.")),
            False,
            (ErrorClass.TIMEOUT, True, True),
        ),
        (odbc_error(("23000", 547, "FOREIGN KEY"), ("01000", 3621, "ended")), False, (ErrorClass.OTHER, True, True)),
        (odbc_error(("25000", 3906, "read-only")), False, (ErrorClass.CONNECTION_LOST, False, True)),
        (odbc_error(("HYT00", 0, "Query timeout expired")), False, (ErrorClass.TIMEOUT, False, False)),
        (odbc_error(("42000", 983, "not in the PRIMARY role")), False, (ErrorClass.CONNECTION_LOST, False, False)),
        (odbc_error(("HY000", 596, "kill state")), True, (ErrorClass.CONNECTION_LOST, False, False)),
        (odbc_error(("08S01", 10054, "TCP Provider: reset")), True, (ErrorClass.CONNECTION_LOST, False, False)),
        (odbc_error(("42000", 31_337, "of a version to come")), False, (ErrorClass.OTHER, False, False)),
    ],
)
def test_failed_purchase_counts_as_undone_only_if_the_server_reports_it(
    recorded: RecordedSqlServer,
    session: DvdStoreSession,
    error: pyodbc.Error,
    dies: bool,
    expected: tuple[ErrorClass, bool, bool],
) -> None:
    recorded.answers(r"purchase", error=error, dies=dies)
    with pytest.raises(TargetError) as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert (caught.value.error_class, caught.value.usable, caught.value.undone) == expected


@pytest.mark.parametrize("answer", [[], [(1,), (2,)]])
def test_a_purchase_without_a_clear_answer_is_in_doubt(
    recorded: RecordedSqlServer, session: DvdStoreSession, answer: list[tuple[int]]
) -> None:
    recorded.answers(r"purchase", answer)
    with pytest.raises(TargetError, match="instead of one") as caught:
        session.purchase(1, [(1, 1)], net=1, tax=0, total=1)
    assert (caught.value.usable, caught.value.undone) == (False, False)


def test_a_closed_session_can_be_closed_and_cut_again_and_is_lost(
    recorded: RecordedSqlServer, session: DvdStoreSession
) -> None:
    recorded.answers(r"product_prices", [(1, 999)])
    session.close()
    session.close()
    session.cut()
    for _ in range(2):
        with pytest.raises(TargetError) as caught:
            session.prices([1])
        assert (caught.value.error_class, caught.value.usable) == (ErrorClass.CONNECTION_LOST, False)
