import sys
from dataclasses import replace

import pyodbc
import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.odbc.connecting import connect_any
from engine.databases.odbc.connection_string import connection_string
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.target.sql_server_options import INTEGRATED, SqlServerOptions
from engine.target.target import Host, Target
from tests.doubles.recorded_sql_server import RecordedSqlServer, odbc_error
from tests.waiting import wait_until

DRIVER_18, DRIVER_17, FREETDS = "ODBC Driver 18 for SQL Server", "ODBC Driver 17 for SQL Server", "FreeTDS"
HOST = Host("sql1", 1433)
TARGET = Target(kind="mssql", hosts=(HOST,), database="shop", user="ann", tls="require")
SECRET = Secret("p;w{d}")


def _attributes(target: Target, driver: str, host: Host = HOST, secret: Secret | None = SECRET) -> dict[str, str]:
    return SqlServerDialect().attributes(target, host, secret, Timeouts(silence_seconds=8), driver)


@pytest.mark.parametrize("encrypt", ["yes", "strict"])
@pytest.mark.parametrize("driver", ["", "&driver=FreeTDS"])
def test_the_options_that_a_refusal_of_freetds_proposes_are_accepted(encrypt: str, driver: str) -> None:
    """In place of the ``encrypt`` that is given."""

    def attributes(options: str) -> dict[str, str]:
        target, _ = Target.parse(f"mssql://ann@sql1/shop?{options}{driver}")
        return _attributes(target, FREETDS)

    with pytest.raises(UserError, match=r"\(encrypt=yes with trust_server_certificate=yes\)"):
        attributes(f"encrypt={encrypt}")
    assert attributes("encrypt=yes&trust_server_certificate=yes")["Encryption"] == "require"


@pytest.mark.parametrize("driver", [DRIVER_17, DRIVER_18])
def test_microsofts_driver_gets_its_own_keywords(driver: str) -> None:
    assert _attributes(TARGET, driver) == {
        "Driver": driver,
        "Database": "shop",
        "APP": "spindle",
        "UID": "ann",
        "PWD": "p;w{d}",
        "Server": "tcp:sql1,1433",
        "Encrypt": "yes",
        "TrustServerCertificate": "yes",
        "ApplicationIntent": "ReadWrite",
        "MultiSubnetFailover": "no",
        "MARS_Connection": "no",
        "ConnectRetryCount": "0",
        "KeepAlive": "4",
        "KeepAliveInterval": "1",
    }


def test_freetds_gets_only_keywords_that_it_supports() -> None:
    assert _attributes(TARGET, FREETDS) == {
        "Driver": "FreeTDS",
        "Database": "shop",
        "APP": "spindle",
        "UID": "ann",
        "PWD": "p;w{d}",
        "Server": "sql1",
        "Port": "1433",
        "TDS_Version": "7.4",
        "Encryption": "require",
        "ApplicationIntent": "ReadWrite",
        "ClientCharset": "UTF-8",
    }


@pytest.mark.parametrize(
    ("tls", "encrypt", "trust"),
    [("disable", "no", "no"), ("require", "yes", "yes"), ("verify-full", "yes", "no"), ("strict", "strict", "no")],
)
def test_certificate_is_trusted_only_on_request(tls: str, encrypt: str, trust: str) -> None:
    attributes = _attributes(replace(TARGET, tls=tls), DRIVER_18)
    assert (attributes["Encrypt"], attributes["TrustServerCertificate"]) == (encrypt, trust)


def test_without_encryption_freetds_still_encrypts_the_log_in() -> None:
    assert _attributes(replace(TARGET, tls="disable"), FREETDS)["Encryption"] == "request"


@pytest.mark.parametrize(
    ("host", "server", "freetds"),
    [
        (Host("sql1", 1444), "tcp:sql1,1444", {"Server": "sql1", "Port": "1444"}),
        (Host("sql1", 0, "prod"), "tcp:sql1\\prod", {"Server": "sql1\\prod"}),
        (Host("sql1", 1444, "prod"), "tcp:sql1,1444", {"Server": "sql1", "Port": "1444"}),
        (Host("::1", 1433), "tcp:::1,1433", {"Server": "::1", "Port": "1433"}),
    ],
)
def test_a_server_is_named_by_port_or_by_instance(host: Host, server: str, freetds: dict[str, str]) -> None:
    assert _attributes(TARGET, DRIVER_18, host)["Server"] == server
    given = _attributes(TARGET, FREETDS, host)
    assert {name: given[name] for name in ("Server", "Port") if name in given} == freetds


