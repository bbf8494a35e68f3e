import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.recovery.levels import (
    Dip,
    Fall,
    Floors,
    HeldLevels,
    dip_of,
    floors_of,
    orders_between,
    over_windows,
    reached_after,
    shares_of,
)
from engine.analysis.recovery.settings import RecoverySettings
from tests.engine.analysis.faulted import constant, run_of

SETTINGS = RecoverySettings(hold_seconds=3, onset_seconds=20, after_seconds=6)
NAN = float("nan")
LEVELS = st.lists(st.sampled_from([0.0, 0.4, 0.9, 0.95, 1.0, 1.1, NAN]), max_size=25)


def levels_of(*parts: tuple[int, float]) -> np.ndarray:
    return np.concatenate([np.full(seconds, level) for seconds, level in parts])


STRICT = Floors(second=0.95, mean=0.95)
CALM = np.zeros(40, dtype=np.bool_)


def dip(*parts: tuple[int, float], floors: Floors = STRICT, disturbed: tuple[int, ...] = ()) -> Dip:
    levels = levels_of(*parts)
    is_disturbed = np.isin(np.arange(len(levels)), disturbed)
    return dip_of(HeldLevels.of(levels, SETTINGS.hold_seconds), floors, is_disturbed, SETTINGS)


@given(LEVELS, st.integers(1, 5))
def test_held_levels_equal_a_plain_loop(levels: list[float], hold: int) -> None:
    held = HeldLevels.of(np.array(levels), hold)
    over, under = held.over(0.95, 0.9, np.zeros(len(levels), dtype=np.bool_)), held.under(0.95, 0.9)

    for place in range(len(levels)):
        window = levels[place : place + hold]
        is_known = len(window) == hold and not any(map(math.isnan, window))
        assert over[place] == (is_known and sum(window) / hold >= 0.95 - 1e-9 and min(window) >= 0.9)
        assert under[place] == (is_known and max(window) < 0.95 - 1e-9 and sum(window) / hold < 0.9 - 1e-9)


def test_windows_of_rows_equal_those_of_single_rows() -> None:
    rows = np.array([[1.0, 2.0, 3.0, NAN], [4.0, 3.0, 2.0, 1.0]])

    assert over_windows(np.add, rows, 2)[:, :2].tolist() == [[3, 5], [7, 5]]
    assert np.isnan(over_windows(np.add, rows, 2)[0, 2:]).all()
    assert np.isnan(over_windows(np.add, rows, 9)).all()


def test_dip_spans_from_first_low_to_first_held_second() -> None:
    assert dip((4, 1.0), (5, 0.0), (2, 0.5), (10, 1.0)) == Dip(began=4, recovered=11)


def test_recovery_needs_the_whole_hold_time() -> None:
    assert dip((4, 0.0), (2, 1.0)) == Dip(began=0)
    assert dip((4, 0.0), (2, 1.0)).is_open
    assert dip((4, 0.0), (3, 1.0)).recovered == 4
    assert not dip((10, 1.0)).is_open


def test_level_is_not_held_over_an_unknown_second() -> None:
    assert dip((4, 0.0), (2, 1.0), (1, NAN), (2, 1.0)).is_open
    assert dip((1, 1.0), (5, NAN), (5, 1.0)) == Dip()


def test_mild_brownout_counts_only_over_the_hold_time() -> None:
    noisy = Floors(second=0.8, mean=0.92)

    assert dip((5, 1.0), (2, 0.9), (9, 1.0), floors=noisy) == Dip()
    assert dip((5, 1.0), (3, 0.9), (9, 1.0), floors=noisy).began == 5
    assert dip((5, 1.0), (3, 0.94), (9, 1.0), floors=noisy) == Dip()
    assert dip((5, 1.0), (1, 0.7), (9, 1.0), floors=noisy).began == 5


def test_disturbed_second_below_the_threshold_begins_a_dip() -> None:
    noisy = Floors(second=0.3, mean=0.7)

    assert dip((5, 1.0), (1, 0.5), (9, 1.0), floors=noisy) == Dip()
    assert dip((5, 1.0), (1, 0.5), (9, 1.0), floors=noisy, disturbed=(5,)) == Dip(began=5, recovered=6)
    assert dip((5, 1.0), (1, 0.96), (9, 1.0), floors=noisy, disturbed=(5,)) == Dip()


def test_a_second_of_lost_connections_is_not_recovered_by_what_follows_it() -> None:
    """The mean of the hold time that begins with it is over the threshold, and it is no lower than by chance."""
    noisy = Floors(second=0.3, mean=0.7)
    parts = (5, 1.0), (1, 0.9), (2, 1.1), (9, 1.0)

    assert dip(*parts, floors=noisy, disturbed=(5,)) == Dip(began=5, recovered=6)
    held = HeldLevels.of(levels_of(*parts), 3)
    is_disturbed = np.arange(17) == 5
    assert reached_after(held, 0.95, noisy, is_disturbed, Dip(began=5, recovered=6)) == 6


