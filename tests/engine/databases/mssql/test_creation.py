from dataclasses import replace
from threading import Thread

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql import creation
from engine.databases.mssql.creation import bulk_logged, drop_database, ensure_database
from engine.databases.mssql.substitutes import BuildNotes
from engine.errors import TargetError, UserError
from engine.secrets import Secret
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.store_layout import FilegroupLayout, LogLayout, StoreLayout
from engine.target.target import Target
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import RecordedStore
from tests.waiting import wait_until

_ACCESS = (Secret("x"), Timeouts())


def _ensure(target: Target, layout: StoreLayout | None = None) -> bool:
    return ensure_database(target, *_ACCESS, layout or StoreLayout(), BuildNotes())


def test_a_missing_database_is_made_and_one_that_is_there_left(recorded_store: RecordedStore, target: Target) -> None:
    assert _ensure(target)
    assert not _ensure(target)
    assert len(recorded_store.sent_like("^CREATE DATABASE")) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((12,), "version 12; Spindle builds a store on 2016"),
        ((None,), "version None; Spindle builds a store on 2016"),
    ],
)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_that_cant_hold_a_store_is_refused_before_anything_is_made(
    recorded_store: RecordedStore, target: Target, answer: tuple[int | None], message: str, is_there: bool
) -> None:
    if is_there:
        recorded_store.databases.add("shop")
    recorded_store.answers("ProductMajorVersion", [answer])
    with pytest.raises(UserError, match=message):
        _ensure(target)
    assert recorded_store.sent_like("^(CREATE|ALTER)") == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (("/d", "/l", "ONLINE", 1), r"'shop' is there, but user 'ann' may not open it.*DATABASE::\[shop\] TO \[ann\]"),
        (("/d", "/l", "RESTORING", 1), r"'shop' is there, but its state is RESTORING.*DROP DATABASE \[shop\]"),
        (("/d", "/l", "RECOVERING", 1), "'shop' is being recovered after a start or a failover"),
        (("/d", "/l", None, 0), "'shop' does not exist, and user 'ann' may not create it.*dbcreator ADD MEMBER"),
        ((None, "/l", None, 1), "does not report its default folders"),
        (("/d", None, None, 1), "does not report its default folders"),
    ],
)
def test_refused_creation_names_the_remedy(
    recorded_store: RecordedStore, target: Target, answer: tuple[object, ...], message: str
) -> None:
    recorded_store.answers("InstanceDefaultDataPath", [answer])
    with pytest.raises(UserError, match=message):
        _ensure(target)
    assert recorded_store.sent_like("^CREATE") == []


def test_refused_creation_names_the_remedy_without_a_user_name(recorded_store: RecordedStore, target: Target) -> None:
    integrated = replace(target, user="", sql_server=SqlServerOptions(authentication=INTEGRATED))
    recorded_store.answers("InstanceDefaultDataPath", [("/d", "/l", None, 0)])
    with pytest.raises(UserError, match=r"the account that runs Spindle may not create it.*\[domain\\account\]"):
        _ensure(integrated)


def test_default_folders_are_not_needed_where_all_are_named(recorded_store: RecordedStore, target: Target) -> None:
    recorded_store.answers("InstanceDefaultDataPath", [(None, None, None, 1)])
    group = FilegroupLayout(folder="/data")
    layout = StoreLayout(customers=group, orders=group, indexes=group, misc=group, log=LogLayout(folder="/log"))
    assert _ensure(target, layout)
    ((_, create),) = recorded_store.sent_like("^CREATE DATABASE")
    assert "N'/data/shop.mdf'" in create
    assert "N'/log/shop_log.ldf'" in create


@pytest.mark.parametrize("name", ["master", "tempdb", "Model", "msdb"])
def test_the_servers_own_databases_are_refused_at_once(
    recorded_store: RecordedStore, target: Target, name: str
) -> None:
    recorded_store.databases.add(name)
    with pytest.raises(UserError, match=f"'{name}' is SQL Server's own"):
        _ensure(target.with_database(name))
    assert recorded_store.log == []


def test_concurrent_creation_is_retried(
    recorded_store: RecordedStore, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(creation, "_CHECK_EVERY_SECONDS", 0.02)
    refusal = odbc_error(("42000", 1807, "Could not obtain exclusive lock on database 'model'."))
    recorded_store.answers("^CREATE DATABASE", error=refusal)

    def permit_the_third() -> None:
        wait_until(lambda: len(recorded_store.sent_like("^CREATE DATABASE")) > 1, "it is tried again")
        recorded_store.answers("^CREATE DATABASE", None)

    permitting = Thread(target=permit_the_third)
    permitting.start()
    assert _ensure(target)
    permitting.join()
    monkeypatch.setattr(creation, "_MODEL_SECONDS", 0.05)
    recorded_store.answers("^CREATE DATABASE", error=refusal)
    with pytest.raises(TargetError, match="on database 'model'"):
        _ensure(target.with_database("other"))


def test_drop_keeps_a_database_in_use_and_raises_other_errors(
    recorded_store: RecordedStore, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(creation, "_LEAVE_SECONDS", 3.0)
    monkeypatch.setattr(creation, "_CHECK_EVERY_SECONDS", 0.02)
    recorded_store.answers("^DROP DATABASE", error=odbc_error(("42000", 3702, "It is currently in use.")))
    assert not drop_database(target, target.hosts[0], *_ACCESS)
    assert len(recorded_store.sent_like("^DROP DATABASE")) > 1
    recorded_store.answers("^DROP DATABASE", error=odbc_error(("42000", 3701, "No permission.")))
    with pytest.raises(TargetError, match="No permission"):
        drop_database(target, target.hosts[0], *_ACCESS)


def test_error_under_bulk_logging_is_raised_even_if_the_server_is_lost(
    recorded_store: RecordedStore, target: Target
) -> None:
    recorded_store.databases.add("shop")

    def load() -> None:
        recorded_store.databases.discard("shop")
        raise RuntimeError("the load failed")

    with (
        pytest.raises(RuntimeError, match="the load failed"),
        bulk_logged(target, *_ACCESS, made_database=True, notes=BuildNotes()),
    ):
        load()
