"""The judgement of a stored run: what limits its figures, and the recoveries from its faults, as values for JSON."""

import json
from pathlib import Path

import pytest

from app.library.checking import check_result_of
from app.library.judgement import judge_run, run_recoveries
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.verdicts.check import Outcome
from engine.library.library import Library
from engine.record.record import Phases
from engine.report.result import result
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import a_finished_record

FAULT_AT, BACK_AT, END = 120.0, 126, 300
PHASES = Phases(warming_up_from=0, measuring_from=10, measuring_to=END)


@pytest.fixture
def library(tmp_path: Path):
    with Library.open(tmp_path / "library.sqlite", notify=print) as opened:
        yield opened


def keep(library: Library, *events: RunEvent) -> str:
    """A run of one client with an outage of six seconds, and these events."""
    record = a_finished_record(clients=1, phases=PHASES, totals=None)
    samples = [
        dvd_sample(client=1, second=second, working=8, orders=0 if FAULT_AT <= second < BACK_AT else 100)
        for second in range(END)
    ]
    library.add_imported(record, samples, events)
    return record.run_id


def test_a_run_without_faults_has_none(library: Library) -> None:
    run_id = keep(library, RunEvent(at_seconds=FAULT_AT, kind=EventKind.MARK, label="Restored"))
    assert run_recoveries(library, run_id) == {}


def test_each_fault_has_its_recovery_and_json_can_hold_it(library: Library) -> None:
    fault = RunEvent(at_seconds=FAULT_AT, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True, number=5)
    other = RunEvent(at_seconds=FAULT_AT + 60, kind=EventKind.INJECTION, label="kill standby", is_fault=True, number=9)
    run_id = keep(library, fault, other)

    recoveries = run_recoveries(library, run_id)

    assert set(recoveries) == {5, 9}
    assert recoveries[5]["label"] == "Enclosure pulled"
    expected = json.loads(json.dumps(result(library.run(run_id), library.events(run_id), recoveries)))
    assert [each["number"] for each in expected["faults"]] == [5, 9]
    assert expected["faults"][0]["recovery"]["state"] == recoveries[5]["state"] == "recovered"
    assert expected["faults"][0]["recovery"]["settings"]["threshold_pct"] == 95.0


def test_recovery_uses_the_given_settings(library: Library) -> None:
    fault = RunEvent(at_seconds=FAULT_AT, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True, number=5)
    run_id = keep(library, fault)

    by_short_baseline = run_recoveries(library, run_id, RecoverySettings(baseline_seconds=30))[5]

    assert by_short_baseline["settings"]["baseline_seconds"] == 30
    baseline = by_short_baseline["baseline"]
    assert baseline["end_second"] - baseline["first_second"] == 30


def test_early_fault_prevents_the_steady_state_check(library: Library) -> None:
    soon = RunEvent(at_seconds=30, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True, number=5)
    judgement = judge_run(library, keep(library, soon))
    assert [recovery.fault.number for recovery in judgement.recoveries] == [5]
    expected = "warning    Steady state not assessed: only 20\u202fs before the first fault"
    assert judgement.text.startswith(expected)


def test_steady_state_is_known_without_faults(library: Library) -> None:
    judgement = judge_run(library, keep(library))
    assert judgement.recoveries == []
    assert judgement.text == ""


def test_a_fault_without_effect_has_a_recovery_of_no_time_in_checks(library: Library) -> None:
    pulled = RunEvent(at_seconds=FAULT_AT, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True, number=5)
    harmless = RunEvent(
        at_seconds=FAULT_AT + 60, kind=EventKind.INJECTION, label="kill standby", is_fault=True, number=9
    )
    report = check_result_of(library, keep(library, pulled, harmless), "", ["recovery > 30 s", "recovery > 3 s"])
    assert [each.outcome for each in report.judged] == [Outcome.PASSED, Outcome.FAILED]
