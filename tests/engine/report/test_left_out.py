from engine.record.record import Origin
from engine.report.run_parts import left_out_sections
from tests.engine.report.reported import a_reported_run, blocks_of, texts_of


def test_common_omissions_are_listed_once() -> None:
    measured, imported = a_reported_run(), a_reported_run(origin=Origin.DS2_LOG)
    said = texts_of(blocks_of(left_out_sections({"a": measured, "b": imported})))
    assert said.count("The price look-up and the think time of an order are in no response time.") == 1
    assert [text for text in said if "driver's output" in text] == [said[-1]]
    assert said[-1].startswith("b: ")
    assert not any(text.startswith("a: ") for text in said)


def test_without_runs_nothing_was_left_out() -> None:
    assert left_out_sections({}) == []
