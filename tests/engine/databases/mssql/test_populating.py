from collections.abc import Iterator

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql import build
from engine.databases.mssql.build import wait_until_populated
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import Cancelled, ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.engine.databases.mssql.recorded_store import RecordedStore

_SEARCH = STORE.text_search
assert _SEARCH is not None
_ASKED = "TableFulltextPopulateStatus"


@pytest.fixture
def connection(
    recorded_store: RecordedStore, target: Target, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OdbcConnection]:
    monkeypatch.setattr(build, "_CHECK_EVERY_SECONDS", 0.01)
    with opened(SqlServerDialect(), target.with_database("master"), Secret("x"), Timeouts()) as connection:
        yield connection


@pytest.mark.parametrize(
    "unfinished",
    [
        (0, 0, 0, 0, 0, 0),  # it has not begun
        (1, 0, 0, 999, 0, 0),
        (0, 1, 0, 1_000, 0, 1),
        (0, 0, 3, 1_000, 0, 1),
        (3, 0, 0, 1_000, 0, 1),
        (5, 0, 0, 1_000, 0, 0),
        (None, None, None, None, None, None),
    ],
)
@pytest.mark.parametrize("finished", [(0, 0, 0, 1_000, 0, 0), (0, 0, None, 0, 0, 1), (4, 0, 0, 1_000, 0, 1)])
def test_the_index_is_waited_for_until_it_is_idle_and_holds_everything(
    connection: OdbcConnection,
    recorded_store: RecordedStore,
    unfinished: tuple[int, ...],
    finished: tuple[int, ...],
) -> None:
    recorded_store.answers(_ASKED, [unfinished])
    shares: list[float] = []

    def report_progress(share: float) -> None:
        shares.append(share)
        recorded_store.answers(_ASKED, [finished])

    wait_until_populated(connection, _SEARCH, 1_000, report_progress)
    assert shares == [(unfinished[3] or 0) / 1_000]


@pytest.mark.parametrize("row", [(0, 0, 0, 998, 2, 1), (6, 0, 0, 10, 0, 0)])
def test_products_that_cant_be_indexed_are_an_error(
    connection: OdbcConnection, recorded_store: RecordedStore, row: tuple[int, ...]
) -> None:
    recorded_store.answers(_ASKED, [row])
    with pytest.raises(TargetError, match="could not be indexed"):
        wait_until_populated(connection, _SEARCH, 1_000, lambda _: None)


def test_an_index_that_stands_still_is_given_up(
    connection: OdbcConnection, recorded_store: RecordedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_LONGEST_STANDSTILL_SECONDS", 0.05)
    recorded_store.answers(_ASKED, [(5, 0, 0, 17, 0, 0)])
    with pytest.raises(TargetError, match="has stopped at 17 of 1\u202f000 products") as caught:
        wait_until_populated(connection, _SEARCH, 1_000, lambda _: None)
    assert caught.value.error_class is ErrorClass.TIMEOUT


def test_the_waiting_can_be_cancelled(connection: OdbcConnection, recorded_store: RecordedStore) -> None:
    def report_progress(_share: float) -> None:
        raise Cancelled

    recorded_store.answers(_ASKED, [(1, 0, 0, 17, 0, 0)])
    with pytest.raises(Cancelled):
        wait_until_populated(connection, _SEARCH, 1_000, report_progress)
