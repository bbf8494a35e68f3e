"""Users in the compiled course beside users of the generator: whatever happens, both do the same."""

import gc
import weakref
from copy import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, Script
from engine.workloads.brokerage.sizing import Size
from engine.workloads.brokerage.user import BrokerageUser
from tests.engine.workloads.compiled import ERRORS, OTHER, Heard, Nothing, exactly
from tests.engine.workloads.tallies import CountingTally

_course = pytest.importorskip("engine.workloads.brokerage._course", reason="set up without a C compiler")

_LOST = TargetError(ErrorClass.CONNECTION_LOST, "gone", usable=False)
_DEADLOCK = TargetError(ErrorClass.DEADLOCK, "deadlock", undone=True)


class _Rows:
    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self._rows = list(rows)

    def decoded(self) -> list[tuple[Any, ...]]:
        return self._rows


class _World:
    """What becomes of actions, drawn from a seed; with each, time goes by."""

    def __init__(self, seed: int, error_share: float, errors: list[TargetError], most_seconds: float) -> None:
        self._random = Random(seed)
        self._error_share = error_share
        self._errors = errors
        self._most_seconds = most_seconds
        self._trades = 0
        self.now = 0.0

    def outcome(self, action: Action) -> Outcome:
        chance = self._random
        seconds = chance.choice([0.0, chance.random() * self._most_seconds])
        self.now += seconds
        if not isinstance(action, Call):
            return None, None, seconds
        if chance.random() < self._error_share:
            # A new one each time: one that is raised again and again grows a traceback.
            return None, copy(chance.choice(self._errors)), seconds
        return self._answer(action), None, seconds

    def _answer(self, call: Call) -> object:
        if call.name == "trade_order":
            self._trades += 1
            return _Rows((None, None) if call.arguments[-1] else (self._trades, 25_00))
        if call.name == "trade_result":
            return self._random.choice([77, 77, None])
        return _Rows()


def _lived(users: list[BrokerageUser], scripts: list[Script], world: _World, actions: int) -> tuple[list[Any], str]:
    """What users of one client do in turn, with what they say of themselves, and the error that ended it if one did."""
    done: list[Any] = []
    present: list[Action] = []
    try:
        present += [next(script) for script in scripts]
        for number in range(actions):
            place = number % len(scripts)
            present[place] = scripts[place].send(world.outcome(present[place]))
            user = users[place]
            done.append((exactly(present[place]), user.since_due, user.has_failed))
    except Exception as error:
        return done, repr(error)
    return done, ""


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**63),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.01, 0.1, 0.5]),
    st.lists(ERRORS, min_size=1, max_size=5),
    st.sampled_from([0.01, 0.5, 20.0]),
    st.one_of(st.just(-1), st.integers(1, 60)),
)
def test_users_in_the_compiled_course_do_what_the_generator_does(
    seed: int,
    count: int,
    error_share: float,
    errors: list[TargetError],
    most_seconds: float,
    fails_at: int,
) -> None:
    ways = []
    for is_compiled in (False, True):
        tally, world = (
            Heard(fails_at, ValueError("a fault of our own")),
            _World(seed, error_share, errors, most_seconds),
        )
        randoms = [Random(seed + number) for number in range(count)]
        users = [
            BrokerageUser(Size(1_000, 1), 0.0, number, random, tally, clock=lambda world=world: world.now)  # type: ignore[misc]
            for number, random in enumerate(randoms)
        ]
        scripts = [each.script() if is_compiled else each.interpreted() for each in users]
        done, fault = _lived(users, scripts, world, 600)
        heard = [(name, [repr(each) for each in arguments], options) for name, arguments, options in tally.calls]
        ways.append((done, fault, heard, [each.getstate() for each in randoms]))

    assert ways[0] == ways[1]


def _user(seed: int = 1, number: int = 1) -> BrokerageUser:
    return BrokerageUser(Size(1_000, 1), 0.0, number, Random(seed), Nothing(), clock=lambda: 0.0)


def _both() -> tuple[Script, Script]:
    return _user().script(), _user().interpreted()


def test_users_without_think_time_are_in_the_course() -> None:
    assert isinstance(_user().script(), _course.Course)
    thinking = BrokerageUser(Size(1_000, 1), 1.0, 1, Random(1), CountingTally())
    assert not isinstance(thinking.script(), _course.Course)


@pytest.mark.parametrize("error", [_LOST, OTHER, ValueError("ours"), GeneratorExit()])
@pytest.mark.parametrize("at", [0, 1, 2, 3, 8, 9])
def test_thrown_exceptions_are_handled_as_by_the_generator(error: BaseException, at: int) -> None:
    ways = []
    for script in _both():
        done: list[Any] = []
        try:
            for number in range(at):
                done.append(script.send((_Rows((None, None)), None, 1.0)) if number else next(script))
            done.append(script.throw(error))
            done.append(script.send((None, None, 1.0)))
        except BaseException as raised:
            done.append(repr(raised))
        ways.append(done)

    assert ways[0] == ways[1]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_course_is_closed_as_a_generator_is(at: int) -> None:
    for script in _both():
        for number in range(at):
            script.send((_Rows((None, None)), None, 1.0)) if number else next(script)
        script.close()
        script.close()
        with pytest.raises(StopIteration):
            next(script)


def test_an_outcome_that_is_none_ends_the_script() -> None:
    for script in _both():
        assert isinstance(next(script), Call)
        assert isinstance(script.send((_Rows((None, None)), None, 1.0)), Pause)
        assert isinstance(script.send((None, None, 0.0)), Call)
        with pytest.raises((TypeError, ValueError)):
            script.send(None)  # type: ignore[arg-type]
        with pytest.raises(StopIteration):
            next(script)


def test_what_a_course_is_made_of_is_checked() -> None:
    user = _user()
    given: dict[str, Any] = {
        "user": user, "script": user.interpreted(), "ahead": [], "draw": list, "followed": {}, "transaction": print,
        "pause": None, "clock": float, "own_due": b"12345678", "market_due": b"",
    }  # fmt: skip
    with pytest.raises(TypeError, match="arrays of one double"):
        _course.Course(**given)
    with pytest.raises(TypeError):
        _course.Course(**{**given, "ahead": ()})


def test_calls_that_are_no_calls_are_refused() -> None:
    user = _user()
    script = user.script()
    next(script)
    assert isinstance(script.send((_Rows((None, None)), None, 1.0)), Pause)
    user._deck.ahead[:] = [7]  # type: ignore[list-item]
    with pytest.raises(TypeError, match="pairs of a call"):
        script.send((None, None, 0.0))


def test_a_course_in_a_circle_is_freed() -> None:
    user = _user()
    user.itself = user.script()  # type: ignore[attr-defined]
    next(user.itself)  # type: ignore[attr-defined]
    freed = weakref.ref(user)
    del user
    gc.collect()
    assert freed() is None
