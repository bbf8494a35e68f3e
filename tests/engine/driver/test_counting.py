"""Both ways of counting say the same."""

import gc
import math
import sys
import threading
import weakref
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.counting import STEPS, Counted, Counting, PlainCounting
from engine.histogram import bucket_of
from engine.workloads.dvdstore.user import Step

compiled = pytest.importorskip("engine.driver._counting", reason="set up without a C compiler")

_SECONDS = st.floats(-1.0, 5_000.0) | st.integers(0, 10**7).map(lambda halves: halves / 2_000_000)
_STEP = st.tuples(st.sampled_from(STEPS), _SECONDS)
_ORDER = st.tuples(st.booleans(), _SECONDS)
_PASSING = st.floats(0.0, 3.0)


class Counter:
    """One way of counting, on a clock that the test sets; ``seconds`` are those that are over."""

    def __init__(self, make: Callable[..., Counting]) -> None:
        self.now = 0.0
        self.seconds: list[Counted] = []
        self.counting = make(self._roll, lambda: self.now)
        self.counting.ends = 1.0

    def _roll(self) -> None:
        while self.now >= self.counting.ends:
            self.seconds.append(Counted(*self.counting.take()))
            self.counting.ends += 1.0


def plain(roll: Callable[[], None], clock: Callable[[], float]) -> Counting:
    return PlainCounting(roll, clock, threading.RLock())


def fast(roll: Callable[[], None], clock: Callable[[], float]) -> Counting:
    made: Counting = compiled.Counting(STEPS, roll, clock)
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
                    way.counting.order(seconds, rolled_back=rolled_back)
    for way in ways:
        way.now += 1.0
        way.counting.order(0.001, rolled_back=False)
        way.seconds.append(Counted(*way.counting.take()))
    assert ways[0].seconds == ways[1].seconds


@given(st.integers(-5, 2**33))
def test_every_time_is_counted_in_its_bucket(microseconds: int) -> None:
    counter = Counter(fast)
    counter.counting.order(microseconds / 1_000_000, rolled_back=False)
    counted = Counted(*counter.counting.take())
    assert counted.histogram == {bucket_of(microseconds): 1}
    assert counted.order_us == microseconds


def test_invalid_counts_are_rejected() -> None:
    counting = Counter(fast).counting
    for seconds in (math.nan, math.inf, 1e300):
        with pytest.raises(ValueError, match="seconds must be finite"):
            counting.step(Step.LOGIN, seconds)
    for wrong in (("login", 1.0), (Step.LOGIN, "1"), (Step.LOGIN,)):
        with pytest.raises(TypeError):
            counting.step(*wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        counting.order(1.0, True)  # type: ignore[call-arg, misc]
    assert Counted(*counting.take()).step_counts == [0, 0, 0, 0]


def test_error_while_closing_a_second_is_raised() -> None:
    def roll() -> None:
        raise ZeroDivisionError("ours")

    counting = compiled.Counting(STEPS, roll, None)
    with pytest.raises(ZeroDivisionError):
        counting.step(Step.BROWSE, 0.001)


def test_the_systems_clock_is_the_one_that_python_reads() -> None:
    rolled = []

    def roll() -> None:
        rolled.append(1)
        counting.ends = math.inf

    counting = compiled.Counting(STEPS, roll, None)
    counting.ends = math.inf
    counting.step(Step.BROWSE, 0.001)
    assert rolled == []
    counting.ends = 0.0
    counting.step(Step.BROWSE, 0.001)
    assert rolled == [1]
    assert Counted(*counting.take()).step_counts == [0, 0, 2, 0]


def test_counting_leaks_no_references() -> None:
    counter = Counter(fast)
    before = sys.getrefcount(Step.BROWSE)
    for _ in range(1_000):
        counter.counting.step(Step.BROWSE, 0.5)
    taken = counter.counting.take()
    assert sys.getrefcount(Step.BROWSE) < before + 10
    fresh: tuple[object, ...] = (0, 0, 0, 0, {}, [], [], [])
    assert list(map(sys.getrefcount, taken[4:])) == list(map(sys.getrefcount, fresh[4:]))
    gone = weakref.ref(counter)
    del counter
    gc.collect()
    assert gone() is None


def test_a_count_is_made_whole_or_not_at_all() -> None:
    with pytest.raises(TypeError):
        compiled.Counting.__new__(compiled.Counting)
    with pytest.raises(ValueError, match="four steps"):
        compiled.Counting((), print, None)
