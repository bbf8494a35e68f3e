"""A workload that is unknown to the databases' packages is built, called, audited, verified, reset and dropped through
its own bindings."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from engine.databases.database import Session, Store, Timeouts
from engine.errors import Cancelled, TargetError, UserError
from engine.lab.server import EmbeddedServer
from engine.target.kinds import MARIADB, POSTGRESQL
from tests.doubles.toy_shops.calls import toy_calls
from tests.doubles.toy_shops.store import ToyRows, toy_store
from tests.engine.databases.contract.places import Place, never, silent
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest

_SHOPS, _VISITS, _CENTS = 40, 120, 250
_NAME = "toy"


@pytest.fixture(scope="module", params=[POSTGRESQL, MARIADB])
def dbms(request: pytest.FixtureRequest) -> DatabaseUnderTest:
    if request.param == POSTGRESQL:
        server: EmbeddedServer = request.getfixturevalue("embedded_server")
        return PostgreSQLUnderTest(server)
    return MariaDBUnderTest(request.getfixturevalue("mariadb_server"))


@pytest.fixture
def store(dbms: DatabaseUnderTest) -> Iterator[Store]:
    target = dbms.target(_NAME)
    yield dbms.database.store(target, dbms.secret, Timeouts(), toy_store(target.kind))
    dbms.drop(_NAME)


@pytest.fixture
def built(store: Store) -> Store:
    report = store.build(str(_SHOPS), _CENTS, replace=False, report_progress=silent, cancelled=never)
    assert report.rows == {"shops": _SHOPS, "visits": _VISITS}
    return store


@pytest.fixture
def session(dbms: DatabaseUnderTest, built: Store) -> Iterator[Session]:
    target = dbms.target(_NAME)
    session = dbms.database.connect(target, dbms.secret, Timeouts(), toy_calls(target.kind))
    yield session
    session.close()


def _wrong(store: Store) -> list[str]:
    checks = store.verify(report_progress=silent, cancelled=never)
    assert {"table visits", "index visits_pkey", "reference fk_visits_shop", "procedure pay", "visits of no shop"} <= {
        check.what for check in checks
    }
    return [check.what for check in checks if not check.ok]


def test_a_store_is_built_called_verified_reset_and_dropped(
    dbms: DatabaseUnderTest, built: Store, session: Session
) -> None:
    state = built.state()
    assert state is not None
    assert (state.workload, state.scale, state.seed, state.is_pristine) == ("toy", str(_SHOPS), _CENTS, True)
    assert session.call("count_shops", ()) == _SHOPS
    assert session.call("pay", (7, 999)) == _VISITS + 1
    found = sorted(session.call("find_visits", (7,)).decoded())
    assert found == [(7, _CENTS), (47, _CENTS), (87, _CENTS), (_VISITS + 1, 999)]
    with pytest.raises(TargetError) as refused:
        session.call("pay", (_SHOPS + 1, 1))
    assert refused.value.usable
    session.close()
    assert _wrong(built) == []
    state = built.state()
    assert state is not None
    # The refused visit has taken a number with it.
    assert (state.beyond, state.high_water, state.is_pristine) == ({"visits": 1}, _VISITS + 1, False)
    built.reset(report_progress=silent, cancelled=never)
    state = built.state()
    assert state is not None
    assert (state.beyond, state.high_water) == ({"visits": 0}, _VISITS)
    dbms.run(_NAME, "DELETE FROM visits WHERE visit = 3")
    assert _wrong(built) == ["built visits"]
    built.drop()
    assert not dbms.exists(_NAME) or dbms.tables(_NAME) == []


def test_numbers_go_on_behind_what_was_built_after_a_build_and_after_a_reset(
    dbms: DatabaseUnderTest, built: Store, session: Session
) -> None:
    for _ in range(2):
        assert session.call("pay", (1, 1)) == _VISITS + 1
        built.reset(report_progress=silent, cancelled=never)


class _UnvisitedRows(ToyRows):
    def counts(self, loaded: Mapping[str, int]) -> Mapping[str, int]:
        return {"shops": loaded["shops"], "visits": 0}


def test_the_numbers_of_a_table_that_is_empty_in_a_new_store_begin_with_1(dbms: DatabaseUnderTest) -> None:
    target = dbms.target(_NAME)
    definition = replace(toy_store(target.kind), load_order=("shops",), rows=_UnvisitedRows)
    store = dbms.database.store(target, dbms.secret, Timeouts(), definition)
    try:
        store.build(str(_SHOPS), _CENTS, replace=False, report_progress=silent, cancelled=never)
        session = dbms.database.connect(target, dbms.secret, Timeouts(), toy_calls(target.kind))
        assert session.call("pay", (1, 1)) == 1
        session.close()
    finally:
        dbms.drop(_NAME)


def test_a_store_is_replaced_and_its_lease_counts_what_was_added(built: Store, session: Session) -> None:
    session.call("pay", (1, 1))
    session.close()
    lease = built.open_lease()
    identity = lease.identity()
    assert identity is not None
    assert (identity[1], lease.added_above(_VISITS), lease.added_above(_VISITS - 5)) == (_VISITS + 1, 1, 6)
    lease.close()
    planned = built.replacement("60")
    assert planned is not None
    assert planned.scale == str(_SHOPS)
    built.build("60", 5, replace=True, report_progress=silent, cancelled=never)
    state = built.state()
    assert state is not None
    assert (state.scale, state.seed, state.is_pristine) == ("60", 5, True)
    assert _wrong(built) == []


def test_a_snapshot_reads_numbers_by_ranges(dbms: DatabaseUnderTest, built: Store) -> None:
    target = dbms.target(_NAME)
    query = "SELECT visit, CAST(paid * 100 AS bigint) AS cents FROM visits WHERE visit > {after} AND visit <= {to}"
    with dbms.database.snapshot(target, dbms.secret, Timeouts(), toy_store(target.kind), never) as snapshot:
        ((after, (visits, cents)),) = snapshot.numbers(query, ("visit", "cents"), 10, 15)
        assert (after, sorted(visits.tolist()), set(cents.tolist())) == (10, [11, 12, 13, 14, 15], {_CENTS})
        ((_, (none, _)),) = snapshot.numbers(query, ("visit", "cents"), _VISITS, 2 * _VISITS)
        assert len(none) == 0
        assert snapshot.count("visits WHERE shop = 1") == 3
        identity = snapshot.identity()
    assert identity is not None
    assert identity[1] == _VISITS


def test_the_store_of_another_workload_is_left_alone(dbms: DatabaseUnderTest, built: Store) -> None:
    place = Place(dbms, _NAME)
    for work in (place.store.state, place.store.drop, place.reset, lambda: place.build(replace=True)):
        with pytest.raises(UserError, match="holds a store of workload 'toy', not 'dvdstore'; choose that workload"):
            work()
    assert _wrong(built) == []


def test_cancelled_build_removes_what_it_made(dbms: DatabaseUnderTest, store: Store) -> None:

    with pytest.raises(Cancelled):
        store.build(str(_SHOPS), 1, replace=False, report_progress=silent, cancelled=lambda: True)
    assert not dbms.exists(_NAME)
