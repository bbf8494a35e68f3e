"""The compiled and the Python counting give the same results."""

import gc
import math
import sys
import threading
import weakref
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.counting import Counted, CountedType, Counting, PlainCounting
from engine.histogram import bucket_of, pack
from engine.workloads.dvdstore.transactions import ORDER, Step

compiled = pytest.importorskip("engine.driver._counting", reason="set up without a C compiler")

_SECONDS = st.floats(-1.0, 5_000.0) | st.integers(0, 10**7).map(lambda halves: halves / 2_000_000)
_IDS = (ORDER, *Step)
_STEP = st.tuples(st.sampled_from(list(Step)), _SECONDS)
_ORDER = st.tuples(st.booleans(), _SECONDS)
_PASSING = st.floats(0.0, 3.0)


def taken(counting: Counting) -> Counted:
    """What was counted, as the same types from both ways."""
    rollbacks, types = counting.take()
    return Counted(rollbacks, [CountedType(*each) for each in types])


class Counter:
    """One way of counting, on a clock that the test sets; ``seconds`` are those that are over."""

    def __init__(self, make: Callable[..., Counting]) -> None:
        self.now = 0.0
        self.seconds: list[Counted] = []
        self.counting = make(self._roll, lambda: self.now)
        self.counting.ends = 1.0

    def _roll(self) -> None:
        while self.now >= self.counting.ends:
            self.seconds.append(taken(self.counting))
            self.counting.ends += 1.0


def plain(roll: Callable[[], None], clock: Callable[[], float]) -> Counting:
    return PlainCounting(_IDS, roll, clock, threading.RLock())


def fast(roll: Callable[[], None], clock: Callable[[], float]) -> Counting:
    made: Counting = compiled.Counting(_IDS, roll, clock)
    return made


@given(st.lists(_STEP | _ORDER | _PASSING))
def test_compiled_counting_equals_python(happenings: list[tuple[Step | bool, float] | float]) -> None:
    ways = [Counter(plain), Counter(fast)]
    for happening in happenings:
        for way in ways:
            match happening:
                case float():
                    way.now += happening
                case (Step() as step, seconds):
                    way.counting.step(step, seconds)
                case (bool() as rolled_back, seconds):
                    way.counting.transaction(ORDER, seconds, rolled_back=rolled_back)
    for way in ways:
        way.now += 1.0
        way.counting.transaction(ORDER, 0.001, rolled_back=False)
        way.seconds.append(taken(way.counting))
    assert ways[0].seconds == ways[1].seconds


@given(st.integers(-5, 2**33))
def test_every_time_is_counted_in_its_bucket(microseconds: int) -> None:
    counter = Counter(fast)
    counter.counting.transaction(ORDER, microseconds / 1_000_000, rolled_back=False)
    counted = taken(counter.counting).types[0]
    assert counted == CountedType(1, microseconds, max(0, microseconds), pack({bucket_of(microseconds): 1}))


def test_a_bucket_may_count_more_than_a_pair_of_the_packed_histogram_holds() -> None:
    counter = Counter(fast)
    for _ in range(140_000):
        counter.counting.step(Step.LOGIN, 0.000_007)
    histogram = taken(counter.counting).types[_IDS.index(Step.LOGIN)].histogram
    assert histogram == pack({7: 140_000})


def test_invalid_counts_are_rejected() -> None:
    counting = Counter(fast).counting
    for seconds in (math.nan, math.inf, 1e300):
        with pytest.raises(ValueError, match="seconds must be finite"):
            counting.step(Step.LOGIN, seconds)
    for wrong in ((Step.LOGIN, "1"), (Step.LOGIN,)):
        with pytest.raises(TypeError):
            counting.step(*wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        counting.transaction(ORDER, 1.0, True)  # type: ignore[call-arg, misc]
    with pytest.raises(KeyError, match="delivery"):
        counting.step("delivery", 1.0)
    assert [each.n for each in taken(counting).types] == [0] * len(_IDS)


def test_ids_are_mapped_by_text() -> None:
    counting = Counter(fast).counting
    counting.step("".join(["log", "in"]), 0.5)
    assert taken(counting).types[_IDS.index(Step.LOGIN)].n == 1


def test_error_while_closing_a_second_is_raised() -> None:
    def roll() -> None:
        raise ZeroDivisionError("ours")

    counting = compiled.Counting(_IDS, roll, None)
    with pytest.raises(ZeroDivisionError):
        counting.step(Step.BROWSE, 0.001)


def test_compiled_clock_equals_pythons() -> None:
    rolled = []

    def roll() -> None:
        rolled.append(1)
        counting.ends = math.inf

    counting = compiled.Counting(_IDS, roll, None)
    counting.ends = math.inf
    counting.step(Step.BROWSE, 0.001)
    assert rolled == []
    counting.ends = 0.0
    counting.step(Step.BROWSE, 0.001)
    assert rolled == [1]
    assert [each.n for each in taken(counting).types] == [0, 0, 0, 2, 0]


def test_counting_leaks_no_references() -> None:
    counter = Counter(fast)
    before = sys.getrefcount(Step.BROWSE)
    for _ in range(1_000):
        counter.counting.step(Step.BROWSE, 0.5)
    _, types = counter.counting.take()
    assert sys.getrefcount(Step.BROWSE) < before + 10
    fresh = [(0, 0, 0, bytes(bytearray(4))) for _ in types]
    assert list(map(sys.getrefcount, types)) == list(map(sys.getrefcount, fresh))
    counted = types[_IDS.index(Step.BROWSE)]
    assert sys.getrefcount(counted[3]) == sys.getrefcount(fresh[0][3])
    gone = weakref.ref(counter)
    del counter
    gc.collect()
    assert gone() is None


def test_a_count_is_made_whole_or_not_at_all() -> None:
    with pytest.raises(TypeError):
        compiled.Counting.__new__(compiled.Counting)
    with pytest.raises(ValueError, match="1 to 64 types"):
        compiled.Counting((), print, None)
