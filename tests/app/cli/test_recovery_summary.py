from app.cli.recovery_summary import recovery_summary
from engine.analysis.recovery.judging import recoveries_of
from engine.analysis.run_data import RunData
from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.live_runs import OUTAGE, a_live_run, ended


def a_run(*labels: str) -> RunData:
    """A run with an outage, and a fault at its beginning for the first label; further ones later, without any."""
    run = a_live_run(clients=2, seconds=390)
    for number, label in enumerate(labels):
        at_seconds = OUTAGE.start + 60.0 * number
        run.put_event(
            RunEvent(number=900 + number, at_seconds=at_seconds, kind=EventKind.INJECTION, label=label, is_fault=True)
        )
    return ended(run, RunState.COMPLETED)


def test_each_fault_has_a_line_and_its_sentences() -> None:
    text = recovery_summary(recoveries_of(a_run("Kill primary")), 118)
    header, line = text.splitlines()[:2]
    assert header.split()[:3] == ["at", "fault", "state"]
    assert "Kill primary" in line
    assert "Black-out" in text
    assert "orders were missed" in text
    assert max(map(len, text.splitlines())) <= 118


def test_repetitions_have_their_spread() -> None:
    text = recovery_summary(recoveries_of(a_run("Kill primary (1 of 2)", "Kill primary (2 of 2)")), 118)
    assert "Kill primary, 2 times" in text
    assert "median" in text
    assert "2 times" not in recovery_summary(recoveries_of(a_run("Kill primary", "Switchover")), 118)


def test_recovery_summary_is_empty_without_faults() -> None:
    assert recovery_summary(recoveries_of(a_run())) == ""
