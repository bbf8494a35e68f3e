import pytest

from engine.analysis.recovery.judging import recovery_of, times_spans
from engine.analysis.recovery.times import (
    BlockHistograms,
    HistogramSource,
    LiveHistograms,
    ResponseTimes,
    response_times,
)
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


def live(samples: list[Sample]) -> LiveHistograms:
    source = LiveHistograms("order")
    for each in samples:
        source.add(each)
    return source


@pytest.mark.parametrize("kept", [stored, live])
def test_times_before_during_and_after(kept: type[HistogramSource]) -> None:
    samples = outage()
    source: HistogramSource = kept(samples)  # type: ignore[call-arg]
    recovery = recovery_of(run_with(samples), fault(60.0), histograms=source)

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
    assert response_times(live([]).counts(1, 0, 10)) == ResponseTimes()


def test_extended_sum_equals_a_new_one() -> None:
    samples = outage()
    growing = LiveHistograms("order")
    for each in samples:
        growing.add(each)
        if each.client == 2:
            asked = growing.counts(1, 3, each.second + 1)
            assert asked is not None
    fresh = live(samples).counts(1, 3, 125)

    assert asked is not None
    assert fresh is not None
    assert (asked == fresh).all()


def test_late_sample_is_added_to_the_sum() -> None:
    samples = outage()
    source = live(samples[:-20])
    before = source.counts(1, 0, 125)
    for each in samples[-20:]:
        source.add(each)
    after = source.counts(1, 0, 125)

    assert before is not None
    assert after is not None
    assert after.sum() - before.sum() == 10 * 20


def test_a_shorter_span_than_before_is_summed_anew() -> None:
    source = live(outage())
    whole, half = source.counts(1, 0, 125), source.counts(1, 0, 60)

    assert whole is not None
    assert half is not None
    assert (half.sum(), whole.sum()) == (60 * 20, 60 * 20 + 5 * 2 + 60 * 20)


def test_discarded_seconds_are_available_only_in_sums() -> None:
    samples = outage()
    source = LiveHistograms("order", kept_seconds=30)
    for each in samples:
        source.add(each)
        if each.second == 25:
            source.counts(1, 20, 25)

    assert source.counts(1, 40, 125) is None
    assert source.counts(1, 20, 25) is not None
    assert source.counts(1, 100, 125) is not None
    assert recovery_of(run_with(samples), fault(60.0), histograms=source).total.times_before == ResponseTimes()
