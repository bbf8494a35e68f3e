"""What is shaded of a fault: the dip, parted by its black-outs."""

from engine.analysis.recovery.figures import DipSpan
from engine.analysis.recovery.judging import recovery_of
from engine.analysis.run_data import RunData
from tests.doubles.faulted_runs import ALL_BACK, BROWN_OUT_SECONDS, OUTAGE_SECONDS, FaultedRun
from tests.engine.analysis.faulted import constant, run_of, with_faults


def spans_of(run: RunData) -> list[DipSpan]:
    fault = next(event for event in run.sorted_events() if event.is_fault)
    return list(recovery_of(run, fault).low_spans)


def test_blackout_and_brownout_are_separate_spans() -> None:
    run = FaultedRun(2).advance_to(220)
    assert spans_of(run) == [
        DipSpan(OUTAGE_SECONDS.start, OUTAGE_SECONDS.stop, True),
        DipSpan(BROWN_OUT_SECONDS.start, ALL_BACK, False),
    ]


def test_open_dip_is_shaded_to_the_last_known_second() -> None:
    assert spans_of(FaultedRun(2).advance_to(153)) == [DipSpan(151, 153, True)]
    assert spans_of(FaultedRun(2).advance_to(160)) == [DipSpan(151, 155, True), DipSpan(155, 160, False)]


def test_two_black_outs_of_a_dip_are_two_spans() -> None:
    orders = [*constant(60), 0, 0, 50, 50, 0, 50, *constant(40)]
    run = with_faults(run_of(orders), 60.0)
    assert spans_of(run) == [
        DipSpan(60, 62, True),
        DipSpan(62, 64, False),
        DipSpan(64, 65, True),
        DipSpan(65, 66, False),
    ]


def test_a_fault_without_an_effect_shades_nothing() -> None:
    assert spans_of(with_faults(run_of(constant(120)), 60.0)) == []


def test_without_baseline_only_blackouts_are_shaded() -> None:
    orders = [*constant(5), 0, 0, 0, 40, *constant(30)]
    assert spans_of(with_faults(run_of(orders), 5.0)) == [DipSpan(5, 8, True)]


def test_a_fault_of_which_nothing_is_known_yet_shades_nothing() -> None:
    assert spans_of(with_faults(run_of(constant(60)), 60.0)) == []


def test_dip_spans_contain_only_low_seconds() -> None:
    orders = [*constant(60), 0, 50, 100, 50, *constant(20), *constant(6, 40), *constant(40)]
    run = with_faults(run_of(orders), 60.0)
    assert spans_of(run) == [
        DipSpan(60, 61, True),
        DipSpan(61, 62, False),
        DipSpan(63, 64, False),
        DipSpan(84, 90, False),
    ]
