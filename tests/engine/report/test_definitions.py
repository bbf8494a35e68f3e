from engine.report.definitions import Term, definitions_section
from engine.report.document import Facts


def test_each_term_is_defined_once_in_the_order_given() -> None:
    section = definitions_section([Term.OPM, Term.COST, Term.OPM])
    (facts,) = section.blocks
    assert isinstance(facts, Facts)
    assert [name for name, _ in facts.rows] == ["OPM", "Cost per OPM"]


def test_no_two_terms_share_a_name() -> None:
    assert len({term.value[0] for term in Term}) == len(Term)
    assert all(meaning.endswith(".") for _, meaning in (term.value for term in Term))
