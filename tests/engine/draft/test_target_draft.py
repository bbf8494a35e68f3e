from dataclasses import replace

import pytest
from hypothesis import given

from engine.draft.target_draft import KINDS, TargetDraft, kind_of
from engine.errors import BadInput
from engine.target.target import (
    EMBEDDED,
    FAST,
    MAIL,
    MANUAL,
    MARIADB,
    MSSQL,
    MYSQL,
    POSTGRESQL,
    PROBE,
    STORAGE,
    Host,
    SqlServerOptions,
    Target,
)
from tests.engine.plans import TARGETS
from tests.texts import lacks


@given(TARGETS)
def test_target_round_trips_through_the_draft(target: Target) -> None:
    draft = TargetDraft.from_target(target)
    assert draft.validate() == {}
    assert draft.target() == target
    assert TargetDraft.from_dict(draft.to_dict()) == draft


def test_hosts_are_typed_with_and_without_ports() -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts=" db1 , db2:5433,[::1]:5434, /run/postgresql ")
    assert draft.target().hosts == (
        Host("db1", 5432),
        Host("db2", 5433),
        Host("::1", 5434),
        Host("/run/postgresql", 5432),
    )
    assert draft.target().user == "postgres"


@pytest.mark.parametrize(
    ("hosts", "parts"),
    [
        ("", ("Hosts", "empty", "db1:5432")),
        ("db1,,db2", ("Hosts", "empty", "comma", "db1, db2:5433")),
        ("db1:99999", ("99999", "db1", "1 to 65535")),
        ("db 1", ("'db 1'", "host:port", "brackets")),
        ("me:hidden@db1", ("Hosts", "@", "names and ports", "user and password below")),
    ],
)
def test_invalid_hosts_error_names_value_and_remedy(hosts: str, parts: tuple[str, ...]) -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts=hosts)
    errors = draft.validate()
    assert set(errors) == {"hosts"}
    assert lacks(errors["hosts"], *parts) == []
    assert "hidden" not in errors["hosts"]
    with pytest.raises(BadInput):
        draft.target()


def test_each_wrong_field_has_its_own_sentence() -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts="db1", database="", user="a\tb", tls="perhaps", label="\n")
    errors = draft.validate()
    assert set(errors) == {"database", "user", "tls", "label"}
    assert lacks(errors["database"], "Database", "1 to 55 bytes", "ds2") == []


def test_empty_file_of_storage_is_called_empty() -> None:
    draft = TargetDraft(kind=STORAGE, file=" ")
    assert lacks(draft.validate()["file"], "file is empty", "/data/spindle-file") == []
    with pytest.raises(BadInput, match="file is empty"):
        draft.target()


def test_embedded_target_keeps_fields_of_other_kinds() -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts="db1", user="me")
    draft.kind = EMBEDDED
    assert draft.target() == Target(kind=EMBEDDED)
    draft.kind = POSTGRESQL
    assert draft.target() == Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me")


def test_credentials_before_an_at_sign_are_not_stored() -> None:
    assert TargetDraft(kind=POSTGRESQL, hosts="me:hidden@db1").to_dict()["hosts"] == "db1"


def test_stored_draft_of_an_unknown_kind_is_embedded() -> None:
    assert TargetDraft.from_dict({"kind": "paper", "hosts": 3, "database": "ds3"}) == TargetDraft(database="ds3")


def test_a_delivery_that_can_not_be_read_is_reported_in_one_sentence() -> None:
    draft = TargetDraft(kind=MAIL, hosts="h", database="d.org", tls="starttls", delivery="lmtp:a:b")
    assert draft.validate() == {"delivery": "Delivery is 'lmtp:a:b'; write it as lmtp, lmtp:24 or lmtp:mail1:24."}


def test_the_kinds_know_their_defaults() -> None:
    assert [kind.kind for kind in KINDS] == [EMBEDDED, POSTGRESQL, MSSQL, MARIADB, MYSQL, STORAGE, MAIL]
    assert (kind_of(POSTGRESQL).port, kind_of(POSTGRESQL).user) == (5432, "postgres")
    with pytest.raises(BadInput, match="paper"):
        kind_of("paper")


@pytest.mark.parametrize(
    "target",
    [
        Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST),
        Target(kind=EMBEDDED, nodes=2, failover=PROBE),
        Target.parse("mail://u@h:99/d.org?tls=disable&delivery=lmtp&delivery_port=24")[0],
        Target.parse("mail://u@h/d.org?delivery=smtp&delivery_host=mx&accounts=a.csv&trust_server_certificate=yes")[0],
        Target.parse("storage:///data/file")[0],
        Target.parse("storage://db1/dev/sdb?device=sdb")[0],
        Target(kind=EMBEDDED, nodes=3, sync=True, failover=MANUAL),
        Target(kind=EMBEDDED, nodes=3, failover=FAST),
    ],
)
def test_lab_target_round_trips_through_the_draft(target: Target) -> None:
    draft = TargetDraft.from_target(target)
    assert draft.target() == target
    assert TargetDraft.from_dict(draft.to_dict()) == draft
    assert draft.nodes == target.nodes


