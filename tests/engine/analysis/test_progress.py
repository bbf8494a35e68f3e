"""How far a run has come: of the plan before the users are connected, of the phases after."""

from engine.analysis.progress import progress_of
from engine.analysis.run_data import RunData
from engine.record.record import Phases, RunState
from tests.doubles.live_runs import a_live_run, a_plan, a_second, ended


def a_run(seconds: int, state: RunState, phases: Phases, *, minutes: float = 30) -> RunData:
    run = RunData(a_plan(1, minutes=minutes))
    for second in range(seconds):
        run.add(a_second(1, second))
    run.set_state(state, phases)
    return run


def test_progress_before_connecting_uses_the_planned_ramp() -> None:
    progress = progress_of(a_run(0, RunState.PREPARING, Phases()))
    assert (progress.phase_elapsed, progress.phase_seconds, progress.phase_left) == (0, 10, 10)
    assert (progress.elapsed, progress.seconds, progress.left) == (0, 1_830, 1_830)


def test_a_ramp_that_takes_longer_has_nothing_left() -> None:
    progress = progress_of(a_run(14, RunState.RAMPING, Phases()))
    assert (progress.phase_elapsed, progress.phase_seconds, progress.phase_left) == (14, 10, 0)


def test_the_warm_up_counts_from_its_own_beginning() -> None:
    phases = Phases(warming_up_from=12, measuring_from=32, measuring_to=1_832)
    progress = progress_of(a_run(17, RunState.WARMING_UP, phases))
    assert (progress.phase_elapsed, progress.phase_seconds) == (5, 20)
    assert (progress.elapsed, progress.left) == (17, 1_815)


def test_measuring_without_an_end_is_until_stopped() -> None:
    progress = progress_of(a_live_run(1, 100, until_stopped=True))
    assert (progress.phase_elapsed, progress.phase_seconds, progress.phase_left) == (70, None, None)
    assert (progress.seconds, progress.left) == (None, None)


def test_an_extended_run_has_more_to_go() -> None:
    phases = Phases(warming_up_from=10, measuring_from=30, measuring_to=1_830 + 300)
    progress = progress_of(a_run(100, RunState.MEASURING, phases))
    assert (progress.phase_left, progress.left) == (2_030, 2_030)


def test_progress_of_a_finished_run_is_its_measured_time() -> None:
    progress = progress_of(ended(a_live_run(1, 100)))
    assert (progress.phase_elapsed, progress.phase_left) == (70, 0)


def test_a_run_stopped_before_measuring_measured_nothing() -> None:
    progress = progress_of(a_run(15, RunState.STOPPED, Phases(warming_up_from=10)))
    assert progress.phase_elapsed == 0
