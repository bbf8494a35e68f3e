import pytest

from engine.errors import BadInput
from engine.target.kinds import EMBEDDED, KINDS, STORAGE, kind_facts, kind_of_scheme
from engine.target.target import Target


def test_the_defaults_of_a_kind_are_those_that_its_own_tools_have() -> None:
    found = {kind: (kind_facts(kind).port, kind_facts(kind).user, kind_facts(kind).tls) for kind in KINDS}
    assert found == {
        "embedded": (0, "", "prefer"),
        "postgresql": (5432, "postgres", "prefer"),
        "mariadb": (3306, "root", "prefer"),
        "mysql": (3306, "root", "prefer"),
        "mssql": (1433, "sa", "verify-full"),
        "mail": (143, "user", "starttls"),
        "storage": (0, "", "none"),
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in (EMBEDDED, STORAGE)])
def test_a_kinds_form_of_a_url_can_be_read_and_its_defaults_hold(kind: str) -> None:
    facts = kind_facts(kind)
    assert Target.parse(facts.url_form.replace(":port", ""))[0].hosts[0].port == facts.port
    assert Target.parse(f"{kind}://host/name")[0].user == facts.user
    assert facts.tls in facts.tls_modes


@pytest.mark.parametrize("kind", [EMBEDDED, STORAGE])
def test_what_has_no_host_has_a_form_too(kind: str) -> None:
    assert Target.parse(kind_facts(kind).url_form)[0].kind == kind


@pytest.mark.parametrize(("scheme", "kind"), [("SQLServer", "mssql"), ("postgres", "postgresql"), ("MySQL", "mysql")])
def test_a_kind_has_other_names(scheme: str, kind: str) -> None:
    assert kind_of_scheme(scheme) == kind


@pytest.mark.parametrize(("scheme", "words"), [("maria", "did you mean mariadb://"), ("oracle", "Spindle supports")])
def test_an_unknown_kind_is_refused_with_the_nearest(scheme: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        kind_of_scheme(scheme)
    with pytest.raises(BadInput, match=words):
        kind_facts(scheme)
