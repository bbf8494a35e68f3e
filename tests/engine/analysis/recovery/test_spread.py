from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import recovery_of
from engine.analysis.recovery.spread import recovery_spread
from tests.engine.analysis.faulted import constant, fault, run_of


def after(down: int, *, recovers: bool = True) -> Recovery:
    end = constant(60) if recovers else constant(60, 20)
    run = run_of([*constant(60), *constant(down, 0), *end], measuring_to=120 + down, over=True)
    return recovery_of(run, fault(60.0))


def test_spread_has_each_value_median_and_worst() -> None:
    spread = recovery_spread([after(3), after(12), after(5)])

    assert (spread.repetitions, spread.recovered) == (3, 3)
    recovered = spread.figure("recovered_seconds")
    assert (recovered.each, recovered.median, recovered.worst) == ((3, 12, 5), 5, 12)
    lowest = spread.figure("level_after_pct")
    assert (lowest.median, lowest.worst) == (100, 100)
    assert spread.figure("detection_lag_seconds").each == (0, 0, 0)


def test_one_that_did_not_recover_is_worse_than_any_that_did() -> None:
    spread = recovery_spread([after(3), after(5), after(4, recovers=False)])
    recovered = spread.figure("recovered_seconds")

    assert spread.recovered == 2
    assert (recovered.each, recovered.not_reached) == ((3, 5, None), 1)
    assert (recovered.median, recovered.worst) == (5, None)
    mostly_not = recovery_spread([after(3), after(4, recovers=False), after(4, recovers=False)])
    assert mostly_not.figure("recovered_seconds").median is None


def test_a_figure_that_is_not_known_is_left_out() -> None:
    none_back = recovery_spread([after(3)]).figure("back_seconds")

    assert (none_back.each, none_back.median, none_back.worst, none_back.not_reached) == ((None,), None, None, 0)


def test_spread_of_no_repetitions_knows_nothing() -> None:
    assert recovery_spread([]).figure("drop_pct").median is None
