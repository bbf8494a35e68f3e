import pytest

from engine.analysis.headline import headline_of
from engine.report.definitions import Term, definitions_section
from engine.report.document import Facts
from tests.own_words import words_of_the_dvd_store


def test_each_term_is_defined_once_in_the_order_given() -> None:
    section = definitions_section(headline_of("dvdstore"), [Term.RATE, Term.COST, Term.RATE])
    (facts,) = section.blocks
    assert isinstance(facts, Facts)
    assert [name for name, _ in facts.rows] == ["OPM", "Cost per OPM"]


@pytest.mark.parametrize("workload", ["dvdstore", "wholesale"])
def test_no_two_terms_share_a_name(workload: str) -> None:
    defined = [term.define(headline_of(workload)) for term in Term]
    assert len({name for name, _ in defined}) == len(Term)
    assert all(meaning.endswith(".") for _, meaning in defined)


def test_definitions_of_wholesale_are_in_its_own_words() -> None:
    defined = dict(term.define(headline_of("wholesale")) for term in Term)
    assert {"NOPM", "NOPM peak", "New-Orders", "Cost per NOPM"} < set(defined)
    assert defined["NOPM"].startswith("60 × New-Orders ÷ seconds")
    assert words_of_the_dvd_store("\n".join((*defined, *defined.values()))) == []
