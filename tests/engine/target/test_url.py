"""The options behind a target's question mark; hosts, users and passwords are ``test_host``'s and ``test_target``'s."""

import pytest

from engine.errors import BadInput
from engine.secrets import Secret
from engine.target.target import MARIADB, MSSQL, Host, SqlServerOptions, Target
from engine.target.url import read_url


@pytest.mark.parametrize(
    ("query", "tls"),
    [
        ("", "verify-full"),
        ("?encrypt=yes", "verify-full"),
        ("?encrypt=yes&trust_server_certificate=no", "verify-full"),
        ("?trust_server_certificate=yes", "require"),
        ("?encrypt=yes&trust_server_certificate=yes", "require"),
        ("?encrypt=strict", "strict"),
        ("?encrypt=no", "disable"),
    ],
)
def test_how_sql_servers_connections_are_encrypted(query: str, tls: str) -> None:
    assert read_url(f"mssql://sa@db1/ds2{query}").options["tls"] == tls


def test_every_option_of_a_sql_server() -> None:
    url = (
        r"mssql://db1\prod,db2:1444/ds2?authentication=integrated&failover_partner=db3%2C1433"
        "&driver=ODBC+Driver+18+for+SQL+Server&application_intent=ReadWrite"
    )
    target, secret = Target.parse(url)
    assert secret is None
    assert target == Target(
        kind=MSSQL,
        hosts=(Host("db1", 0, "prod"), Host("db2", 1444)),
        driver="ODBC Driver 18 for SQL Server",
        sql_server=SqlServerOptions(authentication="integrated", failover_partner="db3,1433"),
    )
    assert (target.user, target.takes_password) == ("", False)


def test_a_listener() -> None:
    target, secret = Target.parse("mssql://me:pass@ag.lab:1433/ds2?multi_subnet_failover=yes")
    assert target.sql_server == SqlServerOptions(multi_subnet_failover=True)
    assert secret == Secret("pass")
    assert target.takes_password


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("mssql://db1/ds2?encrypt=yes", "mssql://sa@db1:1433/ds2"),
        ("sqlserver://sa@db1/ds2", "mssql://sa@db1:1433/ds2"),
        (r"mssql://sa@db1\prod/ds2", "mssql://sa@db1%5Cprod/ds2"),
        (
            "mssql://db1/ds2?encrypt=yes&trust_server_certificate=yes",
            "mssql://sa@db1:1433/ds2?trust_server_certificate=yes",
        ),
        ("mariadb://db1,db2:3307/ds2?sslmode=verify-ca", "mariadb://root@db1:3306,db2:3307/ds2?sslmode=verify-ca"),
        ("mysql://me@db1?driver=My%20own", "mysql://me@db1:3306/ds2?driver=My%20own"),
        (
            "mysql://me@db1?sslrootcert=/etc/my%20ca.pem&sslmode=verify-full",
            "mysql://me@db1:3306/ds2?sslmode=verify-full&sslrootcert=%2Fetc%2Fmy%20ca.pem",
        ),
    ],
)
def test_url_contains_only_non_default_options(url: str, written: str) -> None:
    assert Target.parse(url)[0].url == written


def test_mariadb_takes_a_driver() -> None:
    target, _ = Target.parse("mariadb://db1/ds2?driver=MariaDB+Unicode")
    assert (target.kind, target.driver, target.tls, target.user) == (MARIADB, "MariaDB Unicode", "prefer", "root")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mssql://db1/ds2?encrypt=maybe", "encrypt is 'maybe'; give yes, no or strict"),
        ("mssql://db1/ds2?encrypt=strict&trust_server_certificate=yes", "always checks the certificate"),
        ("mssql://db1/ds2?encrypt=no&trust_server_certificate=yes", "there is no certificate to trust"),
        ("mssql://db1/ds2?trust_server_certificate=true", "trust_server_certificate is 'true'; give yes or no"),
        ("mssql://db1/ds2?TrustServerCertificate=yes", "did you mean trust_server_certificate"),
        ("mysql://db1/ds2?sslmode=require&sslrootcert=ca.pem", "sslmode=require, which checks no certificate"),
        ("mariadb://db1/ds2?sslrootcert=ca.pem", "give sslmode=verify-ca or verify-full"),
        ("postgresql://db1/ds2?sslmode=verify-ca&sslrootcert=ca.pem", "'sslrootcert' is not known"),
        ("mysql://db1/ds2?sslmode=verify-ca&sslrootcert=%0a", "control characters"),
        ("mssql://db1/ds2?sslmode=require", "'sslmode' is not known; encrypt, trust_server_certificate"),
        ("mssql://db1/ds2?multi_subnet_failover=1", "multi_subnet_failover is '1'; give yes or no"),
        ("mssql://db1/ds2?application_intent=ReadOnly", "accepts no orders"),
        ("mssql://db1/ds2?authentication=windows", "authentication is 'windows'; give one of sql, integrated"),
        ("mssql://me@db1/ds2?authentication=integrated", "user is 'me' with authentication=integrated"),
        ("mssql://:hunter2@db1/ds2?authentication=integrated", "which takes no password"),
        ("mssql://db1/ds2?multi_subnet_failover=yes&failover_partner=db2", "can't be combined"),
        (r"mssql://ag\prod/ds2?multi_subnet_failover=yes", "give the listener's port, such as ag:1433"),
        ("mssql://db1/ds2?encrypt=strict&driver=ODBC+Driver+17+for+SQL+Server", "use ODBC Driver 18"),
        ("mssql://db1,1433/ds2", "'1433' looks like a port"),
        ("mssql:///ds2", "names no host"),
        ("mariadb://db1/ds2?sslmode=allow", "sslmode is 'allow'; give one of disable, prefer, require"),
        ("mariadb://db1/ds2?encrypt=yes", "'encrypt' is not known; sslmode, sslrootcert, driver are"),
        ("mysql://db1/ds2?nodes=2", "'nodes' is not known"),
        ("postgresql://db1/ds2?driver=psqlODBC", "'driver' is not known; sslmode is the only one"),
        (r"mysql://db1\prod/ds2", "which only SQL Server has"),
    ],
)
def test_what_cannot_be_together_is_refused_in_a_sentence_without_the_password(url: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        Target.parse(url)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert "hunter2" not in message
