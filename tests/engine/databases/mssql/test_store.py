"""What building, verifying, resetting and dropping send to a server, in which order, and to which database."""

from collections.abc import Callable

import pytest

from engine.conduct.endpoint import Endpoint
from engine.conduct.preflight import check_plan
from engine.databases.database import ServerInfo, StoreState, Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.errors import Cancelled, ErrorClass, Remedy, RemedyKind, TargetError, UserError
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.layout import layout_for
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.places import SEED, SIZE, generated, never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_SECRET = Secret("horse battery staple")
_NEWEST_ORDER, _NEWEST_CUSTOMER = (rf"^SELECT COALESCE\(MAX\({column}\)" for column in ("orderid", "customerid"))
_COMPLETE = "UPDATE dbo.spindle_store SET state = 'complete'"


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    return SqlServerStore(target, _SECRET, Timeouts(), STORE)


def _build(
    store: SqlServerStore,
    *,
    replace: bool = False,
    delete_first: bool = False,
    report_progress: Callable[[Progress], None] = silent,
    cancelled: Callable[[], bool] = never,
    layout: StoreLayout | None = None,
) -> None:
    store.build(
        str(SIZE),
        SEED,
        replace=replace,
        delete_first=delete_first,
        report_progress=report_progress,
        cancelled=cancelled,
        layout=layout,
    )


