from dataclasses import replace
from decimal import Decimal

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.density import ServiceLevel
from engine.analysis.comparing.economics import Item
from engine.analysis.comparing.references import find_reference, shipped_references
from engine.analysis.host.power import DeviceWatts
from engine.errors import BadInput
from engine.record.record import RunState
from engine.record.totals import StageTotals
from engine.report.comparison_report import ComparisonChoices, comparison_report
from engine.report.document import ChartFigure, DataTable, Document, DocumentKind, KeyFigures, LineChart, Warn
from engine.report.results import Result, result_of_reference, result_of_run, result_of_set
from engine.telemetry.event import EventCode
from tests.engine.events import limit
from tests.engine.report.reported import (
    MADE_AT,
    a_plan,
    a_reported_run,
    a_reported_set,
    blocks_of,
    rows_of,
    table_of,
    texts_of,
    titles,
)
from tests.texts import lacks, plain


def published(name: str = "R630, 4 databases, HDD, 20 ms") -> Result:
    reference = find_reference(shipped_references(), name)
    assert reference is not None
    return result_of_reference(reference)


def a_configuration(name: str, processors: int, price: str) -> Configuration:
    return Configuration(
        name=name,
        items=(Item(name="server", price=Decimal(price)),),
        watts=(DeviceWatts(device="server", active_watts=300.0),),
        factors={"processors": str(processors), "room": "lab"},
    )


def a_run(name: str, *orders: int, **changed: object) -> Result:
    return result_of_run(a_reported_run(orders, run_id=f"run-{name}", name=name, **changed))  # type: ignore[arg-type]


def a_comparison(*results: Result, choices: ComparisonChoices | None = None) -> Document:
    return comparison_report(results, made_at=MADE_AT, choices=choices or ComparisonChoices())


def terms_of(document: Document) -> list[str]:
    return [text.partition(":")[0] for text in texts_of(document.sections[-1].blocks)]


def test_two_runs_with_all_that_is_known_of_them() -> None:
    one = a_run("one", 10, 20, configuration=a_configuration("small", 1, "900"))
    two = a_run("two", 30, 30, configuration=a_configuration("large", 2, "1800"))
    document = a_comparison(one, two)
    assert (document.kind, document.title, document.subtitle) == (DocumentKind.COMPARISON, "two against one", "2 runs")
    assert document.footer == "run-one, run-two"
    assert titles(document.sections) == [
        "Result", "Clients", "Response time", "Cost", "Power", "Scaling with processors", "What was compared", "Method",
        "What was left out", "Definitions",
    ]  # fmt: skip
    assert {"OPM", "Cost per OPM", "OPM per watt", "Increase"} < set(terms_of(document))
    assert not {"Density", "Median run", "Means of hosts"} & set(terms_of(document))


def test_two_results_say_first_how_they_differ() -> None:
    figures = next(
        block
        for block in blocks_of(a_comparison(a_run("a", 10), a_run("b", 25)).sections)
        if isinstance(block, KeyFigures)
    )
    assert [plain(f"{each.name} {each.value} {each.unit}".strip()) for each in figures.figures] == [
        "a 600 OPM",
        "b 1 500 OPM",
        "Difference +150.0 %",
        "Times as many 2.50 ×",
    ]


def test_published_results_alone_need_no_run() -> None:
    document = a_comparison(published(), published("R630, 4 databases, SSD, 20 ms"))
    assert titles(document.sections) == ["Result", "Clients", "What was compared", "Definitions"]
    assert document.subtitle == "2 published results"
    texts = texts_of(blocks_of(document.sections))
    assert any("All of them were measured with benchmark DVD Store 2.1" in text for text in texts)
    assert any(text.endswith("Measured with storage SSD.") for text in texts)


def test_a_set_stands_with_its_median_run_and_says_who_was_left_out() -> None:
    runs = [a_reported_run((each,), run_id=f"run-{each}", name=f"run {each}") for each in (30, 10, 20)]
    failed = a_reported_run((99,), run_id="run-99", name="run 99", state=RunState.FAILED)
    document = a_comparison(published(), result_of_set(a_reported_set([*runs, failed])))
    assert document.subtitle == "1 published result, 1 set"
    texts = texts_of(blocks_of(document.sections))
    assert "SSD, 20 ms: run 20 is the median run of 3. Left out: run 99, as it failed." in texts
    assert any("Median of the set, run run-20, 2026-11-21 04:30 UTC." in text for text in texts)
    assert "Median run" in terms_of(document)


