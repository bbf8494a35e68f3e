"""Documents and JSON of Wholesale runs speak of New-Orders and NOPM, and of nothing that only the DVD Store has."""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.density import ServiceLevel
from engine.analysis.comparing.economics import Item
from engine.analysis.comparing.references import find_reference, shipped_references, typed_reference
from engine.analysis.headline import headline_of
from engine.analysis.host.power import DeviceWatts
from engine.analysis.latency.response_limits import limit_rows
from engine.analysis.recovery.judging import DEFAULTS, recovery_of
from engine.analysis.recovery.spread import recovery_spread
from engine.analysis.run_data import RunData
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.record.totals import NO_TOTALS
from engine.report.comparison_report import ComparisonChoices, comparison_report
from engine.report.document import Document, Notes
from engine.report.fault_repetitions import spread_rows
from engine.report.html import html_of
from engine.report.one_run import one_run_report
from engine.report.recovery_evidence import recovery_evidence
from engine.report.recovery_rows import recovery_rows
from engine.report.recovery_text import recovery_sentences, recovery_titles
from engine.report.results import ReportedRun, Result, result_of_reference, result_of_run
from engine.report.run_power import WattsOver
from engine.report.sets.report import run_set_report
from engine.report.sets.result import set_result
from engine.target.target import Target
from tests.doubles.wholesale_samples import wholesale_sample
from tests.engine.analysis.faulted import constant, fault
from tests.engine.report.reported import (
    MADE_AT,
    MEASURED_SECONDS,
    WARM_SECONDS,
    a_plan,
    a_reported_run,
    a_reported_set,
    blocks_of,
    rows_of,
    table_of,
)
from tests.own_words import words_of_the_dvd_store

NOPM = headline_of("wholesale")
TARGET = Target.parse("postgresql://me@db1/wholesale")[0]


def a_wholesale_run(name: str, new_orders: int, *, times_us: int = 4_000, processors: int = 1) -> ReportedRun:
    plan = a_plan(clients=2, workload="wholesale", parameters={"warehouses": 10}, name=name, targets=(TARGET,))
    samples = [
        wholesale_sample(client, second, new_orders, times_us=times_us)
        for second in range(WARM_SECONDS + MEASURED_SECONDS)
        for client in (1, 2)
    ]
    configuration = Configuration(
        name=f"{name}'s",
        items=(Item(name="server", price=Decimal(1_000)),),
        watts=(DeviceWatts(device="server", active_watts=300.0),),
        factors={"processors": str(processors)},
    )
    return a_reported_run(run_id=f"run-{name}", plan=plan, samples=samples, configuration=configuration)


def text_of(document: Document) -> str:
    source = re.sub(r"(?s)<(style|script)\b.*?</\1>", " ", html_of(document))
    return html.unescape(re.sub(r"<[^>]+>", " ", source))


def names_in(plain: Any) -> set[str]:
    """All keys of a JSON document."""
    if isinstance(plain, Mapping):
        return set(plain) | {name for each in plain.values() for name in names_in(each)}
    return {name for each in plain for name in names_in(each)} if isinstance(plain, list) else set()


def published(**figures: str) -> Result:
    typed = {"name": "theirs", "source": "a paper", "workload": "wholesale", **figures}
    return result_of_reference(typed_reference(typed, {"processors": "8"}))


def test_a_run_of_wholesale_has_the_words_of_wholesale() -> None:
    text = text_of(one_run_report(a_wholesale_run("a", 100), made_at=MADE_AT, watts_over=WattsOver.PEAK))
    assert words_of_the_dvd_store(text) == []
    for words in ("New-Orders per minute", "Cost per NOPM", "the 10 s with the most New-Orders", "12 000"):
        assert words in text.replace("\u202f", " ")


def test_a_comparison_with_every_section_has_the_words_of_wholesale() -> None:
    results = [result_of_run(a_wholesale_run(f"run {n}", 100 * n, processors=n)) for n in (1, 2, 4)]
    choices = ComparisonChoices(factor="processors")
    before = published(nopm="90,000", nopm_before="90,000", nopm_lowest="80,000", cost="5,000")
    document = comparison_report([*results, before], made_at=MADE_AT, choices=choices)
    text = text_of(document)
    assert words_of_the_dvd_store(text) == []
    assert [
        caption
        for caption in ("NOPM by processors", "Cost per NOPM", "NOPM per watt", "The running NOPM through a failover")
        if caption in text
    ] == ["NOPM by processors", "Cost per NOPM", "NOPM per watt", "The running NOPM through a failover"]
    peak = table_of(blocks_of(document.sections), "Counts of the measured seconds").columns[2]
    assert peak.title == "NOPM peak, NOPM"


def test_a_service_level_is_of_the_metric() -> None:
    level = ComparisonChoices(level=ServiceLevel(headline_rate_per_target=1_000_000))
    first, second = published(nopm="1"), published(nopm="2")
    more = Result(**{**vars(second), "named_factors": {"databases": "2"}})
    less = Result(**{**vars(first), "named_factors": {"databases": "1"}})
    text = text_of(comparison_report([less, more], made_at=MADE_AT, choices=level))
    assert words_of_the_dvd_store(text) == []
    assert "NOPM per target is under 1000000" in text


