import math
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.dialect import dialect_of
from engine.databases.odbc.admin import opened
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import MARIADB, MYSQL, Host, Target
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest

MARIADBS, MYSQLS = "MariaDB Unicode", "MySQL ODBC 9.1 Unicode Driver"
TIMEOUTS = Timeouts(connect_seconds=2.5, statement_seconds=30, silence_seconds=10)


def attributes(kind: str, driver: str, tls: str = "prefer", timeouts: Timeouts = TIMEOUTS) -> dict[str, str]:
    host = Host("db1", 3307)
    target = Target(kind=kind, hosts=(host,), database="ds2", user="me", tls=tls)
    return dialect_of(kind).attributes(target, host, Secret("s;e}c"), timeouts, driver)


@pytest.mark.parametrize("kind", [MARIADB, MYSQL])
@pytest.mark.parametrize("driver", [MARIADBS, MYSQLS])
def test_every_drivers_attributes_name_host_user_and_database(kind: str, driver: str) -> None:
    given = attributes(kind, driver)
    expected = {
        "DRIVER": driver,
        "SERVER": "db1",
        "PORT": "3307",
        "DATABASE": "ds2",
        "UID": "me",
        "PWD": "s;e}c",
        "CHARSET": "utf8mb4",
    }
    assert expected.items() <= given.items()


@pytest.mark.parametrize(
    ("tls", "mariadbs", "mysqls"),
    [
        ("disable", {}, "DISABLED"),
        ("prefer", {"FORCETLS": "1", "SSLVERIFY": "0"}, "PREFERRED"),
        ("require", {"FORCETLS": "1", "SSLVERIFY": "0"}, "REQUIRED"),
        ("verify-ca", {"FORCETLS": "1", "SSLVERIFY": "1"}, "VERIFY_CA"),
        ("verify-full", {"FORCETLS": "1", "SSLVERIFY": "1"}, "VERIFY_IDENTITY"),
    ],
)
def test_tls_attributes_are_each_drivers_own(tls: str, mariadbs: dict[str, str], mysqls: str) -> None:
    given = attributes(MARIADB, MARIADBS, tls)
    assert {name: value for name, value in given.items() if "TLS" in name or "SSL" in name} == mariadbs
    assert ("INITSTMT" in given) is (tls == "require")
    assert attributes(MYSQL, MYSQLS, tls)["SSLMODE"] == mysqls


def test_a_silent_server_is_given_up_only_where_statements_have_a_limit() -> None:
    assert attributes(MARIADB, MARIADBS)["READ_TIMEOUT"] == "40"
    assert attributes(MYSQL, MYSQLS)["READTIMEOUT"] == "40"
    patient = replace(TIMEOUTS, statement_seconds=math.inf)
    assert "READ_TIMEOUT" not in attributes(MARIADB, MARIADBS, timeouts=patient)
    assert "READTIMEOUT" not in attributes(MYSQL, MYSQLS, timeouts=patient)


def test_a_connect_waits_for_whole_seconds_and_one_at_least() -> None:
    assert attributes(MARIADB, MARIADBS)["CONN_TIMEOUT"] == "3"
    assert attributes(MARIADB, MARIADBS, timeouts=replace(TIMEOUTS, connect_seconds=0.1))["CONN_TIMEOUT"] == "1"


@pytest.mark.parametrize("tls", ["require", "verify-ca", "verify-full"])
def test_server_without_tls_is_refused_where_tls_is_required(dbms: MariaDBUnderTest, tls: str) -> None:
    target = replace(dbms.target("information_schema"), tls=tls)
    with pytest.raises(TargetError, match="TLS") as caught, opened(dialect_of(MARIADB), target, dbms.secret, TIMEOUTS):
        pass
    assert caught.value.error_class in (ErrorClass.REJECTED, ErrorClass.CONNECTION_LOST)


def test_tls_is_preferred_by_default(dbms: MariaDBUnderTest) -> None:
    target = replace(dbms.target("information_schema"), tls="prefer")
    with opened(dialect_of(MARIADB), target, dbms.secret, TIMEOUTS) as connection:
        assert connection.query("SELECT 1")[0][0] == 1


def test_long_work_has_no_limit_and_strict_values_whatever_the_server_is_set_to(dbms: MariaDBUnderTest) -> None:
    dbms.run("", "SET GLOBAL max_statement_time = 5, GLOBAL sql_mode = ''")
    try:
        with opened(dialect_of(MARIADB), dbms.target("information_schema"), dbms.secret, TIMEOUTS) as connection:
            ((limit, mode),) = connection.query("SELECT @@SESSION.max_statement_time, @@SESSION.sql_mode")
    finally:
        dbms.run("", "SET GLOBAL max_statement_time = DEFAULT, GLOBAL sql_mode = DEFAULT")
    assert float(limit) == 0
    assert "STRICT_ALL_TABLES" in mode


def test_a_server_that_is_set_to_read_only_refuses_writes(dbms: MariaDBUnderTest) -> None:
    dialect = dialect_of(MARIADB)
    with opened(dialect, dbms.target("information_schema"), dbms.secret, TIMEOUTS) as connection:
        assert not dialect.refuses_writes(connection.query)
        dbms.run("", "SET GLOBAL read_only = ON")
        try:
            assert dialect.refuses_writes(connection.query)
        finally:
            dbms.run("", "SET GLOBAL read_only = OFF")