def test_warnings_name_their_run_and_differing_plans_are_reported() -> None:
    stopped = a_run("stopped", 10, state=RunState.STOPPED)
    document = a_comparison(a_run("normal", 10), stopped, a_run("busy", 10, plan=a_plan(clients=1, threads=64)))
    warnings = [block.text for block in blocks_of(document.sections) if isinstance(block, Warn)]
    assert "stopped: It was stopped before its planned end." in warnings
    assert lacks(texts_of(blocks_of(document.sections)), "the plans differ in", "users per client") == []


def test_warnings_name_every_counted_run_of_a_set() -> None:
    how = "the clients used up to 93 % of it"
    event = limit(4.0, EventCode.WORKSTATION_BOTTLENECK, how, lasted_seconds=4)
    runs = [
        a_reported_run((each,), run_id=f"run-{each}", name=f"run {each}", events=[] if each == 20 else [event])
        for each in (30, 10, 20)
    ]
    document = a_comparison(a_run("alone", 10, events=[event]), result_of_set(a_reported_set(runs)))
    warnings = [block.text for block in blocks_of(document.sections) if isinstance(block, Warn)]
    limits = [text for text in warnings if not lacks(text, "bottleneck for 4 s", "from 0:01", how)]
    assert [text.partition(": ")[0] for text in limits] == ["alone", "SSD, 20 ms (run 30 and run 10)"]


def test_notes_of_the_runs_are_shown() -> None:
    document = a_comparison(a_run("a", 10, note="new firmware"), a_run("b", 10))
    assert "a: new firmware" in texts_of(blocks_of(document.sections))


def test_comparison_choices_are_shown() -> None:
    one = a_run("one", 10, plan=a_plan(databases=1, clients=1))
    two = a_run("two", 10, 10, plan=a_plan(databases=2, clients=1))
    choices = ComparisonChoices(level=ServiceLevel(headline_rate_per_target=600), factor="users")
    document = a_comparison(one, two, choices=choices)
    assert "Scaling with users" in titles(document.sections)
    assert rows_of(table_of(blocks_of(document.sections), "The service level"))[1][-1] == "yes"
    assert "Density" in terms_of(document)


def test_from_two_to_eight_results_are_compared() -> None:
    with pytest.raises(BadInput, match="2 to 8 results, not 1; give that many"):
        a_comparison(a_run("a", 10))
    with pytest.raises(BadInput, match="not 9; give that many"):
        a_comparison(*(a_run(f"run {number}", 10) for number in range(9)))
    assert a_comparison(*(a_run(f"{number}", 10 + number) for number in range(8))).title == "7 results against 0"


def test_runs_without_orders_or_totals_can_be_compared() -> None:
    nothing = a_run("nothing", 0, 0)
    unknown = a_run("unknown", 0, 0, totals=None, state=RunState.FAILED)
    rows = rows_of(
        table_of(blocks_of(a_comparison(nothing, unknown, a_run("some", 1, 2)).sections), "OPM of all clients")
    )
    assert rows == [
        ("nothing", "0", "–", "–", "–", "–"),
        ("unknown", "–", "–", "–", "–", "–"),
        ("some", "180", "+180", "–", "–", "50.00 %"),
    ]


def test_two_results_by_user_steps_stand_side_by_side() -> None:
    def staged(name: str, level: int) -> Result:
        result = a_run(name, 10, 20)
        stages = tuple(
            StageTotals(
                number=n,
                users=10 * n,
                first_second=n,
                seconds=1,
                headline=min(100 * n, level),
                count=n,
                rows_per_second=10.0 * level - 2 * n,
            )
            for n in range(1, 7)
        )
        return replace(result, totals=replace(result.totals, stages=stages))

    document = a_comparison(staged("old", 300), staged("new", 500))
    (section,) = (each for each in document.sections if each.title == "Stages")
    throughput = next(block for block in section.blocks if isinstance(block, ChartFigure))
    assert isinstance(throughput.chart, LineChart)
    assert [line.label for line in throughput.chart.lines] == ["old", "new"]
    assert [mark.label for mark in throughput.chart.marks] == ["knee of old: 30 users", "knee of new: 50 users"]
    table = next(block for block in section.blocks if isinstance(block, DataTable))
    assert table.rows[5] == ("60 users", "300", "500", "+66.7\u202f%")
    extremes = [block for block in section.blocks if isinstance(block, DataTable)][-1]
    place = [column.title for column in extremes.columns].index("Rows/s")
    assert [(row[0], row[place]) for row in extremes.rows] == [
        ("old: minimum", "2\u202f988"),
        ("old: maximum", "2\u202f998"),
        ("old: average", "2\u202f993"),
        ("new: minimum", "4\u202f988"),
        ("new: maximum", "4\u202f998"),
        ("new: average", "4\u202f993"),
        ("new: difference of averages", "+66.8\u202f%"),
    ]
    assert "Stages" not in titles(a_comparison(staged("old", 300), a_run("new", 10, 20)).sections)
