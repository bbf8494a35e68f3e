import pytest

from engine.analysis.recovery.judging import recovery_of, times_spans
from engine.analysis.recovery.times import BlockHistograms, ResponseTimes, response_times
from engine.analysis.run_data import RunData
from engine.analysis.series.blocks import block_of
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.sample import Sample
from tests.engine.analysis.faulted import fault
from tests.engine.analysis.samples import sample


def outage(clients: int = 2) -> list[Sample]:
    """A minute at 2 ms, five seconds with a tenth of the orders at 90 ms, and a minute at 4 ms."""
    spans = ((60, 2_000, 20), (5, 90_000, 2), (60, 4_000, 20))
    times = [[time_us] * count for seconds, time_us, count in spans for _ in range(seconds)]
    return [sample(client, second, each) for second, each in enumerate(times) for client in range(1, clients + 1)]


def run_with(samples: list[Sample]) -> RunData:
    run = RunData(RunPlan(clients=2, threads=8))
    for each in samples:
        run.add(each)
    run.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=0))
    return run


def stored(samples: list[Sample]) -> BlockHistograms:
    """The histograms as the library hands them over, in blocks of half a minute."""
    blocks = [
        block_of([each for each in samples if each.client == client and each.second // 30 == part]).histograms
        for part in range(5)
        for client in (1, 2)
    ]
    return BlockHistograms(blocks, {(0, 60), (60, 65), (65, 125)})


def test_times_before_during_and_after() -> None:
    samples = outage()
    recovery = recovery_of(run_with(samples), fault(60.0), histograms=stored(samples))

    for subject in (recovery.total, *recovery.clients):
        medians = [each.p50_ms for each in (subject.times_before, subject.times_during, subject.times_after)]
        assert medians == [pytest.approx(time, rel=0.001) for time in (2, 90, 4)]


def test_times_spans_are_those_that_faults_need() -> None:
    run = run_with(outage())
    run.put_event(fault(60.0))

    assert times_spans(run) == {(0, 60), (60, 65), (65, 125)}
    assert times_spans(run, at=63) == {(0, 60), (60, 63)}


def test_span_that_was_not_requested_is_not_available() -> None:
    assert stored(outage()).counts(1, 0, 61) is None
    assert BlockHistograms([], {(0, 60)}).counts(1, 0, 60) is not None


def test_without_orders_there_are_no_times() -> None:
    assert response_times(None) == ResponseTimes()
    assert response_times(BlockHistograms([], {(0, 10)}).counts(1, 0, 10)) == ResponseTimes()