@pytest.mark.parametrize("driver", [DRIVER_18, FREETDS])
def test_an_integrated_log_in_gives_neither_user_nor_password(driver: str) -> None:
    target = replace(TARGET, user="", sql_server=SqlServerOptions(authentication=INTEGRATED))
    attributes = _attributes(target, driver)
    assert attributes["Trusted_Connection"] == "yes"
    assert not {"UID", "PWD"} & set(attributes)


def test_no_password_is_an_empty_one() -> None:
    assert _attributes(TARGET, DRIVER_18, secret=None)["PWD"] == ""


def test_listener_is_tried_at_all_addresses() -> None:
    target = replace(TARGET, sql_server=SqlServerOptions(multi_subnet_failover=True))
    assert _attributes(target, DRIVER_18)["MultiSubnetFailover"] == "yes"


def test_a_failover_partner_is_for_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    target = replace(TARGET, sql_server=SqlServerOptions(failover_partner="sql2,1433"))
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(UserError, match=r"'sql2,1433'.*second of the target's hosts"):
        _attributes(target, DRIVER_18)
    monkeypatch.setattr(sys, "platform", "win32")
    assert _attributes(target, DRIVER_18)["Failover_Partner"] == "sql2,1433"


@pytest.mark.parametrize(
    ("driver", "change", "told"),
    [
        (FREETDS, {"tls": "verify-full"}, "certificate is to be checked.*trust_server_certificate=yes"),
        (FREETDS, {"tls": "strict"}, "encrypt is strict.*ODBC Driver 18"),
        (DRIVER_17, {"tls": "strict"}, "encrypt is strict.*ODBC Driver 18"),
        (FREETDS, {"sql_server": SqlServerOptions(multi_subnet_failover=True)}, "multi_subnet_failover is given"),
        (FREETDS, {"sql_server": SqlServerOptions(failover_partner="sql2")}, "failover_partner is given"),
    ],
)
def test_a_driver_is_refused_for_what_it_would_pass_over(driver: str, change: dict[str, object], told: str) -> None:
    with pytest.raises(UserError, match=told):
        _attributes(replace(TARGET, **change), driver)  # type: ignore[arg-type]


def test_only_drivers_refusal_is_raised_by_connect(
    recorded: RecordedSqlServer, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyodbc, "drivers", lambda: ["FreeTDS"])
    with pytest.raises(UserError, match="certificate is to be checked"):
        connect_any(SqlServerDialect(), target, SECRET, Timeouts())
    assert recorded.connections == []


def test_a_password_can_hold_whatever_ends_a_value(recorded: RecordedSqlServer, target: Target) -> None:
    connection, _ = connect_any(SqlServerDialect(), target, SECRET, Timeouts())
    connection.close()
    (text,) = recorded.connection_strings
    assert "PWD={p;w{d}}};" in text
    assert text == connection_string(
        SqlServerDialect().attributes(target, target.hosts[0], SECRET, Timeouts(), DRIVER_18)
    )


def test_a_session_rolls_everything_back_at_an_error(recorded: RecordedSqlServer, target: Target) -> None:
    connection, _ = connect_any(SqlServerDialect(), target, SECRET, Timeouts())
    connection.close()
    assert recorded.statements()[0] == "SET NOCOUNT ON; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF;"


def test_a_wait_for_a_lock_is_ended_by_the_server() -> None:
    (statement,) = SqlServerDialect(lock_seconds=0.2).session_statements
    assert statement.endswith("SET LOCK_TIMEOUT 200;")


def test_a_readable_secondary_is_passed_over(recorded: RecordedSqlServer, target: Target) -> None:
    recorded.answers(r"'Updateability'", [("READ_ONLY",)])
    with pytest.raises(TargetError, match="accepts no writes") as caught:
        connect_any(SqlServerDialect(), target, SECRET, Timeouts())
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    assert len(recorded.connections) == 2
    wait_until(lambda: all(connection.closed for connection in recorded.connections), "both are closed")


def test_a_log_in_during_a_failover_is_a_lost_connection(recorded: RecordedSqlServer, target: Target) -> None:
    recorded.refusal = odbc_error(
        ("42000", 983, "Unable to access availability database 'shop'."),
        ("28000", 18456, "Login failed for user 'ann'."),
        function="SQLDriverConnect",
    )
    with pytest.raises(TargetError, match="Unable to access availability database") as caught:
        connect_any(SqlServerDialect(), target, SECRET, Timeouts())
    assert (caught.value.error_class, caught.value.code) == (ErrorClass.CONNECTION_LOST, "983")
