"""The compiled script against the generator that it replaces: both do the same, whatever happens."""

import gc
import sys
import weakref
from collections.abc import Iterator
from copy import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TargetError
from engine.workload.actions import Action, Call, Pause, Reconnect, Script
from engine.workload.pacing import PacedStage, PacingPlan, new_pacing
from engine.workloads.dvdstore.user import DvdStoreUser, Mix
from tests.engine.workloads.compiled import ERRORS, Heard, Nothing, exactly, lived
from tests.engine.workloads.dvdstore.test_user import DEADLOCK, LOST, MIX, MIXES, OTHER, well

_script = pytest.importorskip("engine.workloads.dvdstore._script", reason="set up without a C compiler")


class World:
    """The outcomes of a user's actions, drawn from a seed so that they can be repeated."""

    def __init__(self, seed: int, error_share: float, errors: list[TargetError]) -> None:
        self._random = Random(seed)
        self._error_share = error_share
        self._errors = errors

    def outcome(self, action: Action) -> tuple[Any, TargetError | None, float]:
        chance = self._random
        seconds = chance.choice([0.0, chance.random(), chance.random() * 1000])
        if not isinstance(action, Call):
            return None, None, seconds
        if chance.random() < self._error_share:
            # A new one each time: one that is raised again and again grows a traceback.
            return None, copy(chance.choice(self._errors)), seconds
        result = well(action)
        if chance.random() < self._error_share:
            result = self._odd(action, result)
        elif action.name == "prices":
            result = {product: chance.randrange(10**7) for product in result}
        return result, None, seconds

    def _odd(self, action: Call, result: Any) -> Any:
        match action.name:
            case "login":
                return None, []
            case "new_customer" | "purchase":
                return None
            case "prices":
                return self._random.choice([{}, dict.fromkeys(result, 10**30), dict.fromkeys(result, -7)])
        return result


@settings(max_examples=200, deadline=None)
@given(
    MIXES,
    st.integers(0, 2**63),
    st.sampled_from([0.0, 0.01, 0.1, 0.5]),
    st.lists(ERRORS, min_size=1, max_size=5),
    st.one_of(st.just(-1), st.integers(1, 60)),
    st.sampled_from([OTHER, LOST, ValueError("a fault of our own")]),
)
def test_compiled_script_equals_the_generator(
    mix: Mix, seed: int, error_share: float, errors: list[TargetError], fails_at: int, failure: Exception
) -> None:
    ways = []
    for compiled in (False, True):
        tally, random = Heard(fails_at, failure), Random(seed)
        user = DvdStoreUser(mix, random, tally)
        script = user.script() if compiled else user.interpreted()
        due: list[tuple[float, bool]] = []
        done, fault = lived(
            script,
            World(seed, error_share, errors),
            300,
            lambda user=user, due=due: due.append((user.since_due, user.has_failed)),  # type: ignore[misc]
        )
        # By their text, a float is the same to its last bit, and a number of its own type.
        heard = [(name, [repr(each) for each in arguments], options) for name, arguments, options in tally.calls]
        ways.append(([exactly(action) for action in done], fault, heard, due, random.getstate()))

    assert ways[0] == ways[1]


PACED_STAGES = (
    (PacedStage(seconds=300, users=0), PacedStage(seconds=300, users=1, think_seconds=3.0), PacedStage(seconds=9)),
    (PacedStage(seconds=300, users=5), PacedStage(seconds=300, users=1), PacedStage(seconds=9, users=4)),
    (PacedStage(seconds=300, rate=0.01), PacedStage(seconds=300, rate=10.0), PacedStage(seconds=9, rate=0.001)),
)


@settings(max_examples=200, deadline=None)
@given(
    MIXES,
    st.integers(0, 2**63),
    st.sampled_from([0.0, 0.01, 0.1, 0.5]),
    st.lists(ERRORS, min_size=1, max_size=5),
    st.sampled_from(PACED_STAGES),
    st.sampled_from(["poisson", "even"]),
)
def test_compiled_script_equals_the_generator_when_it_is_paced(
    mix: Mix, seed: int, error_share: float, errors: list[TargetError], stages: tuple[PacedStage, ...], arrivals: str
) -> None:
    ways = []
    for compiled in (False, True):
        tally, random, now = Heard(), Random(seed), [0.0]
        pacing = new_pacing(PacingPlan(stages=stages, client=0, clients=2, arrivals=arrivals), Random(seed))
        pacing.begin(0.0, [300.0, 600.0])
        user = DvdStoreUser(mix, random, tally)
        user.pace(pacing, 2, lambda now=now: now[0])  # type: ignore[misc]
        script = user.script() if compiled else user.interpreted()
        due: list[tuple[float, bool]] = []

        def seen(user: DvdStoreUser = user, due: list[tuple[float, bool]] = due, now: list[float] = now) -> None:
            now[0] += 0.7
            due.append((user.since_due, user.has_failed))

        done, fault = lived(script, World(seed, error_share, errors), 600, seen)
        heard = [(name, [repr(each) for each in arguments], options) for name, arguments, options in tally.calls]
        ways.append(([exactly(action) for action in done], fault, heard, due, random.getstate()))

    assert not ways[0][1]
    assert ways[0] == ways[1]