def test_a_set_has_the_words_and_keys_of_wholesale() -> None:
    runs = [a_wholesale_run(f"run {n}", 100 + n) for n in (1, 2, 3)]
    reported = a_reported_set(runs)
    assert words_of_the_dvd_store(text_of(run_set_report(reported, made_at=MADE_AT))) == []
    plain = json.loads(json.dumps(set_result(reported.run_set, [run.record for run in runs])))
    assert plain["nopm"] == plain["median"]["nopm"] == 60 * 2 * 102
    assert plain["spread_nopm"] == 60 * 2 * 2
    assert [name for name in sorted(names_in(plain)) if re.search(r"(^|_)opm|^orders", name)] == []


def test_results_of_two_workloads_are_refused_in_one_sentence_in_every_document() -> None:
    theirs = find_reference(shipped_references(), "R630, 4 databases, SSD, 20 ms")
    assert theirs is not None
    run, told = a_wholesale_run("a", 100), "different workloads, Wholesale and DVD Store 2, .*; choose results of one"
    with pytest.raises(BadInput, match=told):
        comparison_report([result_of_run(run), result_of_reference(theirs)], made_at=MADE_AT)
    with pytest.raises(BadInput, match=told):
        run_set_report(a_reported_set([run]), made_at=MADE_AT, references=[result_of_reference(theirs)])


def test_a_fault_is_described_in_new_orders() -> None:
    run = RunData(RunPlan(workload="wholesale", clients=2, targets=(TARGET,)))
    for second, new_orders in enumerate([*constant(60), *constant(3, 0), *constant(5, 50), *constant(60)]):
        for client in (1, 2):
            run.add(wholesale_sample(client, second, new_orders))
    run.set_state(RunState.COMPLETED, Phases(warming_up_from=0, measuring_from=0, measuring_to=128))
    found = recovery_of(run, fault(60.0))

    spread = spread_rows(NOPM, recovery_spread([found, found]))
    rows = [(row.figure, row.value, row.meaning) for row in recovery_rows(found, found.total)]
    said = "\n".join([*recovery_sentences(found), *recovery_titles(NOPM), *map(str, rows), *map(str, spread)])
    assert words_of_the_dvd_store(said) == []
    assert "1\u202f100 New-Orders were missed" in said
    assert {"New-Orders missed", "NOPM before", "Last New-Order before at", "New-Orders in doubt"} <= {
        figure for figure, _, _ in rows
    }

    plain = found.to_dict()
    assert (plain["baseline"]["nopm"], plain["baseline"]["new_orders_per_second"]) == (12_000, 200)
    assert plain["felt"]["new_orders_not_taken"] == 1_100
    assert plain["felt"]["blackout"]["last_new_order_second"] == 59
    assert plain["published"]["nopm_before"] == 12_000
    assert [name for name in names_in(plain) if re.search(r"headline|transaction|(^|_)opm|^orders", name)] == []


def test_the_limits_of_response_times_are_judged() -> None:
    slow = a_wholesale_run("slow", 100, times_us=1_500_000)
    document = one_run_report(slow, made_at=MADE_AT)
    table = table_of(blocks_of(document.sections), "Limits of the response times")
    assert [(what, limit, verdict) for what, limit, _, verdict in rows_of(table)] == [
        ("New-Order", "5 000", "met"),
        ("Payment", "5 000", "missed"),
        ("Order-Status", "5 000", "missed"),
        ("Delivery", "5 000", "missed"),
        ("Stock-Level", "20 000", "met"),
        ("New-Order rolled back", "5 000", "missed"),
    ]
    totals = a_wholesale_run("none", 0).record.totals
    assert totals is not None
    assert {row.verdict for row in limit_rows(totals)} == {"not known"}
    dvd_store = a_reported_run().record.totals
    assert dvd_store is not None
    assert limit_rows(dvd_store) == limit_rows(NO_TOTALS) == []


def test_the_evidence_of_a_recovery_cites_the_help_in_words_of_wholesale() -> None:
    reported = a_wholesale_run("a", 100)
    run = RunData(reported.record.plan)
    for second, new_orders in enumerate([*constant(60), *constant(3, 0), *constant(60)]):
        for client in (1, 2):
            run.add(wholesale_sample(client, second, new_orders))
    run.set_state(RunState.COMPLETED, Phases(warming_up_from=0, measuring_from=0, measuring_to=123))
    found = recovery_of(run, fault(60.0))
    evidence = recovery_evidence(replace(reported, data=run), [found], DEFAULTS, made_at=MADE_AT)
    (cited,) = (block.markdown for block in blocks_of(evidence.sections) if isinstance(block, Notes))
    told = [each for each in cited.split("\n\n") if "DVD Store" not in each]
    assert len(told) == len(cited.split("\n\n")) - 1
    assert "**New-Orders missed**" in cited
    assert "`new_orders_not_taken`" in cited
    assert re.findall(r"(?<!New-)\b[Oo]rders?\b|\bOPM\b", "\n\n".join(told)) == []
