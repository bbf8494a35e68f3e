import pytest

from engine.analysis.comparing.density import ResponseTime, ServiceLevel
from engine.analysis.comparing.references import find_reference, shipped_references
from engine.errors import BadInput
from engine.record.totals import Totals
from engine.report.document import ChartFigure, LineChart
from engine.report.growth import density_sections, scaling_sections
from engine.report.results import Result, result_of_reference, result_of_run
from tests.doubles.samples import OPM
from tests.engine.report.reported import a_plan, a_reported_run, blocks_of, figure_of, rows_of, table_of, texts_of
from tests.texts import lacks, plain


def a_result(opm: int | None, **factors: str) -> Result:
    return Result(headline=OPM, name=f"{opm}", totals=Totals(headline_rate=opm), named_factors=factors)


SCALING_SERIES = tuple(f"Scaling series, {units}" for units in ("1 unit", "2 units", "4 units"))


def published(*names: str) -> list[Result]:
    found = [find_reference(shipped_references(), name) for name in names]
    return [result_of_reference(reference) for reference in found if reference is not None]


def a_step(databases: int, *orders: int) -> Result:
    plan = a_plan(databases=databases, clients=1)
    return result_of_run(a_reported_run(orders, run_id=f"run-{databases}", name=f"{databases} stores", plan=plan))


def test_scaling_matches_published_tables() -> None:
    (section,) = scaling_sections(published(*SCALING_SERIES))
    assert section.title == "Scaling with units"
    assert [row[:4] for row in rows_of(table_of(section.blocks, "OPM by units"))] == [
        ("1", "16 771", "–", "–"),
        ("2", "36 833", "+119.6 %", "2.20 ×"),
        ("4", "59 409", "+254.2 %", "3.54 ×"),
    ]
    chart = figure_of(section.blocks, "OPM by units").chart
    assert isinstance(chart, LineChart)
    assert [list(line.y) for line in chart.lines] == [[16771, 36833, 59409], [16771, 33542, 67084]]


def test_rows_stand_by_the_factor_whatever_the_order_of_the_results() -> None:
    (section,) = scaling_sections(list(reversed(published(*SCALING_SERIES))))
    assert [row[0] for row in table_of(section.blocks, "OPM by units").rows] == ["1", "2", "4"]


def test_typed_numbers_go_before_texts_and_those_before_the_plan() -> None:
    results = [a_result(1, cpus="1", disk="HDD"), a_result(2, cpus="2", disk="SSD")]
    assert [section.title for section in scaling_sections(results)] == ["Scaling with cpus"]
    texts = [a_result(opm, disk=disk, room="a") for opm, disk in enumerate(("HDD", "SSD", "NVMe"))]
    assert [section.title for section in scaling_sections(texts)] == ["Scaling with disk"]
    plans = [a_step(1, 10), a_step(2, 10, 10)]
    assert [section.title for section in scaling_sections(plans)] == ["Scaling with databases"]
    assert scaling_sections(texts[:2]) == []
    assert scaling_sections([a_result(1, room="a"), a_result(2, room="a")]) == []
    assert scaling_sections([a_result(1, cpus="1")]) == []


def test_text_factor_has_no_units_and_no_chart() -> None:
    results = [a_result(10, disk="HDD"), a_result(20, disk="SSD"), a_result(30, disk="NVMe")]
    (section,) = scaling_sections(results)
    assert rows_of(table_of(section.blocks, "OPM by disk"))[2] == ("NVMe", "30", "+200.0 %", "3.00 ×", "–", "–")
    assert not any(isinstance(block, ChartFigure) for block in section.blocks)


def test_a_wanted_factor_is_taken_from_those_that_have_it() -> None:
    results = [a_result(1, cpus="1", disk="HDD"), a_result(2, cpus="2", disk="SSD"), a_result(3, cpus="4")]
    (section,) = scaling_sections(results, "DISK")
    table = table_of(section.blocks, "OPM by disk")
    assert [row[0] for row in table.rows] == ["HDD", "SSD"]
    assert table.note == "Not known of 3."


def test_a_wanted_factor_that_nobody_has_or_that_is_shared_is_refused() -> None:
    results = [a_result(1, cpus="1", disk="HDD"), a_result(2, cpus="2", disk="HDD")]
    with pytest.raises(BadInput, match="factor is 'ram', which no result has; they have cpus, disk"):
        scaling_sections(results, "ram")
    with pytest.raises(BadInput, match="'disk' is the same for several results"):
        scaling_sections(results, "disk")


def test_an_unknown_opm_has_no_increase() -> None:
    (section,) = scaling_sections([a_result(10, cpus="1"), a_result(None, cpus="2")])
    assert rows_of(table_of(section.blocks, "OPM by cpus"))[1] == ("2", "–", "–", "–", "–", "–")


def test_density_names_the_most_targets_that_hold_the_level() -> None:
    level = ServiceLevel(headline_rate_per_target=600, response_ms=4.5, response=ResponseTime.MEAN)
    results = [a_step(2, 20, 20), a_step(1, 30), a_step(4, 5, 5, 5, 5), published(*SCALING_SERIES)[0]]
    blocks = blocks_of(density_sections(results, level))
    assert lacks(texts_of(blocks), "at least 600 OPM per target", "mean", "at most 4.5 ms", "2 targets hold") == []
    assert rows_of(table_of(blocks, "The service level by number of targets")) == [
        ("1", "1 stores", "1 800", "1 800", "4.00", "yes"),
        ("2", "2 stores", "2 400", "1 200", "4.00", "yes"),
        ("4", "4 stores", "1 200", "300", "4.00", "OPM per target is under 600"),
    ]


def test_density_of_published_results_goes_by_their_databases() -> None:
    results = published("R630, 4 databases, SSD, 20 ms", "R630, 8 databases, SSD, 20 ms")
    blocks = blocks_of(density_sections(results, ServiceLevel(headline_rate_per_target=30_500)))
    assert [row[:4] + row[5:] for row in rows_of(table_of(blocks, "The service level by number of targets"))] == [
        ("4", "R630, 4 databases, SSD, 20 ms", "186 604", "46 651", "yes"),
        ("8", "R630, 8 databases, SSD, 20 ms", "242 265", "30 283", "OPM per target is under 30500"),
    ]


def test_density_without_results_has_no_table() -> None:
    (section,) = density_sections(published("$10,994.88 configuration"), ServiceLevel(headline_rate_per_target=1))
    assert lacks(texts_of(section.blocks), "at least 1 OPM per target", "no step to judge") == []
    assert len(section.blocks) == 1


def test_density_takes_one_step_for_each_number_of_targets() -> None:
    with pytest.raises(BadInput, match="2 steps have 1 targets"):
        density_sections([a_step(1, 10), a_step(1, 20)], ServiceLevel(headline_rate_per_target=1))


def test_without_a_level_there_is_no_density() -> None:
    assert density_sections([a_step(1, 10)], None) == []


def test_a_level_s_numbers_are_written_like_all_others() -> None:
    (section,) = density_sections([a_step(1, 10)], ServiceLevel(headline_rate_per_target=20_000))
    assert "20 000 OPM per target." in plain(texts_of(section.blocks)[0])