def test_single_server_has_no_failover_and_keeps_the_selection() -> None:
    draft = TargetDraft(shape="pair", failover=PROBE)
    assert draft.target() == Target(kind=EMBEDDED, nodes=2, sync=True, failover=PROBE)
    draft.shape = "single"
    assert draft.target() == Target(kind=EMBEDDED)
    draft.shape = "async-pair"
    assert draft.target() == Target(kind=EMBEDDED, nodes=2, failover=PROBE)
    draft.kind, draft.hosts = POSTGRESQL, "db1"
    assert (draft.nodes, draft.target().nodes) == (1, 1)


def test_foreign_stored_lab_is_a_single_server() -> None:
    assert TargetDraft.from_dict({"shape": "ring", "failover": "never"}) == TargetDraft()


def test_invalid_shape_or_failover_is_reported() -> None:
    assert list(TargetDraft(shape="ring").validate()) == ["shape", "failover"]
    assert list(TargetDraft(shape="pair", failover="never").validate()) == ["failover"]


def test_hosts_of_a_sql_server_are_typed_as_its_users_write_them() -> None:
    draft = TargetDraft(kind=MSSQL, hosts=r"db1\prod, db2, db3:1444,[::1]\x:1445")
    assert draft.target().hosts == (
        Host("db1", 0, "prod"),
        Host("db2", 1433),
        Host("db3", 1444),
        Host("::1", 1445, "x"),
    )
    assert draft.target().user == "sa"
    assert TargetDraft.from_target(draft.target()).hosts == r"db1\prod, db2:1433, db3:1444, [::1]\x:1445"
    draft.hosts = "db1,1433"
    assert lacks(draft.validate()["hosts"], "'1433'", "port", "db1:1433") == []


def test_integrated_login_has_no_user_and_keeps_the_field() -> None:
    draft = TargetDraft(kind=MSSQL, hosts="db1", user="me")
    assert draft.takes_password
    draft.sql_server.authentication = "integrated"
    assert not draft.takes_password
    assert draft.target() == Target(
        kind=MSSQL, hosts=(Host("db1", 1433),), sql_server=SqlServerOptions(authentication="integrated")
    )
    draft.sql_server.authentication = "sql"
    assert draft.target().user == "me"


def test_fields_of_another_kind_are_kept_and_not_used() -> None:
    draft = TargetDraft(kind=MSSQL, hosts="db1", driver="FreeTDS", tls="verify-ca")
    draft.sql_server.encrypt = "no"
    assert (draft.target().tls, draft.target().driver) == ("disable", "FreeTDS")
    draft.kind = POSTGRESQL
    assert (draft.target().tls, draft.target().driver) == ("verify-ca", "")


def test_unsupported_tls_mode_becomes_the_default() -> None:
    draft = TargetDraft(kind=MARIADB, hosts="db1", tls="allow")
    assert lacks(draft.validate()["tls"], "TLS", "'allow'", "disable, prefer, require, verify-ca, verify-full") == []
    assert TargetDraft.from_dict(draft.to_dict()).tls == "prefer"
    draft.suit_kind()
    assert (draft.tls, draft.validate()) == ("prefer", {})
    kept = TargetDraft(kind=MSSQL, tls="allow")
    kept.suit_kind()
    assert kept.tls == "allow"


def test_copy_is_independent() -> None:
    draft = TargetDraft(kind=MSSQL, hosts="db1")
    draft.copy().sql_server.encrypt = "no"
    assert draft.sql_server.encrypt == "yes"


def test_draft_without_sql_server_fields_is_read() -> None:
    assert TargetDraft.from_dict({"kind": POSTGRESQL, "hosts": "db1", "sql_server": "none"}) == TargetDraft(
        kind=POSTGRESQL, hosts="db1"
    )


def test_ca_file_is_used_if_the_certificate_is_verified() -> None:
    target, _ = Target.parse("mysql://me@db1/ds2?sslmode=verify-ca&sslrootcert=ca.pem")
    draft = TargetDraft.from_dict(TargetDraft.from_target(target).to_dict())
    assert draft.target() == target
    for kind, tls in ((MYSQL, "require"), (POSTGRESQL, "verify-ca")):
        other = replace(draft, kind=kind, tls=tls)
        assert not other.takes_ca_file
        assert other.target().ca_file == ""
