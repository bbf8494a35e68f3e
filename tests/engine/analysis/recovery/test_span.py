import pytest

from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import Ending, faults_of, span_of
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.analysis.faulted import constant, fault, run_of, with_faults

SETTINGS = RecoverySettings(horizon_seconds=120)


def test_span_extends_to_the_newest_second() -> None:
    span = span_of(run_of(constant(100)), fault(60.7), SETTINGS)

    assert (span.first, span.end, span.seconds, span.ending) == (60, 100, 40, Ending.GOES_ON)
    assert (span.after_fault(60), span.after_fault(62), span.after_fault(61.7)) == (0.0, 1.3, 1.0)


def test_span_ends_with_measuring() -> None:
    run = run_of(constant(100), measuring_to=90)
    assert (span_of(run, fault(60.7), SETTINGS).end, span_of(run, fault(60.7), SETTINGS).ending) == (
        90,
        Ending.RUN_OVER,
    )
    assert span_of(run, fault(60.7), SETTINGS, 80).ending is Ending.GOES_ON
    assert span_of(run, fault(95.0), SETTINGS).seconds == 0


def test_an_interrupted_run_is_over_where_it_was_cut() -> None:
    run = run_of(constant(100))
    run.set_state(RunState.INTERRUPTED, Phases(warming_up_from=0, measuring_from=0))

    assert span_of(run, fault(60.0), SETTINGS).ending is Ending.RUN_OVER


@pytest.mark.parametrize(("at", "end", "ending"), [(80, 80, Ending.GOES_ON), (81, 80, Ending.NEXT_FAULT)])
def test_span_ends_at_the_next_fault(at: int, end: int, ending: Ending) -> None:
    run = with_faults(run_of(constant(100)), 60.0, 80.4)
    span = span_of(run, run.events[1], SETTINGS, at)

    assert (span.end, span.ending, span.next_fault is None) == (end, ending, ending is Ending.GOES_ON)


def test_span_ends_at_the_horizon() -> None:
    span = span_of(run_of(constant(300)), fault(60.0), SETTINGS)

    assert (span.end, span.ending) == (180, Ending.HORIZON)


def test_only_faults_are_faults_and_they_come_in_order() -> None:
    run = with_faults(run_of(constant(9)), 7.0, 3.0)
    run.put_event(RunEvent(at_seconds=5.0, kind=EventKind.MARK, label="Note", number=3))

    assert [event.number for event in faults_of(run)] == [2, 1]
