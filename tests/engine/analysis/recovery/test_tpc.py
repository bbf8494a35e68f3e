import numpy as np
import pytest

from engine.analysis.recovery.judging import recovery_of
from engine.analysis.recovery.tpc import LONG_SECONDS, MINUTE_SECONDS, TpcRecovery, tpc_recovery_places
from tests.engine.analysis.faulted import constant, fault, run_of


def place_of(*parts: tuple[int, float]) -> tuple[int, bool] | None:
    """The place of T in a level that is made of stretches: seconds, share."""
    levels = np.concatenate([np.full(seconds, share) for seconds, share in parts])
    return tpc_recovery_places(levels[np.newaxis, :])[0]


def test_recovery_is_the_first_moment_with_minute_and_twenty_minutes_held() -> None:
    assert place_of((90, 0.0), (LONG_SECONDS, 1.0)) == (87, False)  # 57 of the 60 s are 95 %


def test_good_minute_within_bad_twenty_minutes_does_not_count() -> None:
    wobbling = [(60, 0.0), (120, 1.0), (300, 0.7), (LONG_SECONDS, 1.0)]

    place, is_provisional = place_of(*wobbling) or (0, True)
    assert (place, is_provisional) == (470, False)


@pytest.mark.parametrize("seconds", [MINUTE_SECONDS, LONG_SECONDS - 4])
def test_recovery_is_provisional_for_twenty_minutes(seconds: int) -> None:
    assert place_of((30, 0.0), (seconds, 1.0)) == (27, True)


def test_provisional_recovery_may_move() -> None:
    early = [(30, 0.0), (60, 1.0)]
    assert place_of(*early) == (27, True)
    assert place_of(*early, (600, 0.5)) is None


def test_recovery_needs_a_whole_minute() -> None:
    assert place_of((MINUTE_SECONDS - 1, 1.0)) is None
    assert place_of((MINUTE_SECONDS, 1.0)) == (0, True)
    assert place_of((500, 0.94)) is None
    assert place_of((500, 0.95)) == (0, True)


def test_recovery_needs_a_known_minute() -> None:
    assert place_of((30, 1.0), (1, np.nan), (100, 1.0)) == (31, True)
    assert place_of((70, 1.0), (10, np.nan), (100, 1.0)) == (0, True)


def test_rows_are_judged_on_their_own() -> None:
    levels = np.vstack((np.full(100, 1.0), np.full(100, 0.5)))

    assert tpc_recovery_places(levels) == [(0, True), None]


def test_recovery_counts_from_the_fault() -> None:
    run = run_of([*constant(60), *constant(40, 0), *constant(LONG_SECONDS)])

    assert recovery_of(run, fault(60.5)).total.tpc_e == TpcRecovery(recovered_seconds=36.5, is_provisional=False)
    assert recovery_of(run, fault(60.5), at=200).total.tpc_e == TpcRecovery(recovered_seconds=36.5, is_provisional=True)
    assert recovery_of(run, fault(60.5), at=100).total.tpc_e == TpcRecovery()
