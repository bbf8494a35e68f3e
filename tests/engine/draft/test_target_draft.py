import pytest
from hypothesis import given

from engine.draft.target_draft import KINDS, TargetDraft, kind_of
from engine.errors import BadInput
from engine.target import EMBEDDED, FAST, MANUAL, POSTGRESQL, PROBE, Host, Target
from tests.engine.plans import TARGETS


@given(TARGETS)
def test_a_target_comes_back_from_its_fields(target: Target) -> None:
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
    ("hosts", "sentence"),
    [
        ("", "Hosts is empty; name the server, such as db1 or db1:5432."),
        ("db1,,db2", "Hosts has nothing between two commas; write them as db1, db2:5433."),
        ("db1:99999", "Port 99999 of host db1 is out of range; give one from 1 to 65535."),
        ("db 1", "Target host 'db%201' can't be read; write host:port, and an IPv6 address in brackets."),
        ("me:hidden@db1", "Hosts holds an @; give only names and ports here, user and password below."),
    ],
)
def test_wrong_hosts_get_one_sentence(hosts: str, sentence: str) -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts=hosts)
    assert draft.validate() == {"hosts": sentence.replace("%20", " ")}
    with pytest.raises(BadInput):
        draft.target()


def test_each_wrong_field_has_its_own_sentence() -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts="db1", database="", user="a\tb", tls="perhaps", label="\n")
    errors = draft.validate()
    assert set(errors) == {"database", "user", "tls", "label"}
    assert errors["database"] == "Database is ''; give a name of 1 to 55 bytes, such as ds2."


def test_the_embedded_server_needs_nothing_and_forgets_nothing() -> None:
    draft = TargetDraft(kind=POSTGRESQL, hosts="db1", user="me")
    draft.kind = EMBEDDED
    assert draft.target() == Target(kind=EMBEDDED)
    draft.kind = POSTGRESQL
    assert draft.target() == Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me")


def test_what_was_typed_before_an_at_sign_is_not_kept() -> None:
    assert TargetDraft(kind=POSTGRESQL, hosts="me:hidden@db1").to_dict()["hosts"] == "db1"


def test_a_kept_draft_of_an_unknown_kind_is_the_embedded_server() -> None:
    assert TargetDraft.from_dict({"kind": "paper", "hosts": 3, "database": "ds3"}) == TargetDraft(database="ds3")


def test_the_kinds_know_their_defaults() -> None:
    assert [kind.kind for kind in KINDS] == [EMBEDDED, POSTGRESQL]
    assert (kind_of(POSTGRESQL).port, kind_of(POSTGRESQL).user) == (5432, "postgres")
    with pytest.raises(BadInput, match="paper"):
        kind_of("paper")


@pytest.mark.parametrize(
    "target",
    [
        Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST),
        Target(kind=EMBEDDED, nodes=2, failover=PROBE),
        Target(kind=EMBEDDED, nodes=3, sync=True, failover=MANUAL),
        Target(kind=EMBEDDED, nodes=3, failover=FAST),
    ],
)
def test_a_lab_comes_back_from_its_fields(target: Target) -> None:
    draft = TargetDraft.from_target(target)
    assert draft.target() == target
    assert TargetDraft.from_dict(draft.to_dict()) == draft
    assert draft.nodes == target.nodes


def test_a_single_server_fails_over_to_nothing_and_keeps_what_was_chosen() -> None:
    draft = TargetDraft(shape="pair", failover=PROBE)
    assert draft.target() == Target(kind=EMBEDDED, nodes=2, sync=True, failover=PROBE)
    draft.shape = "single"
    assert draft.target() == Target(kind=EMBEDDED)
    draft.shape = "async-pair"
    assert draft.target() == Target(kind=EMBEDDED, nodes=2, failover=PROBE)
    draft.kind, draft.hosts = POSTGRESQL, "db1"
    assert (draft.nodes, draft.target().nodes) == (1, 1)


def test_a_kept_lab_that_is_not_ours_is_a_single_server() -> None:
    assert TargetDraft.from_dict({"shape": "ring", "failover": "never"}) == TargetDraft()


def test_a_wrong_shape_or_failover_is_told() -> None:
    assert list(TargetDraft(shape="ring").validate()) == ["shape", "failover"]
    assert list(TargetDraft(shape="pair", failover="never").validate()) == ["failover"]
