"""When an interval begins and ends, and its worst: the arithmetic alone, with readings a second that the test sets."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.driver.saturation_intervals import Limit, Reading, SaturationDetector, SaturationInterval

LATE, BUSY, BESIDE = "late_ms", "busy_pct", "pause_ms"
LIMITS = {LATE: Limit(begins=10.0, ends=5.0), BUSY: Limit(begins=80.0, ends=70.0)}
WINDOW = 4
VALUES = st.lists(st.floats(0, 30), max_size=60)


def update(detector: SaturationDetector, values: Sequence[float], *, first: int = 0) -> list[SaturationInterval]:
    """The intervals that began and ended while a measure had these values, one a second; the mean of four decides."""
    reported: list[SaturationInterval] = []
    for at, value in enumerate(values, start=first + 1):
        latest = values[max(0, at - first - WINDOW) : at - first]
        interval = detector.update(
            began=at - 1.0,
            at=float(at),
            last={LATE: Reading(value)},
            window={LATE: Reading(sum(latest) / len(latest))} if len(latest) == WINDOW else {},
            window_from=max(0.0, float(at - WINDOW)),
        )
        if interval is not None and (interval.is_over or all(each is not interval for each in reported)):
            reported.append(interval)
    return reported


def test_interval_spans_first_to_last_high_second() -> None:
    detector = SaturationDetector(LIMITS)
    begun, ended = update(detector, [1, 1, 1, 1, 30, 30, 30, 1, 1, 1, 1, 1])
    assert begun is ended
    assert (begun.since, begun.until, begun.is_over) == (4.0, 7.0, True)
    assert detector.present is None


def test_short_burst_is_no_interval() -> None:
    assert update(SaturationDetector(LIMITS), [1, 1, 1, 1, 30, 1, 1, 1, 1]) == []


def test_interval_continues_between_both_limits() -> None:
    detector = SaturationDetector(LIMITS)
    assert len(update(detector, [*[12.0] * 8, *[6.0] * 20])) == 1
    assert detector.present is not None
    assert detector.present.until == 8.0


def test_high_window_without_high_second_is_no_interval() -> None:
    detector = SaturationDetector(LIMITS)
    high = {LATE: Reading(11.0)}
    assert detector.update(began=8.0, at=9.0, last={}, window=high, window_from=5.0) is None
    interval = detector.update(began=9.0, at=10.0, last=high, window=high, window_from=6.0)
    assert interval is not None
    assert (interval.since, interval.until) == (9.0, 10.0)


def test_interval_begins_with_a_high_second_of_its_measure() -> None:
    detector = SaturationDetector(LIMITS)
    low = {LATE: Reading(2.0), BUSY: Reading(20.0)}
    detector.update(began=1.0, at=2.0, last={**low, BUSY: Reading(99.0)}, window=low, window_from=0.0)
    interval = detector.update(
        began=3.0, at=4.0, last={**low, LATE: Reading(90.0)}, window={**low, LATE: Reading(30.0)}, window_from=0.0
    )
    assert interval is not None
    assert (interval.since, interval.until) == (3.0, 4.0)


def test_interval_is_emitted_again_when_it_grows_or_a_measure_joins() -> None:
    detector = SaturationDetector(LIMITS)
    windows: tuple[tuple[dict[str, Reading], bool], ...] = (
        ({LATE: Reading(12.0), BUSY: Reading(75.0), BESIDE: Reading(1.0)}, True),
        ({LATE: Reading(14.9), BUSY: Reading(75.0), BESIDE: Reading(9.0)}, False),
        ({LATE: Reading(15.0), BUSY: Reading(80.0)}, True),
        ({LATE: Reading(12.0), BUSY: Reading(80.0)}, False),
        ({LATE: Reading(18.0), BUSY: Reading(80.1)}, True),
        ({LATE: Reading(22.4), BUSY: Reading(99.0)}, False),
        ({LATE: Reading(800.0), BUSY: Reading(99.0)}, True),
    )
    given = []
    for at, (window, _) in enumerate(windows):
        given += [detector.update(began=at, at=at + 1, last=window, window=window, window_from=0.0)]
    assert [interval is not None for interval in given] == [is_given for _, is_given in windows]
    assert all(interval is detector.present for interval in given if interval is not None)
    assert detector.present is not None


def test_interval_keeps_the_worst_of_each_measure_with_its_owner() -> None:
    detector = SaturationDetector(LIMITS)
    for at, window in enumerate(
        (
            {LATE: Reading(12.0, "ds2 #1", 1), BESIDE: Reading(3.0)},
            {LATE: Reading(19.0, "ds2 #2", 2), BUSY: Reading(60.0)},
            {LATE: Reading(11.0, "ds2 #1", 1), BUSY: Reading(90.0), BESIDE: Reading(2.0)},
        )
    ):
        detector.update(began=at, at=at + 1, last=window, window=window, window_from=0.0)
    interval = detector.end()
    assert interval is not None
    assert interval.worst == {LATE: Reading(19.0, "ds2 #2", 2), BUSY: Reading(90.0), BESIDE: Reading(3.0)}
    assert detector.end() is None


def test_measure_without_limit_makes_no_interval() -> None:
    high = {BESIDE: Reading(1e9)}
    assert SaturationDetector(LIMITS).update(began=0.0, at=1.0, last=high, window=high, window_from=0.0) is None


@given(VALUES)
def test_intervals_never_overlap(values: list[float]) -> None:
    reported = update(SaturationDetector(LIMITS), values)
    begun = reported[::2]
    assert all(first is second for first, second in zip(begun, reported[1::2], strict=False))
    assert all(0 <= interval.since < interval.until <= len(values) for interval in begun)
    assert all(before.until <= after.since for before, after in itertools.pairwise(begun))
    assert all(interval.is_over for interval in begun[: len(reported) // 2])


@given(VALUES)
def test_worst_of_an_interval_is_between_limit_and_highest_reading(values: list[float]) -> None:
    for interval in update(SaturationDetector(LIMITS), values):
        assert LIMITS[LATE].begins < interval.worst[LATE].value <= max(values) * (1 + 1e-9)
