import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.accounts import LoadAccount
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.load_account import load_password
from engine.secrets import Secret
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from tests.doubles.recorded_sql_server import odbc_error
from tests.engine.databases.mssql.recorded_store import SALT, RecordedStore

_SECRET = Secret("horse battery staple")
_MAY_MAKE = "'ALTER ANY LOGIN'"


@pytest.fixture
def connection(recorded_store: RecordedStore, target: Target) -> Iterator[OdbcConnection]:
    recorded_store.databases.add("shop")
    recorded_store.answers(_MAY_MAKE, [(1, 1, 0)])
    recorded_store.answers("FROM sys.server_principals", [(0,)])
    with opened(SqlServerDialect(), target, _SECRET, Timeouts()) as connection:
        yield connection


@pytest.fixture
def account(target: Target) -> LoadAccount:
    return LoadAccount(target, _SECRET, Timeouts(), STORE.procedures, SALT)


def test_the_account_is_made_on_every_server_of_the_target_with_one_sid(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    made = account.make(connection)
    assert made == ("spindle_shop", load_password(_SECRET, SALT))
    logins = recorded_store.sent_like("CREATE LOGIN")
    assert [database for database, _ in logins] == ["shop", "master"]
    assert {re.findall(r"SID = (0x[0-9a-f]{32}),", text)[0] for _, text in logins} == {f"0x{account.sid.hex()}"}
    assert recorded_store.sent_like(r"CREATE USER \[spindle_shop\] FOR LOGIN \[spindle_shop\]")[0][0] == "shop"
    assert len(recorded_store.sent_like("^GRANT EXECUTE ON OBJECT::dbo.")) == 7


def test_unreachable_server_does_not_delay_the_others(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    recorded_store.databases.discard("master")
    assert account.make(connection) is not None
    assert len(recorded_store.sent_like("CREATE LOGIN")) == 1


@pytest.mark.parametrize("rights", [(0, 1, 0), (1, 0, 0), (1, 1, 1), (None, None, 0)])
def test_no_account_without_the_right_or_password_logins(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount, rights: tuple[int, int, int]
) -> None:
    recorded_store.answers(_MAY_MAKE, [rights])
    assert account.make(connection) is None
    assert recorded_store.sent_like("LOGIN ") == []


def test_foreign_login_of_the_same_name_is_not_changed(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    recorded_store.answers("FROM sys.server_principals", [(1,)])
    assert account.make(connection) is None
    assert recorded_store.sent_like("(CREATE|ALTER) LOGIN") == []


def test_a_log_in_that_is_left_over_is_warned_of_with_what_drops_it(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    assert account.warning(connection) == ""
    recorded_store.answers("FROM sys.server_principals", [(1,)])
    warning = account.warning(connection)
    assert "'spindle_shop' is there already" in warning
    assert "connect as user 'ann'" in warning
    assert warning.endswith("DROP LOGIN [spindle_shop]")
    recorded_store.answers(_MAY_MAKE, [(0, 1, 0)])
    assert account.warning(connection) == ""


@pytest.mark.parametrize(
    ("seen", "refused", "renewed"),
    [
        ([(1,)], False, 0),  # the hash is seen, and the password is the same
        ([(0,)], False, 2),
        ([(None,)], False, 0),  # the hash is hidden, and the password lets in
        ([(None,)], True, 2),
    ],
)
def test_a_password_is_renewed_only_where_it_is_another(
    connection: OdbcConnection,
    recorded_store: RecordedStore,
    account: LoadAccount,
    seen: list[tuple[int | None]],
    refused: bool,
    renewed: int,
) -> None:
    recorded_store.answers("PWDCOMPARE", seen)
    recorded_store.refused_users = {"spindle_shop"} if refused else set()
    assert account.make(connection) is not None
    assert len(recorded_store.sent_like("ALTER LOGIN .* WITH PASSWORD")) == renewed


def test_load_password_is_random_without_an_administrators_password(
    connection: OdbcConnection, account: LoadAccount, target: Target
) -> None:
    integrated = replace(target, user="", sql_server=SqlServerOptions(authentication=INTEGRATED))
    passwords = []
    for _ in range(2):
        made = replace(account, target=integrated, secret=None).make(connection)
        assert made is not None
        passwords.append(made[1])
    assert passwords[0] != passwords[1]


def test_a_long_or_strange_database_has_an_account_too(account: LoadAccount, target: Target) -> None:
    assert replace(account, target=target.with_database("a]b'c")).name == "spindle_a]b'c"
    assert len(account.sid) == 16
    assert account.sid != replace(account, salt=bytes(16)).sid


def test_account_is_removed_from_database_and_all_servers(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    recorded_store.answers("FROM sys.sql_logins WHERE name = .* AND sid", [("spindle_shop",)])
    account.remove(connection)
    assert recorded_store.sent_like("^DROP USER IF EXISTS")[0] == ("shop", "DROP USER IF EXISTS [spindle_shop]")
    assert [database for database, _ in recorded_store.sent_like("^DROP LOGIN")] == ["shop", "master"]


def test_foreign_or_used_login_is_kept(
    connection: OdbcConnection, recorded_store: RecordedStore, account: LoadAccount
) -> None:
    recorded_store.answers("FROM sys.sql_logins WHERE name = .* AND sid", [])
    account.remove(connection)
    assert recorded_store.sent_like("^DROP LOGIN") == []
    recorded_store.answers("FROM sys.sql_logins WHERE name = .* AND sid", [("spindle_shop",)])
    recorded_store.answers("^DROP LOGIN", error=odbc_error(("42000", 15434, "Could not drop: logged in.")))
    account.remove(connection)