def test_dip_after_the_onset_does_not_count() -> None:
    assert dip((19, 1.0), (5, 0.0)).began == 19
    assert dip((20, 1.0), (5, 0.0)) == Dip()


def test_fall_within_after_seconds_is_a_relapse() -> None:
    once = dip((2, 0.0), (4, 1.0), (1, 0.0), (9, 1.0))
    assert once == Dip(began=0, recovered=2, relapses=(Fall(begin=6, end=7),))
    assert (once.settled, once.is_relapsed) == (7, False)
    assert dip((2, 0.0), (8, 1.0), (1, 0.0), (9, 1.0)) == Dip(began=0, recovered=2)
    lasting = dip((2, 0.0), (4, 1.0), (1, 0.0), (2, 1.0))
    assert lasting == Dip(began=0, recovered=2, relapses=(Fall(begin=6),))
    assert (lasting.settled, lasting.is_relapsed, lasting.is_open) == (None, True, False)


def test_relapses_follow_one_another_each_soon_after_the_one_before() -> None:
    found = dip((2, 0.0), (4, 1.0), (1, 0.0), (5, 1.0), (3, 0.5), (9, 1.0))
    assert found.relapses == (Fall(begin=6, end=7), Fall(begin=12, end=15))
    assert (found.recovered, found.settled) == (2, 15)


@given(LEVELS)
def test_relapses_equal_a_plain_loop(levels: list[float]) -> None:
    """Second by second, with windows looked at one by one: when it recovered first, and when it fell and was back."""
    hold, share = SETTINGS.hold_seconds, SETTINGS.threshold
    windows = [levels[place : place + hold] for place in range(len(levels))]
    is_whole = [len(each) == hold and not any(map(math.isnan, each)) for each in windows]
    is_held = [whole and min(each) >= share for whole, each in zip(is_whole, windows, strict=True)]
    is_low = [(whole and max(each) < share) or each[0] == 0 for whole, each in zip(is_whole, windows, strict=True)]
    found = dip_of(HeldLevels.of(np.array(levels), hold), STRICT, np.zeros(len(levels), dtype=np.bool_), SETTINGS)
    if found.began is None:
        return
    recovered, falls, held_from, low_from = None, [], None, found.began
    for place in range(found.began, len(levels)):
        if low_from is not None and is_held[place]:
            if recovered is None:
                recovered = place
            else:
                falls.append(Fall(begin=low_from, end=place))
            held_from, low_from = place, None
        elif low_from is None and is_low[place] and held_from < place < held_from + SETTINGS.after_seconds:
            low_from = place
    if recovered is not None and low_from is not None:
        falls.append(Fall(begin=low_from))
    assert (found.recovered, list(found.relapses)) == (recovered, falls)


def test_a_share_is_reached_when_it_is_held_again_and_at_once_when_it_was_never_lost() -> None:
    parts = (2, 1.0), (3, 0.6), (4, 0.85), (9, 1.0)
    held, found = HeldLevels.of(levels_of(*parts), 3), dip(*parts)

    assert [reached_after(held, share, STRICT, CALM, found) for share in (0.5, 0.8, 0.95)] == [0, 5, 9]
    early = HeldLevels.of(levels_of(*parts)[:7], 3)
    assert reached_after(early, 0.8, STRICT, CALM, dip(*parts[:2], (2, 0.85))) is None
    assert reached_after(held, 0.5, STRICT, CALM, Dip()) == 0


def test_a_noisy_baseline_lets_single_seconds_be_lower_and_means_a_little() -> None:
    assert floors_of(0.95, 0.0, 100.0, 4) == Floors(second=0.95, mean=0.95)
    assert floors_of(0.95, 5.0, 90.0, 4) == Floors(second=0.8, mean=0.9)
    assert floors_of(0.95, 1.0, 60.0, 4) == Floors(second=0.6, mean=0.95)
    assert floors_of(0.95, 60.0, 60.0, 4) == Floors(second=0.0, mean=0.0)


def test_level_of_several_clients_uses_the_known_ones() -> None:
    orders = np.array([[10.0, 5.0, NAN, 10.0], [30.0, NAN, NAN, 15.0], [7.0, 7.0, 7.0, 7.0]])

    found = shares_of(orders, np.array([10.0, 30.0, NAN]))
    assert found[[0, 1, 3]].tolist() == [1.0, 0.5, 25 / 40]
    assert math.isnan(found[2])


def test_orders_after_the_last_known_second_are_unknown() -> None:
    orders = orders_between(run_of(constant(5, 7), constant(3, 9)), 2, 7)

    assert orders[0, :3].tolist() == [7, 7, 7]
    assert orders[1, 0] == 9
    assert np.isnan(orders[0, 3:]).all()
    assert np.isnan(orders[1, 1:]).all()