def scripts() -> Iterator[Script]:
    for way in (DvdStoreUser.script, DvdStoreUser.interpreted):
        yield way(DvdStoreUser(MIX, Random(1), Nothing()))


def test_user_script_is_the_compiled_one() -> None:
    compiled, interpreted = scripts()
    assert type(compiled).__name__ == "Script"
    assert type(interpreted).__name__ == "generator"


@pytest.mark.parametrize("error", [LOST, OTHER, ValueError("ours"), GeneratorExit()])
@pytest.mark.parametrize("at", [0, 1, 2, 7])
@pytest.mark.parametrize("is_failing", [False, True])
def test_compiled_script_handles_thrown_exceptions_as_the_generator(
    error: BaseException, at: int, is_failing: bool
) -> None:
    ways = []
    for script in scripts():
        done: list[Any] = []
        try:
            for number in range(at):
                done.append(script.send((well(done[-1]), None, 1.0)) if number else next(script))
            if is_failing and at:
                done.append(script.send((None, DEADLOCK, 1.0)))
            done.append(script.throw(error))
            done.append(script.send((None, None, 1.0)))
        except BaseException as raised:
            done.append(repr(raised))
        ways.append(done)

    assert ways[0] == ways[1]


def test_delegated_generator_may_end_at_a_thrown_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def patient(self: DvdStoreUser, call: Call, error: TargetError, spent: float) -> Iterator[Action]:
        try:
            yield call
        except KeyError:
            return (7, []), spent

    monkeypatch.setattr(DvdStoreUser, "_retry", patient)
    browses = []
    for script in scripts():
        next(script)
        assert isinstance(script.send((None, DEADLOCK, 1.0)), Call)
        browses.append(script.throw(KeyError()))

    assert browses[0] == browses[1]
    assert browses[0].name.startswith("browse")


def test_a_script_is_closed_as_a_generator_is() -> None:
    for script in scripts():
        next(script)
        script.close()
        script.close()
        with pytest.raises(StopIteration):
            next(script)


def test_closing_a_script_closes_its_delegated_generator() -> None:
    for script in scripts():
        next(script)
        assert isinstance(script.send((None, DEADLOCK, 1.0)), Pause)
        script.close()
        with pytest.raises(StopIteration):
            script.send((None, None, 1.0))


def test_invalid_outcome_ends_a_script() -> None:
    for script in scripts():
        with pytest.raises(TypeError):
            script.send((None, None, 1.0))
        next(script)
        with pytest.raises(TypeError):
            next(script)
        with pytest.raises(StopIteration):
            next(script)


def test_script_is_not_reentrant() -> None:
    class Meddler(Heard):
        def step(self, *_: Any) -> None:
            next(script)

    for way in (DvdStoreUser.script, DvdStoreUser.interpreted):
        script = way(DvdStoreUser(MIX, Random(1), Meddler()))
        next(script)
        with pytest.raises(ValueError, match="already executing"):
            script.send(((7, []), None, 1.0))


@pytest.mark.parametrize("outcomes", [0, 1, 2])
def test_unfinished_script_is_garbage_collected(outcomes: int) -> None:
    class Holder(Nothing):
        script: Script

    tally = Holder()
    user = DvdStoreUser(MIX, Random(1), tally)
    tally.script = user.script()
    next(tally.script)
    for number in range(outcomes):  # the second is amid a call that is tried again
        tally.script.send((None, None if number else DEADLOCK, 1.0))
    seen = weakref.ref(user), weakref.ref(tally)
    del user, tally

    gc.collect()

    assert [each() for each in seen] == [None, None]


@pytest.mark.parametrize("error_share", [0.0, 0.1])
def test_orders_leak_no_references(error_share: float) -> None:
    mix = Mix(size=MIX.size, think_time_ms=20, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5)
    script, world = DvdStoreUser(mix, Random(1), Nothing()).script(), World(1, error_share, [DEADLOCK, LOST, OTHER])
    action, blocks, orders = next(script), 0, 0
    while orders < 20_000:
        action = script.send(world.outcome(action))
        orders += isinstance(action, Pause | Reconnect)
        if orders == 5_000 and not blocks:
            gc.collect()
            blocks = sys.getallocatedblocks()
    gc.collect()

    assert sys.getallocatedblocks() - blocks < 500


@pytest.mark.parametrize("given", [{}, {"user": None}, {"user": None, "nonsense": 1}])
def test_a_script_is_made_of_all_that_it_needs(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        _script.Script(**given)
