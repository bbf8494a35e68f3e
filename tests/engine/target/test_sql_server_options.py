import pytest

from engine.errors import BadInput
from engine.target.host import Host
from engine.target.sql_server_options import SqlServerOptions


def test_default_options_are_password_and_one_server() -> None:
    assert SqlServerOptions() == SqlServerOptions(
        authentication="sql", multi_subnet_failover=False, failover_partner="", application_intent="ReadWrite"
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"authentication": "kerberos"}, "authentication is 'kerberos'; give one of sql, integrated"),
        ({"application_intent": "ReadOnly"}, "a secondary that accepts no orders"),
        ({"application_intent": "write"}, "application_intent is 'write'"),
        ({"failover_partner": "db 2"}, "without spaces"),
        ({"failover_partner": "db2\0"}, "control characters"),
        ({"failover_partner": "db2", "multi_subnet_failover": True}, "can't be combined"),
    ],
)
def test_invalid_options_are_rejected(fields: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        SqlServerOptions(**fields)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_a_listener_is_asked_at_a_port_and_not_by_an_instances_name() -> None:
    options = SqlServerOptions(multi_subnet_failover=True)
    options.check_hosts((Host("ag", 1433), Host("ag", 1433, "prod")))
    with pytest.raises(BadInput, match=r"give the listener's port, such as ag:1433"):
        options.check_hosts((Host("ag", 0, "prod"),))
    SqlServerOptions().check_hosts((Host("ag", 0, "prod"),))


@pytest.mark.parametrize(
    ("driver", "tls", "fields", "words"),
    [
        ("ODBC Driver 17 for SQL Server", "strict", {}, "use ODBC Driver 18"),
        ("SQL Server Native Client 11.0", "strict", {}, "use ODBC Driver 18"),
        ("FreeTDS", "verify-full", {}, "can't check the server's certificate"),
        ("FreeTDS", "strict", {}, "can't check the server's certificate"),
        ("FreeTDS", "require", {"multi_subnet_failover": True}, "does not support multi_subnet_failover"),
        ("FreeTDS", "require", {"failover_partner": "db2"}, "does not support failover_partner"),
    ],
)
def test_a_driver_that_cannot_do_it_is_refused(driver: str, tls: str, fields: dict[str, object], words: str) -> None:
    options = SqlServerOptions(**fields)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=words):
        options.check_driver(driver, tls)
    options.check_driver("ODBC Driver 18 for SQL Server", tls)
    options.check_driver("", tls)
