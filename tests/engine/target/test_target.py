import shlex
import traceback
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.target.target import Host, SqlServerOptions, Target
from tests.engine.plans import PRINTABLE, TARGETS

SENTINEL = "§§"


def _refused(url: str) -> str:
    with pytest.raises(BadInput) as caught:
        Target.parse(url)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("postgresql://db", (Host("db", 5432),)),
        ("postgresql://db:5433/ds2", (Host("db", 5433),)),
        ("postgresql://db:/ds2", (Host("db", 5432),)),
        ("POSTGRES://db/ds2", (Host("db", 5432),)),
        ("postgresql://[::1]/ds2", (Host("::1", 5432),)),
        ("postgresql://[fe80::1%25eth0]:5433/ds2", (Host("fe80::1%eth0", 5433),)),
        ("postgresql://a:1,b,[::1]:3/ds2", (Host("a", 1), Host("b", 5432), Host("::1", 3))),
        ("postgresql://%2Frun%2Fpostgresql:5433/ds2", (Host("/run/postgresql", 5433),)),
        ("  postgresql://db/ds2\n", (Host("db", 5432),)),
        ("embedded://", ()),
        ("embedded:///ds2_3", ()),
    ],
)
def test_hosts_and_ports(url: str, hosts: tuple[Host, ...]) -> None:
    assert Target.parse(url)[0].hosts == hosts


@pytest.mark.parametrize(
    ("url", "user", "password"),
    [
        ("postgresql://db/x", "postgres", None),
        ("postgresql://me@db/x", "me", None),
        ("postgresql://me:@db/x", "me", ""),
        ("postgresql://me:secret@db/x", "me", "secret"),
        ("postgresql://me%40corp:p%40%3A%2F%25@db/x", "me@corp", "p@:/%"),
        ("postgresql://me:p@ss:word@db/x", "me", "p@ss:word"),
        ("postgresql://me:50%@db/x", "me", "50%"),
    ],
)
def test_users_and_passwords(url: str, user: str, password: str | None) -> None:
    target, secret = Target.parse(url)
    assert (target.user, target.database, target.hosts[0].name) == (user, "x", "db")
    assert (secret.reveal() if secret else None) == password


def test_the_embedded_lab_has_a_shape() -> None:
    target, _ = Target.parse("embedded:///ds2?nodes=2&sync=on&failover=probe")
    assert (target.nodes, target.sync, target.failover) == (2, True, "probe")
    single, _ = Target.parse("embedded:///ds2?nodes=1")
    assert (single.nodes, single.sync, single.failover) == (1, False, "manual")
    assert single.url == "embedded:///ds2"


def test_only_the_embedded_server_has_a_shape() -> None:
    with pytest.raises(BadInput, match="the embedded server's"):
        Target(kind="postgresql", hosts=(Host("db", 1),), nodes=2)
    with pytest.raises(BadInput, match="nodes is 0"):
        Target(kind="embedded", nodes=0)


def test_database_and_tls() -> None:
    target, _ = Target.parse("postgresql://db/a%2Fb%20c?sslmode=verify-full")
    assert (target.database, target.tls) == ("a/b c", "verify-full")
    assert Target.parse("postgresql://db/")[0].database == "ds2"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("db.example.com", ", or storage:///path/of/file."),
        ("", "is not a URL"),
        ("://db", "is not a URL"),
        ("postgresq://db", "did you mean postgresql://"),
        ("embeded://", "did you mean embedded://"),
        (
            "sqlite://db",
            "Spindle supports embedded://, postgresql://, mariadb://, mysql://, mssql://, mail:// and storage://",
        ),
        ("postgresql:///ds2", "names no host"),
        ("postgresql://me@/ds2", "names no host"),
        ("postgresql://a,/ds2", "host is empty"),
        ("postgresql://:5432/ds2", "can't be read"),
        ("postgresql://::1/ds2", "brackets"),
        ("postgresql://fe80::1/ds2", "brackets"),
        ("postgresql://[::1/ds2", "brackets"),
        ("postgresql://a b/ds2", "can't be read"),
        ("postgresql://db:0/ds2", "port 0"),
        ("postgresql://db:70000/ds2", "port 70000"),
        ("postgresql://db:abc/ds2", "port of host db is not a number"),
        ("postgresql://db:-1/ds2", "port of host db is not a number"),
        ("postgresql://db:٣/ds2", "port of host db is not a number"),
        (f"postgresql://db:{'9' * 5_000}/ds2", "port of host db is not a number"),
        ("postgresql://db/ds2?sslmode=on", "sslmode is 'on'"),
        ("postgresql://db/ds2?sslmode=require&timeout=3", "'timeout'"),
        ("postgresql://db/ds2?password=hunter2", "'password'"),
        ("postgresql://db/ds2#top", "%23"),
        ("postgresql://db/%00", "control characters"),
        ("postgresql://a%00b@db/ds2", "control characters"),
        ("postgresql://db/\udcff", "control characters"),
        (f"postgresql://db/{'d' * 56}", "55 bytes"),
        (f"postgresql://db/{'é' * 28}", "55 bytes"),
        ("embedded://db/ds2", "embedded:///ds2"),
        ("embedded:///ds2?nodes=4", "nodes is '4'; give 1, 2 or 3"),
        ("embedded:///ds2?nodes=two", "nodes is 'two'"),
        ("embedded:///ds2?nodes=2&sync=yes", "sync is 'yes'; give on or off"),
        ("embedded:///ds2?nodes=2&failover=soon", "failover is 'soon'; give one of manual, fast, probe"),
        ("embedded:///ds2?sync=on", "sync is on with nodes=1"),
        ("embedded:///ds2?failover=fast", "failover is fast with nodes=1"),
        ("embedded:///ds2?node=2", "'node' is not known; sslmode, nodes, sync, failover are the only ones"),
        ("postgresql://db/ds2?nodes=2", "'nodes' is not known; sslmode is the only one"),
        ("postgresql://db/ds2?delivery=lmtp", "'delivery' is not known"),
        ("mail://mx", "names no domain; write mail://user@host:port/domain"),
        ("mail://mx/a.org?delivery=pop3", "delivery is 'pop3'; give one of submission, smtp, lmtp"),
        ("mail://mx/a.org?delivery_port=x", "delivery_port is 'x'; give one from 1 to 65535"),
        ("mail://mx/a.org?delivery_port=99999", "delivery_port is 99999; give one from 1 to 65535"),
        ("mail://mx/a.org?tls=ssl", "tls is 'ssl'; give one of starttls, tls, disable"),
        ("mail://mx/a.org?tls=disable&sslrootcert=ca.pem", "no certificate is checked"),
        ("mail://mx/a.org?sslmode=require", "'sslmode' is not known"),
    ],
)
def test_a_wrong_url_is_refused_with_its_reason(url: str, words: str) -> None:
    assert words in _refused(url)