def test_a_build_makes_the_database_the_tables_the_rows_and_what_finds_them_in_this_order(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _build(store)
    places = recorded_store.places(
        r"^CREATE DATABASE \[shop\]",
        "^ALTER DATABASE .* AUTO_CLOSE OFF",
        "^CREATE TABLE dbo.spindle_store",
        "^INSERT INTO dbo.spindle_store",
        "SET RECOVERY BULK_LOGGED",
        "^SET IDENTITY_INSERT dbo.customers ON",
        "^DBCC CHECKIDENT .N'dbo.orders', RESEED. ",
        "^CREATE UNIQUE NONCLUSTERED INDEX ix_cust_username ",
        "^ALTER TABLE dbo.cust_hist WITH CHECK",
        "^INSERT INTO dbo.inventory_pristine",
        "CREATE FULLTEXT CATALOG",
        "^CREATE FULLTEXT INDEX",
        "TableFulltextPopulateStatus",
        "SET RECOVERY FULL",
        "^UPDATE STATISTICS dbo.categories",
        "^CREATE PROCEDURE dbo.login",
        "^CREATE TRIGGER dbo.restock",
        f"^{_COMPLETE}",
    )
    assert places == sorted(places)
    assert {database for database, _ in recorded_store.sent_like("^(CREATE|ALTER) DATABASE .shop")} == {"master"}
    assert {database for database, _ in recorded_store.sent_like("^CREATE (TABLE|PROC|FULL|UNI)")} == {"shop"}
    assert recorded_store.sent_like("BACKUP") == []


def test_a_build_sends_every_row_of_the_generator(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    report = store.build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)
    for table, rows in generated(SIZE, SEED).items():
        assert sorted(map(repr, recorded_store.rows.get(table, []))) == sorted(map(repr, rows.elements()))
        assert report.rows.get(table, 0) == rows.total()
    assert report.bytes_streamed > 10 * sum(report.rows.values())


def test_a_builds_progress_rises_from_nothing_to_everything(store: SqlServerStore) -> None:
    told: list[Progress] = []
    _build(store, report_progress=told.append, layout=StoreLayout(backup_folder="/backup"))
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert all(progress.doing for progress in told)
    assert "backing up the store" in [progress.doing for progress in told]


def test_the_database_is_made_of_the_layouts_files(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    layout = layout_for(SIZE)
    _build(store, layout=layout)
    ((_, create),) = recorded_store.sent_like("^CREATE DATABASE")
    assert create.count("FILENAME") == 6
    assert "N'/var/opt/mssql/data/shop_customers_1.ndf'" in create
    assert "N'/var/opt/mssql/log/shop_log.ldf'" in create


def test_existing_database_keeps_its_files_with_a_notice(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    told: list[Progress] = []
    _build(store, report_progress=told.append, layout=StoreLayout())
    assert recorded_store.sent_like("CREATE DATABASE") == []
    assert "keeping the files of the existing database" in [progress.doing for progress in told]
    ((_, tables),) = recorded_store.sent_like("^CREATE TABLE dbo.spindle_store")
    assert "ON [PRIMARY]" in tables


def test_a_backup_is_made_of_the_complete_store_and_recorded_only_then(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _build(store, layout=StoreLayout(backup_folder="/backup"))
    places = recorded_store.places(
        "SET RECOVERY FULL",
        _COMPLETE,
        r"^BACKUP DATABASE \[shop\] TO DISK = N'/backup/SRV1_PROD_shop_spindle.bak'",
        "SET backup_file",
    )
    assert places == sorted(places)


def test_backup_of_a_foreign_database_is_copy_only(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _build(store, layout=StoreLayout(backup_folder="/backup"))
    recorded_store.databases.discard("shop")
    recorded_store.hold(None)
    recorded_store.databases.add("shop")
    _build(store, layout=StoreLayout(backup_folder="/backup"))
    made, found = (text for _, text in recorded_store.sent_like("^BACKUP"))
    assert "COPY_ONLY" not in made
    assert "CHECKSUM, COPY_ONLY, NAME" in found


def test_a_complete_store_is_not_built_over(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    with pytest.raises(UserError, match=r"'shop' already holds a 1MB store; replace it"):
        _build(store)
    assert recorded_store.sent_like("^(CREATE|DROP|ALTER)") == []


def test_delete_first_drops_the_database_made_by_a_build(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", made_database=True)
    _build(store, replace=True, delete_first=True)
    places = recorded_store.places("^DROP TABLE", r"^DROP DATABASE \[shop\]", "^CREATE DATABASE", _COMPLETE)
    assert places == sorted(places)


def test_delete_first_keeps_a_foreign_database(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", made_database=False)
    _build(store, replace=True, delete_first=True)
    assert recorded_store.sent_like("(DROP|CREATE) DATABASE") == []
    assert recorded_store.sent_like("^DROP TABLE IF EXISTS dbo.customers")


def test_build_refuses_a_foreign_table(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.answers(r"^SELECT TOP \(1\) CASE", [("table", "customers")])
    with pytest.raises(UserError, match="a table 'customers' that Spindle did not make"):
        _build(store, replace=True)
    assert recorded_store.sent_like("^(CREATE|DROP|ALTER)") == []


@pytest.mark.parametrize("share", [0.0, 0.3, 0.62, 0.95])
@pytest.mark.parametrize("is_there", [True, False])
def test_cancelled_build_removes_what_it_made(
    store: SqlServerStore, recorded_store: RecordedStore, share: float, is_there: bool
) -> None:
    if is_there:
        recorded_store.databases.add("shop")
    watcher = Watcher(share)
    with pytest.raises(Cancelled):
        _build(store, report_progress=watcher.report_progress, cancelled=watcher.asked)
    assert ("shop" in recorded_store.databases) is is_there
    assert recorded_store.sent_like("^DROP TABLE IF EXISTS dbo.spindle_store")
    assert recorded_store.sent_like(_COMPLETE) == []


def test_logging_is_full_again_when_a_load_fails(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("^SET IDENTITY_INSERT dbo.orders", error=odbc_error(("42000", 1105, "No space.")))
    with pytest.raises(TargetError, match="No space"):
        _build(store)
    assert [text for _, text in recorded_store.sent_like("SET RECOVERY")][-1].endswith("FULL")
    assert recorded_store.sent_like("^CREATE UNIQUE") == []
    assert store.state() == StoreState(workload="dvdstore", scale=str(SIZE), seed=7, complete=False)


@pytest.mark.parametrize(
    ("logging", "copied", "switches"), [("FULL", 1, 0), ("SIMPLE", 0, 0), ("BULK_LOGGED", 0, 2), ("FULL", 0, 2)]
)
def test_a_database_with_copies_or_in_simple_logging_keeps_its_logging(
    store: SqlServerStore, recorded_store: RecordedStore, logging: str, copied: int, switches: int
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.answers("^SELECT recovery_model_desc FROM", [(logging,)])
    recorded_store.answers("sys.database_mirroring", [(copied,)])
    _build(store)
    assert len(recorded_store.sent_like("SET RECOVERY")) == switches


@pytest.mark.parametrize("work", ["verify", "reset"])
@pytest.mark.parametrize(("state", "message"), [(None, "'shop' holds no store"), ("building", "only partly built")])
def test_only_a_complete_store_can_be_verified_and_reset(
    store: SqlServerStore, recorded_store: RecordedStore, work: str, state: str | None, message: str
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold(state)
    with pytest.raises(UserError, match=message):
        getattr(store, work)(report_progress=silent, cancelled=never)


def test_reset_without_backup_removes_added_rows_in_one_transaction(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    store.reset(report_progress=silent, cancelled=never)
    work = [text for _, text in recorded_store.log]
    begin = next(place for place, text in enumerate(work) if text.startswith("DELETE FROM dbo.cust_hist"))
    end = work.index("COMMIT")
    assert [text.split()[0] for text in work[begin:end]] == [
        *["DELETE"] * 4, "TRUNCATE", "TRUNCATE", "INSERT", "UPDATE", "DBCC", "DBCC",
    ]  # fmt: skip
    assert "orderid > 1200" in work[begin]
    assert work[end - 2].startswith("DBCC CHECKIDENT (N'dbo.customers', RESEED, 2000)")
    assert all(text.startswith("UPDATE STATISTICS") for text in work[end + 1 :])


def test_a_cancelled_reset_is_rolled_back(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    answers = iter([False, False, True])
    with pytest.raises(Cancelled):
        store.reset(report_progress=silent, cancelled=lambda: next(answers, True))
    assert recorded_store.log[-1][1] == "ROLLBACK"
    assert recorded_store.sent_like("COMMIT") == []


def test_reset_after_a_long_run_removes_rows_in_pieces_of_an_incomplete_store(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(_NEWEST_ORDER, [(51_200,)])
    recorded_store.answers(_NEWEST_CUSTOMER, [(22_000,)])
    store.reset(report_progress=silent, cancelled=never)
    places = recorded_store.places(
        "SET state = 'building'", "DELETE h\\b", "DELETE FROM dbo.customers .* customerid > @after",
        "^DELETE FROM dbo.cust_hist", "SET state = 'complete'", "COMMIT",
    )  # fmt: skip
    assert places == sorted(places)
    pieces = [sent.values for sent in recorded_store.sent if "@after int" in sent.statement]
    assert pieces == [(1_200, 21_200), (21_200, 41_200), (41_200, 51_200), (2_000, 22_000)]
    assert [text for _, text in recorded_store.log].count("COMMIT") == 1


def test_next_reset_continues_an_interrupted_one(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(_NEWEST_ORDER, [(51_200,)])
    watcher = Watcher(0.3)
    with pytest.raises(Cancelled):
        store.reset(report_progress=watcher.report_progress, cancelled=watcher.asked)
    assert recorded_store.sent_like("SET state = 'complete'") == []
    state = store.state()
    assert state is not None
    assert (state.complete, state.is_reset_interrupted, state.needs_reset) == (False, True, True)
    with pytest.raises(UserError, match="was interrupted; another reset completes it"):
        store.verify(report_progress=silent, cancelled=never)
    store.reset(report_progress=silent, cancelled=never)
    assert recorded_store.sent_like("SET state = 'complete'")


def test_interrupted_reset_makes_a_run_request_another(
    store: SqlServerStore, recorded_store: RecordedStore, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(_NEWEST_ORDER, [(51_200,)])
    watcher = Watcher(0.3)
    with pytest.raises(Cancelled):
        store.reset(report_progress=watcher.report_progress, cancelled=watcher.asked)
    found = ServerInfo(product="SQL Server", version="16", host="db1", writable=True, settings={}, connect_ms=1.0)
    monkeypatch.setattr(SqlServerStore, "server", lambda _store: found)
    with pytest.raises(UserError) as refused:
        check_plan(
            RunPlan(targets=(target,)),
            lambda planned: Endpoint(planned, _SECRET),
            Timeouts(),
            report_progress=silent,
            cancelled=never,
        )
    assert str(refused.value) == (
        "Database 'shop' on db1 holds a store whose last reset was interrupted; another reset completes it."
    )
    assert refused.value.remedy == Remedy(kind=RemedyKind.FINISH_RESET, target=target.url, workload=DVD_STORE)


def test_a_reset_waits_for_locks_no_longer_than_it_must(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    refusal = odbc_error(("HYT00", 1222, "Lock request time out period exceeded."))
    recorded_store.answers("^TRUNCATE TABLE dbo.reorder", error=refusal)
    with pytest.raises(UserError, match="keeps a lock on its tables; end that session"):
        store.reset(report_progress=silent, cancelled=never)
    assert recorded_store.sent_like("SET LOCK_TIMEOUT 300000;")
    assert recorded_store.log[-1][1] == "ROLLBACK"


def test_drop_removes_full_text_accounts_objects_then_the_database(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    assert store.drop() == "database 'shop' with its store"
    places = recorded_store.places(
        "SET state = 'building'", "DROP FULLTEXT INDEX", "DROP FULLTEXT CATALOG", "DROP USER IF EXISTS",
        "^DROP PROCEDURE IF EXISTS dbo.purchase", "^DROP TABLE IF EXISTS dbo.spindle_store", "COMMIT", "DROP DATABASE",
    )  # fmt: skip
    assert places == sorted(places)
    assert recorded_store.sent_like("DROP DATABASE") == [("master", "DROP DATABASE [shop]")]


@pytest.mark.parametrize(("made_database", "others"), [(False, 0), (True, 1)])
def test_foreign_or_used_database_is_kept(
    store: SqlServerStore, recorded_store: RecordedStore, made_database: bool, others: int
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", made_database=made_database)
    recorded_store.answers(r"FROM sys.objects AS o WHERE o.is_ms_shipped", [(others,)])
    assert "the database itself stays" in store.drop()
    assert recorded_store.sent_like("DROP DATABASE") == []


def test_database_in_an_availability_group_is_kept(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(
        "FROM sys.databases AS d\nINNER JOIN sys.availability_replicas AS own",
        [("ag1", "DB1", "SYNCHRONOUS_COMMIT", "AUTOMATIC", 1, None, None)],
    )
    assert "in availability group 'ag1': the database stays" in store.drop()
    assert recorded_store.sent_like("DROP DATABASE") == []


def test_mirrored_database_is_kept(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers("sys.database_mirroring", [(1,)])
    assert "it has a mirror, or is in an availability group: the database stays" in store.drop()
    assert recorded_store.sent_like("DROP DATABASE") == []


def test_missing_database_can_neither_be_inspected_nor_dropped(store: SqlServerStore) -> None:
    for work in (store.state, store.drop, store.server):
        with pytest.raises(TargetError) as caught:
            work()
        assert caught.value.error_class is ErrorClass.MISSING_DATABASE


def test_where_no_store_is_nothing_is_dropped(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    assert store.state() is None
    with pytest.raises(UserError, match="nothing to drop"):
        store.drop()
    assert recorded_store.sent_like("^DROP") == []


def test_a_store_of_a_newer_format_is_left_alone(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", format=3)
    for work in (store.state, store.drop, store.load_account, lambda: _build(store, replace=True)):
        with pytest.raises(UserError, match="newer than this version of Spindle"):
            work()
    assert recorded_store.sent_like("^(DROP|CREATE|UPDATE)") == []


def test_the_store_of_another_workload_is_left_alone(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete", workload="wholesale")
    for work in (store.state, store.drop, store.load_account, lambda: _build(store, replace=True)):
        with pytest.raises(
            UserError, match="holds a store of workload 'wholesale', not 'dvdstore'; choose that workload, or another"
        ):
            work()
    assert recorded_store.sent_like("^(DROP|CREATE|UPDATE)") == []


_FIRST = {"format": 1, "db_size": "1MB", "customers": 2_000, "orders": 1_200, "products": 1_000}


@pytest.mark.parametrize(
    ("state", "order_lines", "is_complete", "is_reset_interrupted"),
    [("complete", 6_000, True, False), ("building", 6_000, False, True), ("building", 0, False, False)],
)
def test_a_store_of_format_1_is_known(
    store: SqlServerStore,
    recorded_store: RecordedStore,
    state: str,
    order_lines: int,
    is_complete: bool,
    is_reset_interrupted: bool,
) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold(None)
    recorded_store.hold_first_format(state, {**_FIRST, "order_lines": order_lines})
    recorded_store.answers("MAX\\(orderid\\)", [("2026-01-02T03:04:05.123456Z", 1_200)])
    recorded_store.answers(r"^SELECT COUNT_BIG", [(0,)])
    found = store.state()
    assert found is not None
    assert (found.workload, found.scale, found.seed) == ("dvdstore", "1MB", 7)
    assert (found.complete, found.is_reset_interrupted) == (is_complete, is_reset_interrupted)
    store.drop()
    ((_, forgotten),) = recorded_store.sent_like("^UPDATE dbo.spindle_store")
    assert "counts" not in forgotten
    assert ("order_lines = 0" in forgotten) is bool(order_lines)


def test_the_state_counts_what_runs_have_added(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers("MAX\\(orderid\\)", [("2026-01-02T03:04:05.123456Z", 1_210)])
    for number, table in enumerate(("orders", "customers", "orderlines"), start=1):
        recorded_store.answers(rf"^SELECT COUNT_BIG\(\*\) FROM dbo.{table} WHERE", [(number,)])
    assert store.state() == StoreState(
        workload="dvdstore", scale=str(SIZE), seed=7, complete=True,
        beyond={"orders": 1, "customers": 2, "history rows": 3},
        as_built_at="2026-01-02T03:04:05.123456Z", high_water=1_210,
    )  # fmt: skip
