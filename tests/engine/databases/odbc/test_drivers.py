import pytest

from app.remedy_text import terminal_text, window_text
from engine.databases.odbc import packaged_driver
from engine.databases.odbc.drivers import best_driver, driver_for
from engine.errors import Remedy, RemedyKind, UserError
from engine.target.target import MARIADB, MSSQL, MYSQL

_ALL = [
    "FreeTDS",
    "ODBC Driver 17 for SQL Server",
    "ODBC Driver 18 for SQL Server",
    "PostgreSQL Unicode",
    "MySQL ODBC 9.4 ANSI Driver",
    "MySQL ODBC 8.4 Unicode Driver",
    "MySQL ODBC 9.4 Unicode Driver",
    "MariaDB ODBC 3.1 Driver",
    "MariaDB ODBC 3.2 Driver",
]


@pytest.mark.parametrize(
    ("kind", "best"),
    [
        (MSSQL, "ODBC Driver 18 for SQL Server"),
        (MARIADB, "MariaDB ODBC 3.2 Driver"),
        (MYSQL, "MySQL ODBC 9.4 Unicode Driver"),
    ],
)
def test_newest_driver_of_the_preferred_kind_is_chosen(kind: str, best: str) -> None:
    assert best_driver(_ALL, kind) == best


def test_a_second_best_driver_is_better_than_none() -> None:
    assert best_driver(["FreeTDS"], MSSQL) == "FreeTDS"
    assert best_driver(["MariaDB Unicode"], MYSQL) == "MariaDB Unicode"
    assert best_driver(["MySQL ODBC 8.0 Unicode Driver"], MARIADB) == "MySQL ODBC 8.0 Unicode Driver"


def test_the_drivers_of_this_machine_are_found() -> None:
    assert driver_for(MARIADB) == "MariaDB Unicode"
    assert driver_for(MARIADB, "postgresql unicode") == "PostgreSQL Unicode"


@pytest.mark.parametrize(
    ("kind", "platform", "hint"),
    [
        (MSSQL, "linux", "mssql-python-odbc"),
        (MSSQL, "darwin", "mssql-python-odbc"),
        (MSSQL, "win32", "ODBC Driver 18 for SQL Server"),
        (MYSQL, "linux", "apt install odbc-mariadb"),
        (MARIADB, "darwin", "brew install mariadb-connector-odbc"),
        (MARIADB, "win32", "MariaDB Connector/ODBC"),
        (MARIADB, "freebsd14", "install one"),
    ],
)
def test_a_missing_driver_is_one_sentence_with_the_platforms_hint(kind: str, platform: str, hint: str) -> None:
    with pytest.raises(UserError, match="no ODBC driver for") as caught:
        best_driver(["PostgreSQL Unicode"], kind, platform=platform)
    assert hint in str(caught.value)
    assert str(caught.value).count(". ") == 0


def test_a_missing_driver_of_sql_server_has_the_package_as_its_remedy() -> None:
    with pytest.raises(UserError) as caught:
        best_driver([], MSSQL, platform="linux")
    assert caught.value.remedy == Remedy(kind=RemedyKind.INSTALL_SQL_SERVER_DRIVER)
    assert "run pip install mssql-python-odbc" in terminal_text(caught.value)
    assert "install the Python package mssql-python-odbc" in window_text(caught.value)


def test_a_packaged_driver_that_lacks_a_library_is_not_to_be_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "libgssapi_krb5.so.2: cannot open shared object file"
    monkeypatch.setattr(packaged_driver, "load_error", lambda: reason)
    with pytest.raises(UserError, match="in the package mssql-python-odbc can't be loaded") as caught:
        best_driver([], MSSQL, platform="linux")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("installed", "known"), [(["FreeTDS", "MariaDB Unicode"], "FreeTDS, MariaDB Unicode"), ([], "no other")]
)
def test_a_driver_that_is_wanted_and_not_there_is_named_with_those_that_are(installed: list[str], known: str) -> None:
    with pytest.raises(UserError, match="driver is 'Own Driver', which is not installed") as caught:
        best_driver(installed, MSSQL, "Own Driver")
    assert known in str(caught.value)
