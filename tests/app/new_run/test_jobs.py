"""The wizard's slow work on the session's real server."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import psycopg
import pytest

from app.new_run.jobs import (
    build_stores,
    installed_drivers,
    probe_target,
    reset_stores,
    stores_in_the_way,
    verify_stores,
)
from engine.conduct.endpoint import Endpoint, Resolve
from engine.conduct.leasing import Leases, StoreLease, taken
from engine.databases.database import ServerInfo, StoreState, Timeouts
from engine.databases.lease import Claim
from engine.databases.odbc import packaged_driver
from engine.errors import BadInput, ErrorClass, TargetError, UserError
from engine.lab.server import EmbeddedServer
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import MARIADB, MSSQL, MYSQL, Host, Target
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.mariadb_server import MariaDBServer
from tests.texts import lacks

DATABASE = "wizard_jobs"
SIZE = DbSize(1, "MB")


@pytest.fixture
def target(embedded_server: EmbeddedServer) -> Iterator[Target]:
    """A place for stores that no other test uses, empty before and after."""
    yield embedded_server.target(DATABASE)
    with _connect(embedded_server, embedded_server.target("postgres")) as connection:
        for name in (DATABASE, f"{DATABASE}_1", f"{DATABASE}_2"):
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture
def resolve(embedded_server: EmbeddedServer) -> Resolve:
    return lambda planned: Endpoint(planned, embedded_server.secret)


def _connect(server: EmbeddedServer, target: Target) -> psycopg.Connection:
    host = target.hosts[0]
    return psycopg.connect(
        host=host.name,
        port=host.port,
        user=target.user,
        dbname=target.database,
        password=server.secret.reveal(),
        autocommit=True,
    )


class Recorder:
    """Records the progress of work, and says when the work is to be cancelled."""

    def __init__(self, cancel_at: str = "") -> None:
        self.steps: list[tuple[str, float]] = []
        self._cancel_at = cancel_at

    def report_progress(self, doing: str, share: float) -> None:
        self.steps.append((doing, share))

    def cancelled(self) -> bool:
        return bool(self._cancel_at) and any(self._cancel_at in doing for doing, _ in self.steps)


def _build(resolve: Resolve, plan: RunPlan, *, replace: bool = False) -> str:
    recorder = Recorder()
    result = build_stores(
        resolve, plan, replace=replace, on_progress=recorder.report_progress, cancelled=recorder.cancelled
    )
    assert result.ok
    return result.sentence


def test_connection_test_reports_a_missing_database(target: Target, resolve: Resolve) -> None:
    result = probe_target(resolve, target, DVD_STORE)
    assert result.ok
    assert result.version.startswith("PostgreSQL ")
    assert result.connect_ms is not None
    assert result.store_size == ""
    assert result.sentence.endswith(f" ms; database '{DATABASE}' does not exist yet: building a store creates it.")


def test_connection_test_reports_a_database_without_a_store(
    target: Target, resolve: Resolve, embedded_server: EmbeddedServer
) -> None:
    with _connect(embedded_server, replace(target, database="postgres")) as connection:
        connection.execute(f'CREATE DATABASE "{DATABASE}"')
    found = probe_target(resolve, target, DVD_STORE)
    assert (found.ok, found.store_size) == (True, "")
    assert found.sentence.endswith(f" ms; database '{DATABASE}' holds no store yet.")


def test_connection_test_reports_a_missing_database_of_mariadb(mariadb_server: MariaDBServer) -> None:
    missing = mariadb_server.target("wizard_jobs_missing")
    found = probe_target(lambda planned: Endpoint(planned, mariadb_server.secret), missing, DVD_STORE)
    assert found.ok
    assert found.sentence.startswith("MariaDB ")
    assert found.sentence.endswith(
        " ms; database 'wizard_jobs_missing' does not exist yet: building a store creates it."
    )


def test_stores_are_built_found_verified_and_reset(
    target: Target, resolve: Resolve, embedded_server: EmbeddedServer
) -> None:
    plan = RunPlan(targets=(target,), databases=2, parameters={"db_size": SIZE})
    recorder = Recorder()
    built = build_stores(
        resolve, plan, replace=False, on_progress=recorder.report_progress, cancelled=recorder.cancelled
    )
    assert (built.ok, built.sentence) == (True, "2 stores of 1MB built.")
    shares = [share for _, share in recorder.steps]
    assert shares == sorted(shares)
    assert any(doing.startswith(f"building {DATABASE}_2: ") and share >= 0.5 for doing, share in recorder.steps)

    first = plan.stores()[0]
    found = probe_target(resolve, first, DVD_STORE)
    assert (found.ok, found.store_size) == (True, "1MB")
    assert f"{DATABASE}_1' holds a 1MB store, as built." in found.sentence

    with _connect(embedded_server, first) as connection:
        connection.execute(
            "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 1, 1, 2)"
        )
    assert "with 1 order added since the build" in probe_target(resolve, first, DVD_STORE).sentence
    reset = reset_stores(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled)
    assert (reset.ok, reset.sentence) == (True, "2 stores are reset to what was built.")
    assert "as built" in probe_target(resolve, first, DVD_STORE).sentence

    verified = verify_stores(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled)
    assert verified.ok
    assert verified.sentence.startswith("2 stores verified: all ")
    with _connect(embedded_server, first) as connection:
        connection.execute("DELETE FROM orderlines WHERE orderid = 7")
    wrong = verify_stores(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled)
    assert not wrong.ok
    assert f" checks failed; in {DATABASE}_1, " in wrong.sentence


def test_a_verified_store_is_described(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE})
    _build(resolve, plan)
    verified = verify_stores(resolve, plan, on_progress=Recorder().report_progress, cancelled=lambda: False)
    assert verified.ok
    assert verified.sentence.endswith(f" checks passed. Database '{DATABASE}' holds a 1MB store, as built.")


def test_a_store_that_is_there_is_left_unless_it_is_to_be_replaced(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE})
    assert _build(resolve, plan) == "1 store of 1MB built."
    assert _build(resolve, plan) == "1 store of 1MB was already there."
    larger = plan.with_scale(DbSize(2, "MB"))
    with pytest.raises(UserError, match=r"already holds a 1MB store; use 1MB as the size, or rebuild"):
        _build(resolve, larger)
    assert _build(resolve, larger, replace=True) == "1 store of 2MB built."


def test_a_build_that_is_cancelled_leaves_nothing(target: Target, resolve: Resolve) -> None:
    recorder = Recorder(cancel_at="loading")
    plan = RunPlan(targets=(target,), parameters={"db_size": DbSize(20, "MB")})
    result = build_stores(
        resolve, plan, replace=False, on_progress=recorder.report_progress, cancelled=recorder.cancelled
    )
    assert (result.ok, result.sentence) == (None, f"Cancelled; database '{DATABASE}' does not exist.")
    assert "does not exist yet" in probe_target(resolve, target, DVD_STORE).sentence


def test_cancelled_replacement_message_matches_the_server(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), databases=2, parameters={"db_size": SIZE})
    _build(resolve, plan)
    larger, recorder = plan.with_scale(DbSize(2, "MB")), Recorder(cancel_at=f"{DATABASE}_2: loading")
    result = build_stores(
        resolve, larger, replace=True, on_progress=recorder.report_progress, cancelled=recorder.cancelled
    )
    assert not result.ok
    assert lacks(result.sentence, f"'{DATABASE}_2' still holds its 1MB store", f"done before: {DATABASE}_1") == []
    first, second = larger.stores()
    assert "holds a 2MB store, as built" in probe_target(resolve, first, DVD_STORE).sentence
    assert "holds a 1MB store, as built" in probe_target(resolve, second, DVD_STORE).sentence
    deleted, recorder = (first, second), Recorder(cancel_at=f"{DATABASE}_1: loading")
    result = build_stores(
        resolve,
        larger,
        replace=True,
        delete_first=deleted,
        on_progress=recorder.report_progress,
        cancelled=recorder.cancelled,
    )
    assert lacks(result.sentence, "deleted before", f"'{DATABASE}_1' does not exist", "not begun: 1 store") == []


def test_cancelled_reset_or_verification_reports_the_remaining_state(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE})
    _build(resolve, plan)
    reset = reset_stores(resolve, plan, on_progress=Recorder().report_progress, cancelled=lambda: True)
    assert not reset.ok
    assert lacks(reset.sentence, "cancelled", f"'{DATABASE}' still holds its 1MB store") == []
    verified = verify_stores(resolve, plan, on_progress=Recorder().report_progress, cancelled=lambda: True)
    assert not verified.ok
    assert lacks(verified.sentence, "cancelled", "nothing was changed") == []


def test_failed_replacement_message_matches_the_server(
    target: Target, resolve: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE})
    _build(resolve, plan)

    def fail(*_: object) -> NoReturn:
        raise TargetError(ErrorClass.OTHER, "the server said no")

    monkeypatch.setattr("engine.databases.postgresql.build.change_places", fail)
    with pytest.raises(UserError, match=rf"the server said no\. Database '{DATABASE}' still holds its 1MB store\.$"):
        _build(resolve, plan, replace=True)


def test_existing_stores_are_listed_before_replacement(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), databases=2, parameters={"db_size": SIZE})
    assert stores_in_the_way(resolve, plan) == []
    _build(resolve, RunPlan(targets=(plan.stores()[1],), parameters={"db_size": SIZE}))
    (found,) = stores_in_the_way(resolve, plan)
    assert found.planned == plan.stores()[1]
    assert lacks(found.sentence, f"'{DATABASE}_2' on 127.0.0.1", "1MB", "built beside it") == []


def test_leased_store_is_neither_replaced_nor_reset(target: Target, resolve: Resolve) -> None:
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE})
    _build(resolve, plan)
    claim = Claim(purpose="run 'R630'", program="command line", user_name="anna", host_name="lab-ws2", process_id=7)
    lease = StoreLease(resolve(target).store(Timeouts(), DVD_STORE), claim, "the store", notify=print)
    with taken(Leases([lease])):
        recorder = Recorder()
        for work in (partial(build_stores, replace=True), reset_stores):
            with pytest.raises(UserError, match=r"is in use since .* by anna@lab-ws2 \(run 'R630', command line"):
                work(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled)
        assert recorder.steps == []
        used = "in use since .* by anna@lab-ws2"
        assert re.search(used, probe_target(resolve, target, DVD_STORE).sentence)
        assert re.search(
            used,
            verify_stores(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled).sentence,
        )
    assert reset_stores(resolve, plan, on_progress=recorder.report_progress, cancelled=recorder.cancelled).ok


def test_a_build_needs_a_size(target: Target, resolve: Resolve) -> None:
    with pytest.raises(BadInput, match="size is empty"):
        _build(resolve, RunPlan(targets=(target,)))


def test_connection_test_returns_the_servers_error(target: Target, resolve: Resolve) -> None:
    nobody = Target(kind=target.kind, hosts=(Host("127.0.0.1", 1),), user="me")
    assert "127.0.0.1" in probe_target(resolve, nobody, DVD_STORE).sentence
    wrong = probe_target(lambda planned: Endpoint(planned, Secret("no such password")), target, DVD_STORE)
    assert not wrong.ok
    assert "no such password" not in wrong.sentence

    def refuse(_planned: Target) -> Endpoint:
        raise UserError("The embedded server could not be started.")

    assert probe_target(refuse, target, DVD_STORE).sentence == "The embedded server could not be started."


def test_database_error_during_work_is_a_user_error(target: Target, resolve: Resolve) -> None:
    recorder = Recorder()
    with pytest.raises(UserError, match=DATABASE):
        verify_stores(
            resolve, RunPlan(targets=(target,)), on_progress=recorder.report_progress, cancelled=recorder.cancelled
        )
    with pytest.raises(UserError, match=DATABASE):
        reset_stores(
            resolve, RunPlan(targets=(target,)), on_progress=recorder.report_progress, cancelled=recorder.cancelled
        )


class Recorded:
    """A store that only records the layout that it is built with."""

    def __init__(self) -> None:
        self.layouts: list[StoreLayout | None] = []

    def state(self) -> None:
        return None

    def open_lease(self) -> NoReturn:
        raise TargetError(ErrorClass.MISSING_DATABASE, "there is none")

    def build(self, *_: object, layout: StoreLayout | None, **__: object) -> None:
        self.layouts.append(layout)


@dataclass
class Handing:
    recorded: Recorded
    timeouts: Timeouts = field(default_factory=Timeouts)

    def store(self, _timeouts: Timeouts, _workload: str) -> Recorded:
        return self.recorded


def test_store_layout_applies_only_to_sql_server() -> None:
    stores: dict[str, Recorded] = {}
    layout = layout_for(SIZE)
    targets = tuple(Target(kind=kind, hosts=(Host("db1", 1),)) for kind in (MSSQL, MARIADB))
    recorder = Recorder()

    def resolve(planned: Target) -> Any:
        return Handing(stores.setdefault(planned.kind, Recorded()))

    plan = RunPlan(targets=targets, parameters={"db_size": SIZE})
    build_stores(
        resolve,
        plan,
        replace=False,
        on_progress=recorder.report_progress,
        cancelled=recorder.cancelled,
        layout=layout,
    )
    assert {kind: store.layouts for kind, store in stores.items()} == {MSSQL: [layout], MARIADB: [None]}


class HalfReset(Recorded):
    """A store whose reset was interrupted and can't be undone, like a long one on SQL Server."""

    def server(self) -> ServerInfo:
        return ServerInfo(product="SQL Server", version="16", host="db1", writable=True, settings={}, connect_ms=1.0)

    def state(self) -> Any:
        return StoreState(
            workload="dvdstore",
            scale=str(SIZE),
            seed=7,
            complete=False,
            is_reset_interrupted=True,
        )


