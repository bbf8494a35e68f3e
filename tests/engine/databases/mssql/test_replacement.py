"""What replacing a store sends to a server: the new one is made beside the old one, and takes its place at once."""

from collections.abc import Callable

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.errors import Cancelled, ErrorClass, Remedy, RemedyKind, TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.sizing import DbSize
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.contract.building import Watcher
from tests.engine.databases.contract.places import SEED, SIZE, never, silent
from tests.engine.databases.mssql.recorded_store import SALT, RecordedStore

_COMPLETE = "UPDATE dbo.spindle_store SET state = 'complete'"
_FREE = "sys.dm_os_volume_stats"


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    recorded_store.databases.add("shop")
    recorded_store.hold("complete")
    recorded_store.answers(r"^SELECT TOP \(1\) o.name FROM sys.objects", [])
    return SqlServerStore(target, Secret("x"), Timeouts(), STORE)


def _replace(
    store: SqlServerStore,
    *,
    report_progress: Callable[[Progress], None] = silent,
    cancelled: Callable[[], bool] = never,
    layout: StoreLayout | None = None,
) -> None:
    store.build(str(SIZE), SEED, replace=True, report_progress=report_progress, cancelled=cancelled, layout=layout)


def test_the_new_store_is_made_in_a_schema_of_its_own_and_moved_at_the_end(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _replace(store)
    places = recorded_store.places(
        "^CREATE SCHEMA spindle_replacement AUTHORIZATION dbo",
        "^CREATE TABLE spindle_replacement.spindle_store",
        "^INSERT INTO spindle_replacement.spindle_store",
        "SET RECOVERY BULK_LOGGED",
        "^SET IDENTITY_INSERT spindle_replacement.customers ON",
        "^DBCC CHECKIDENT .N'spindle_replacement.orders', RESEED. ",
        "^CREATE UNIQUE NONCLUSTERED INDEX ix_cust_username ON spindle_replacement.customers",
        "^IF NOT EXISTS .* CREATE FULLTEXT CATALOG",
        "^CREATE FULLTEXT INDEX ON spindle_replacement.products",
        "OBJECT_ID.N'spindle_replacement.products'.*TableFulltextPopulateStatus",
        "SET RECOVERY FULL",
        "^UPDATE STATISTICS spindle_replacement.categories",
        "^ALTER SCHEMA spindle_replaced TRANSFER OBJECT::dbo.customers",
        "^ALTER SCHEMA dbo TRANSFER OBJECT::spindle_replacement.customers",
        "^DROP PROCEDURE IF EXISTS dbo.purchase",
        "^CREATE PROCEDURE dbo.login",
        "^CREATE TRIGGER dbo.restock",
        f"^{_COMPLETE}",
        "DROP FULLTEXT INDEX ON spindle_replaced.products",
        "^DROP TABLE IF EXISTS spindle_replaced.spindle_store",
        "^DROP SCHEMA spindle_replaced",
    )
    assert places == sorted(places)
    assert recorded_store.sent_like("^DROP TABLE IF EXISTS dbo[.]") == []
    assert recorded_store.sent_like("DATABASE .shop. *$") == []


def test_the_stores_change_places_in_one_transaction(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _replace(store)
    texts = [text for _, text in recorded_store.log]
    begin = next(place for place, text in enumerate(texts) if text.startswith("ALTER SCHEMA"))
    end = next(place for place, text in enumerate(texts) if text.startswith(_COMPLETE))
    assert "COMMIT" not in texts[begin:end]
    assert texts[end + 1] == "COMMIT"
    moved = [text for text in texts[begin:end] if text.startswith("ALTER SCHEMA")]
    assert len(moved) == 2 * (len(STORE.tables) + 1)
    assert not any(text.startswith("ALTER SCHEMA") for text in texts[end:])


def test_replacement_keeps_the_load_account(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _replace(store)
    assert recorded_store.salts == [SALT]
    assert recorded_store.sent_like("DROP (USER|LOGIN)") == []


def test_a_backup_is_made_of_the_new_store_alone(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    told: list[str] = []
    _replace(store, layout=StoreLayout(backup_folder="/backup"), report_progress=lambda step: told.append(step.doing))
    places = recorded_store.places(_COMPLETE, "^DROP SCHEMA spindle_replaced", "^BACKUP DATABASE", "SET backup_file")
    assert places == sorted(places)
    assert "keeping the files of the existing database" in told


@pytest.mark.parametrize("share", [0.0, 0.3, 0.62, 0.95])
def test_a_cancelled_replacement_touches_nothing_of_the_old_store(
    store: SqlServerStore, recorded_store: RecordedStore, share: float
) -> None:
    watcher = Watcher(share)
    with pytest.raises(Cancelled):
        _replace(store, report_progress=watcher.report_progress, cancelled=watcher.asked)
    assert watcher.has_come
    _assert_untouched(recorded_store)
    assert recorded_store.sent_like("^DROP TABLE IF EXISTS spindle_replacement.spindle_store")
    assert recorded_store.sent_like("^DROP SCHEMA spindle_replacement")


def test_long_lock_on_the_old_store_prevents_its_replacement(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers(
        "^ALTER SCHEMA dbo TRANSFER", error=odbc_error(("42000", 1222, "Lock request time out period exceeded."))
    )
    with pytest.raises(TargetError) as caught:
        _replace(store)
    assert caught.value.error_class is ErrorClass.TIMEOUT
    texts = [text for _, text in recorded_store.log]
    failed = max(place for place, text in enumerate(texts) if text.startswith("ALTER SCHEMA"))
    assert texts[failed + 1] == "ROLLBACK"
    _assert_untouched(recorded_store)
    assert recorded_store.sent_like("^DROP SCHEMA spindle_replacement")


def test_full_disk_error_names_the_remedy(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("^SET IDENTITY_INSERT", error=odbc_error(("42000", 1105, "Could not allocate space.")))
    with pytest.raises(UserError, match="no room for the new store beside") as raised:
        _replace(store)
    assert raised.value.remedy == Remedy(kind=RemedyKind.DELETE_STORE_FIRST, name="shop")
    _assert_untouched(recorded_store)


def test_next_build_removes_what_a_killed_replacement_left(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers(r"^SELECT SCHEMA_ID", [(5,)])
    _replace(store)
    places = recorded_store.places("^DROP SCHEMA spindle_replacement", "^CREATE SCHEMA spindle_replacement")
    assert places == sorted(places)


def test_foreign_schema_is_not_changed(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers(r"^SELECT SCHEMA_ID", [(5,)])
    recorded_store.answers(r"^SELECT TOP \(1\) o.name FROM sys.objects", [("theirs",)])
    with pytest.raises(UserError, match=r"'spindle_replacement'.*'theirs' that Spindle did not make"):
        _replace(store)
    assert recorded_store.sent_like("^(CREATE|DROP|ALTER)") == []


def test_without_a_right_to_see_volumes_or_with_room_the_new_store_is_built_beside(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    for may_look, free in ((0, None), (1, 2 * estimate(SIZE).total_bytes)):
        recorded_store.answers("HAS_PERMS_BY_NAME.*'VIEW SERVER STATE'", [(may_look,)])
        recorded_store.answers(_FREE, [(free,)])
        replacement = store.replacement(str(SIZE))
        assert replacement is not None
        assert not replacement.must_delete_first
    assert recorded_store.sent_like("^(CREATE|DROP|ALTER)") == []


def test_where_room_or_rights_are_missing_the_old_store_would_be_deleted_first(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    recorded_store.answers("HAS_PERMS_BY_NAME.*'VIEW SERVER STATE'", [(1,)])
    recorded_store.answers(_FREE, [(estimate(SIZE).total_bytes,)])
    replacement = store.replacement(str(SIZE))
    assert replacement is not None
    assert replacement.obstacle.startswith("there is no room to build the new one beside it: it needs about ")
    recorded_store.answers("HAS_PERMS_BY_NAME.*'CONTROL'", [(0,)])
    replacement = store.replacement(str(SIZE))
    assert replacement is not None
    assert "'ann' does not own the database" in replacement.obstacle


def test_what_has_no_room_at_all_is_refused(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.answers("HAS_PERMS_BY_NAME.*'VIEW SERVER STATE'", [(1,)])
    recorded_store.answers(_FREE, [(1_000_000,)])
    with pytest.raises(UserError, match=r"nothing was changed\. Make room, or choose a smaller size"):
        store.replacement(str(DbSize(1, "GB")))


def _assert_untouched(recorded_store: RecordedStore) -> None:
    assert recorded_store.sent_like(_COMPLETE) == []
    assert recorded_store.sent_like("^DROP (TABLE|PROCEDURE) IF EXISTS dbo[.](?!spindle_lease)") == []
    assert recorded_store.sent_like("^UPDATE dbo.spindle_store") == []
    assert recorded_store.sent_like("DROP DATABASE") == []
