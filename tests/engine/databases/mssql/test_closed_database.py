import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import RecordedStore
from tests.engine.workloads.dvdstore.sessions import open_session
from tests.waiting import wait_until

_LOOK = "'VIEW ANY DATABASE'"
_ACCESS = (Secret("x"), Timeouts())


def _refusal(target: Target) -> TargetError:
    with pytest.raises(TargetError) as caught:
        open_session(target, *_ACCESS)
    assert not caught.value.usable
    return caught.value


@pytest.mark.parametrize(
    ("seen", "error_class", "said"),
    [
        ((1, "RECOVERING", 1), ErrorClass.CONNECTION_LOST, "'shop' is being recovered"),
        ((1, "ONLINE", 1), ErrorClass.CONNECTION_LOST, "'shop' is being recovered"),
        ((0, "RECOVERING", 1), ErrorClass.CONNECTION_LOST, "'shop' is being recovered"),
        ((1, "RECOVERY_PENDING", 1), ErrorClass.CONNECTION_LOST, "its state is RECOVERY_PENDING"),
        ((1, "OFFLINE", 1), ErrorClass.CONNECTION_LOST, "its state is OFFLINE"),
        ((1, "ONLINE", 0), ErrorClass.REJECTED, "user 'ann' may not open it"),
        ((1, None, 1), ErrorClass.MISSING_DATABASE, "'shop' does not exist on 127.0.0.1"),
        ((0, None, 1), ErrorClass.MISSING_DATABASE, "does not exist .*, or is not open yet, or user 'ann'"),
    ],
)
def test_masters_state_explains_a_closed_database(
    recorded_store: RecordedStore,
    target: Target,
    seen: tuple[int, str | None, int],
    error_class: ErrorClass,
    said: str,
) -> None:
    recorded_store.answers(_LOOK, [seen])
    refusal = _refusal(target)
    assert (refusal.error_class, refusal.code) == (error_class, "4060")
    with pytest.raises(TargetError, match=said):
        raise refusal
    ((database, _),) = recorded_store.sent_like(_LOOK)
    assert database == "master"
    wait_until(
        lambda: all(connection.closed for connection in recorded_store.connections), "every connection is closed"
    )


def test_starting_server_counts_as_lost_connection_not_missing_database(
    recorded_store: RecordedStore, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = recorded_store.connect

    def connect(connection_string: str, **options: object) -> pyodbc.Connection:
        if "Database=master" in connection_string:
            raise odbc_error(("08001", 17187, "SQL Server is not ready to accept new client connections."))
        return answer(connection_string, **options)

    monkeypatch.setattr(pyodbc, "connect", connect)
    refusal = _refusal(target)
    assert refusal.error_class is ErrorClass.CONNECTION_LOST
    assert "the server is starting or failing over" in str(refusal)


def test_unknown_database_state_lists_all_possible_causes(recorded_store: RecordedStore, target: Target) -> None:
    recorded_store.databases.clear()
    refusal = _refusal(target)
    assert refusal.error_class is ErrorClass.MISSING_DATABASE
    assert "or is not open yet" in str(refusal)


def test_recovering_database_is_not_reported_missing(recorded_store: RecordedStore, target: Target) -> None:
    recorded_store.answers(_LOOK, [(1, "RECOVERING", 1)])
    store = SqlServerStore(target, *_ACCESS, STORE)
    for work in (store.state, store.server, store.open_lease):
        with pytest.raises(TargetError, match="is being recovered"):
            work()