def test_store_with_interrupted_reset_is_reset_not_built() -> None:
    def resolve(_planned: Target) -> Any:
        return Handing(HalfReset())

    found = probe_target(resolve, Target(kind=MSSQL, hosts=(Host("db1", 1433),), database="shop"), DVD_STORE)
    assert not found.ok
    assert found.sentence.endswith("database 'shop' holds a store whose last reset was interrupted: reset it again.")


def test_installed_drivers_or_an_installation_hint_are_returned() -> None:
    found = installed_drivers()
    assert set(found) == {MARIADB, MYSQL, MSSQL}
    for kind, drivers in found.items():
        assert drivers.kind == kind
        assert bool(drivers.names) != bool(drivers.hint)
    assert any("MariaDB" in name for name in found[MARIADB].names)


def test_missing_driver_has_an_installation_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyodbc.drivers", list)
    monkeypatch.setattr(packaged_driver, "packaged_library", lambda: None)
    found = installed_drivers()
    assert all(drivers.names == () and "install" in drivers.hint for drivers in found.values())
    assert found[MSSQL].hint.startswith(
        "No ODBC driver for SQL Server is installed; install the Python package mssql-python-odbc"
    )


def test_stores_of_all_loads_are_built_verified_and_reset(resolve: Resolve, target: Target) -> None:
    second = RunPlan(targets=(target.with_database(f"{DATABASE}_1"),), parameters={"db_size": DbSize(2, "MB")})
    plan = RunPlan(targets=(target,), parameters={"db_size": SIZE}, further_loads=(second, second))
    assert _build(resolve, plan) == "1 store of 1MB built; 1 store of 2MB built."
    assert _build(resolve, plan) == "1 store of 1MB was already there; 1 store of 2MB was already there."
    assert len(stores_in_the_way(resolve, plan)) == 2
    recorder = Recorder()
    ends = {"on_progress": recorder.report_progress, "cancelled": recorder.cancelled}
    assert verify_stores(resolve, plan, **ends).sentence.startswith("2 stores verified")
    assert reset_stores(resolve, plan, **ends).sentence == "2 stores are reset to what was built."
