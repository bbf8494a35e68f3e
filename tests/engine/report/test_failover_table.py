from engine.analysis.comparing.references import Reference, find_reference, shipped_references
from engine.report.comparison_report import failover_sections
from engine.report.results import result_of_reference
from tests.engine.report.reported import blocks_of, rows_of, table_of


def test_a_published_failover_is_reported_to_the_printed_digit() -> None:
    reference = find_reference(shipped_references(), "ftServer, 8 vCPUs, enclosure pulled")
    assert reference is not None
    blocks = blocks_of(failover_sections([result_of_reference(reference)]))
    assert rows_of(table_of(blocks, "The running OPM through a failover")) == [
        ("ftServer, 8 vCPUs, enclosure pulled", "76 129", "76 010", "0.16 %", "12 s", "26 s")
    ]


def test_what_was_not_printed_is_not_known() -> None:
    blocks = blocks_of(
        failover_sections([result_of_reference(Reference(name="one", source="a test", headline_rate_before=10))])
    )
    assert rows_of(table_of(blocks, "The running OPM through a failover")) == [("one", "10", "–", "–", "–", "–")]


def test_a_lowest_opm_of_nothing_has_no_drop() -> None:
    reference = Reference(name="one", source="a test", headline_rate_before=0, headline_rate_lowest=0)
    blocks = blocks_of(failover_sections([result_of_reference(reference)]))
    assert rows_of(table_of(blocks, "The running OPM through a failover")) == [("one", "0", "0", "–", "–", "–")]


def test_without_a_failover_there_is_no_such_section() -> None:
    assert failover_sections([result_of_reference(Reference(name="one", source="a test", headline_rate=10))]) == []