@pytest.mark.parametrize("field", ["kind", "tls"])
def test_fields_are_checked_without_a_url_too(field: str) -> None:
    with pytest.raises(BadInput, match="nonsense"):
        Target(**{"kind": "postgresql", "hosts": (Host("db", 1),), field: "nonsense"})


def test_an_empty_user_and_tls_mode_are_the_kinds_defaults() -> None:
    target = Target(kind="mssql", hosts=(Host("db", 1433),))
    assert (target.user, target.tls) == ("sa", "verify-full")
    assert Target(kind="embedded").user == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "postgresql", "sql_server": SqlServerOptions(failover_partner="db2")}, "are SQL Server's"),
        ({"kind": "mariadb", "hosts": (Host("db", 0, "prod"),)}, "which only SQL Server has"),
        ({"kind": "postgresql", "driver": "psqlODBC"}, "PostgreSQL needs no ODBC driver"),
        ({"kind": "mssql", "tls": "prefer"}, "encryption is 'prefer'; give one of verify-full, require"),
    ],
)
def test_options_of_another_kind_are_rejected(fields: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        Target(**{"hosts": (Host("db", 1),)} | fields)
    assert words in str(caught.value)


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_hosts_port_is_checked(port: int) -> None:
    with pytest.raises(BadInput, match=f"port {port} "):
        Host("db", port)


@given(target=TARGETS)
def test_a_targets_url_reads_back(target: Target) -> None:
    assert Target.parse(target.url) == (target.with_label(""), None)


@given(password=st.text(PRINTABLE, min_size=4, max_size=20), user=st.text(PRINTABLE, min_size=1, max_size=8))
def test_a_percent_encoded_password_comes_through_and_shows_nowhere(password: str, user: str) -> None:
    hidden = f"{SENTINEL}{password}"
    target, secret = Target.parse(f"postgresql://{quote(user, safe='')}:{quote(hidden, safe='')}@db:5433/ds2")
    assert secret is not None
    assert secret.reveal() == hidden
    assert target.user == user
    for shown in (str(target), repr(target), target.url, target.secret_name, str(secret), repr(secret), f"{secret}"):
        assert SENTINEL not in shown
        assert quote(SENTINEL) not in shown


@given(
    pieces=st.lists(st.sampled_from(["@", ":", "/", "?", "#", "%", "[", "]", ",", "=", "&", " ", "://"]), max_size=4),
    rest=st.sampled_from(
        ["db/ds2", "db:0/ds2", "db:x/ds2", "[::1/ds2", "/ds2", "db,/ds2", "db/ds2?x=1", "db/ds2#f", "db/%00", ""]
    ),
    start=st.sampled_from(["postgresql://me:", "postgres://:", "embedded://me:", "sqlite://me:", "me:", "://me:"]),
)
def test_no_message_repeats_a_raw_password(pieces: list[str], rest: str, start: str) -> None:
    password = SENTINEL.join(["", *pieces, ""])
    try:
        Target.parse(f"{start}{password}@{rest}")
    except BadInput:
        assert "§" not in traceback.format_exc()


@given(target=TARGETS)
def test_a_targets_argument_comes_through_a_shells_splitting(target: Target) -> None:
    assert shlex.split(f"spindle build --target {target.argument}")[-1] == target.url


def test_an_argument_is_quoted_only_where_it_must_be() -> None:
    assert Target.parse("postgresql://me@db/ds2")[0].argument == "postgresql://me@db:5432/ds2"
    assert (
        Target.parse("mssql://db/ds2?encrypt=no&driver=x")[0].argument == "'mssql://sa@db:1433/ds2?encrypt=no&driver=x'"
    )


def test_another_user_logs_in_with_a_password() -> None:
    integrated = Target(
        kind="mssql", hosts=(Host("db", 1433),), sql_server=SqlServerOptions(authentication="integrated")
    )
    assert not integrated.takes_password
    other = integrated.with_user("spindle_ds2")
    assert (other.user, other.takes_password, other.hosts) == ("spindle_ds2", True, integrated.hosts)


def test_the_password_is_kept_for_all_databases_of_a_server_and_user() -> None:
    target = Target.parse("postgresql://me@db/one")[0]
    assert target.secret_name == target.with_database("two").secret_name
    assert target.secret_name != Target.parse("postgresql://you@db/one")[0].secret_name
