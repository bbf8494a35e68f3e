import pytest
from hypothesis import given

from engine.errors import BadInput
from engine.target.host import Host, read_host
from engine.target.kinds import EMBEDDED, MARIADB, MSSQL, MYSQL, POSTGRESQL, kind_facts
from tests.engine.plans import HOSTS, SQL_SERVER_HOSTS


@pytest.mark.parametrize(
    ("place", "host"),
    [
        ("db1", Host("db1", 1433)),
        ("db1:1444", Host("db1", 1444)),
        (r"db1\prod", Host("db1", 0, "prod")),
        ("db1%5Cprod", Host("db1", 0, "prod")),
        ("db1%5cprod:1444", Host("db1", 1444, "prod")),
        ("[fe80::1]%5CPROD_1", Host("fe80::1", 0, "PROD_1")),
        ("[fe80::1]:1444", Host("fe80::1", 1444)),
        ("10.0.0.7", Host("10.0.0.7", 1433)),
    ],
)
def test_a_server_with_or_without_an_instance(place: str, host: Host) -> None:
    assert read_host(place, kind_facts(MSSQL)) == host


@pytest.mark.parametrize(
    ("host", "text"),
    [
        (Host("db1", 0, "prod"), r"db1\prod"),
        (Host("db1", 1444, "prod"), r"db1\prod:1444"),
        (Host("::1", 5432), "[::1]:5432"),
    ],
)
def test_a_host_is_shown_as_it_is_typed(host: Host, text: str) -> None:
    assert str(host) == text


@given(host=SQL_SERVER_HOSTS)
def test_a_sql_servers_host_reads_back_and_needs_no_quotes_in_a_shell(host: Host) -> None:
    assert read_host(host.url_text, kind_facts(MSSQL)) == host
    assert "\\" not in host.url_text


@given(host=HOSTS)
def test_any_other_host_reads_back(host: Host) -> None:
    for kind in (POSTGRESQL, MARIADB, MYSQL):
        assert read_host(host.url_text, kind_facts(kind)) == host


@pytest.mark.parametrize(
    ("kind", "place", "words"),
    [
        (MSSQL, "", "host is empty; write mssql://"),
        (MSSQL, "1433", "looks like a port; write it after a colon, such as db1:1433"),
        (MSSQL, "db1\\", "the instance of host db1 is empty"),
        (MSSQL, r"db1\a b", "instance 'a b' of host db1"),
        (MSSQL, r"db1\1st", "instance '1st' of host db1"),
        (MSSQL, rf"db1\{'i' * 17}", "at most 16 letters"),
        (MSSQL, r"db1\prod\more", "instance 'prod"),
        (MSSQL, r"db1\prod:0", "port 0 of host db1"),
        (MSSQL, r"\prod", "can't be read"),
        (POSTGRESQL, r"db1\prod", "an instance, which only SQL Server has"),
        (MARIADB, "db1%5Cprod", "an instance, which only SQL Server has"),
        (EMBEDDED, "db1", "write embedded:///ds2"),
        (EMBEDDED, "db1:5432", "write embedded:///ds2"),
    ],
)
def test_a_wrong_host_is_refused_with_its_reason(kind: str, place: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_host(place, kind_facts(kind))
    assert words in str(caught.value)


@pytest.mark.parametrize(("name", "port", "instance"), [("db1", 0, ""), ("db1", -1, "prod"), (r"db1\prod", 1, "")])
def test_invalid_host_is_rejected_without_url(name: str, port: int, instance: str) -> None:
    with pytest.raises(BadInput, match="db1"):
        Host(name, port, instance)
