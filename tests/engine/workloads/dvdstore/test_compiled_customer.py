"""Registrations by the compiled script beside the generator's: the same customers, tries and counts."""

import gc
import sys
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import TargetError
from engine.workload.actions import Action, Call, Script
from engine.workload.user import MOST_RETRIES
from engine.workloads.dvdstore import people, picks
from engine.workloads.dvdstore.user import DvdStoreUser, Mix
from tests.engine.workloads.compiled import Heard, Nothing, exactly
from tests.engine.workloads.dvdstore.test_picks import Highest, Lowest
from tests.engine.workloads.dvdstore.test_user import DEADLOCK, LOST, MIX, OTHER, TIMEOUT, well

_script = pytest.importorskip("engine.workloads.dvdstore._script", reason="set up without a C compiler")

_ALL_NEW = Mix(
    size=MIX.size, think_time_ms=20, pct_new_customers=100, n_searches=2, search_batch_size=5, n_line_items=2
)
_WAYS = (DvdStoreUser.interpreted, DvdStoreUser.script)


class Failing(Random):
    """Of which the draw of that number fails."""

    def __init__(self, seed: int, at: int) -> None:
        super().__init__(seed)
        self._left = at

    def random(self) -> float:
        self._left -= 1
        if not self._left:
            raise ArithmeticError("no luck")
        return super().random()


def _registered(way: Any, answers: list[int | TargetError | None], seed: int) -> tuple[Any, ...]:
    """Everything observable of a user whose registrations are answered like this, and after that succeed."""
    left, tally, random = list(answers), Heard(), Random(seed)
    user = DvdStoreUser(_ALL_NEW, random, tally)
    script: Script = way(user)
    done: list[Action] = [next(script)]
    seen: list[tuple[float, bool]] = []
    for number in range(10 * len(answers) + 50):
        action, result, error = done[-1], None, None
        if isinstance(action, Call):
            result = left.pop(0) if action.name == "new_customer" and left else well(action)
            if isinstance(result, TargetError):
                result, error = None, result
        done.append(script.send((result, error, 0.125 + number)))
        seen.append((user.since_due, user.has_failed))
    script.close()
    heard = [(name, repr(arguments), options) for name, arguments, options in tally.calls]
    return [exactly(action) for action in done], seen, heard, random.getstate()


@pytest.mark.parametrize(
    "answers",
    [
        [7],
        [0],  # no id that a store gives, but an id
        [None],
        [None, None, 7],
        [DEADLOCK],
        [DEADLOCK, DEADLOCK, None],  # the victim's username is found to be taken in the end
        [DEADLOCK, None, DEADLOCK, None, 7],
        [None, DEADLOCK, None],
        [LOST],
        [OTHER],
        [TIMEOUT],
        [None, LOST],
        [DEADLOCK, LOST, None, OTHER],
        [None] * (MOST_RETRIES - 1),
        [None] * MOST_RETRIES,
        [DEADLOCK] + [None] * MOST_RETRIES,
        [None] + [DEADLOCK] * MOST_RETRIES,
        [DEADLOCK] * MOST_RETRIES,
    ],
    ids=lambda answers: f"{len(answers)}: {answers[:4]}",
)
def test_compiled_registration_equals_python_for_any_outcome(answers: list[int | TargetError | None]) -> None:
    interpreted, compiled = (_registered(way, answers, 1) for way in _WAYS)

    assert compiled == interpreted


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([7, None, DEADLOCK, LOST, OTHER, TIMEOUT]), min_size=1, max_size=20),
    st.integers(0, 2**63),
)
def test_compiled_registration_equals_python_for_any_random_numbers(
    answers: list[int | TargetError | None], seed: int
) -> None:
    interpreted, compiled = (_registered(way, answers, seed) for way in _WAYS)

    assert compiled == interpreted


def test_compiled_registration_gives_up_after_as_many_attempts() -> None:
    actions, *_ = _registered(DvdStoreUser.script, [None] * 2 * MOST_RETRIES, 1)

    verbs = [text.split("'")[1] if kind is Call else kind.__name__ for kind, text in actions]
    assert verbs[: MOST_RETRIES + 2] == ["new_customer"] * MOST_RETRIES + ["Pause", "Pause"]


@pytest.mark.parametrize("random", [Lowest, Highest])
def test_compiled_customer_equals_python_at_the_limits(random: type[Random]) -> None:
    interpreted, compiled = (next(way(DvdStoreUser(_ALL_NEW, random(), Nothing()))) for way in _WAYS)

    assert exactly(compiled) == exactly(interpreted)
    assert isinstance(compiled, Call)
    assert type(compiled.arguments[0]) is picks.NewCustomer


@given(st.integers(0, 2**63))
def test_compiled_customer_equals_picks(seed: int) -> None:
    random = Random(seed)
    random.random()  # whether the customer is new

    action = next(DvdStoreUser(_ALL_NEW, Random(seed), Nothing()).script())

    assert exactly(action) == exactly(Call("new_customer", (picks.new_customer(random),)))


@pytest.mark.parametrize(("seed", "region", "draws"), [(1, people.REST_OF_THE_WORLD, 27), (4, people.US, 28)])
def test_failing_random_ends_both_without_leaks(seed: int, region: int, draws: int) -> None:
    def fail_at_each() -> None:
        for at in range(1, draws + 1):
            for way in _WAYS:
                with pytest.raises(ArithmeticError, match="no luck"):
                    next(way(DvdStoreUser(_ALL_NEW, Failing(seed, at), Nothing())))

    fail_at_each()
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(20):
        fail_at_each()
    gc.collect()

    assert sys.getallocatedblocks() - blocks < 20
    drawn = next(DvdStoreUser(_ALL_NEW, Failing(seed, draws + 1), Nothing()).script())
    assert isinstance(drawn, Call)
    assert drawn.arguments[0].region == region, "each of the draws was made to fail"


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"ZIPS": 0}, ValueError),
        ({"ZIPS": 2**31}, ValueError),
        ({"ZIPS": "many"}, TypeError),
        ({"ZIPS": 2**70}, OverflowError),
        ({"PHONE_DIGITS": 65}, ValueError),
        ({"CITY_LETTERS": 65}, ValueError),
        ({"EMAIL_DOMAIN": "@exämple.com"}, ValueError),
        ({"EMAIL_DOMAIN": "@" + "a" * 64}, ValueError),
        ({"EMAIL_DOMAIN": None}, ValueError),
        ({"STREETS": ()}, ValueError),
        ({"STREETS": ["High Street"]}, ValueError),
        ({"STREETS": ("High Street", 5)}, ValueError),
        ({"STREETS": ("Größe",)}, ValueError),
    ],
)
def test_invalid_values_of_people_are_rejected(changed: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        _script.NewCustomers(SimpleNamespace(**{**vars(people), **changed}), picks.NewCustomer)


def test_the_longest_texts_have_a_place() -> None:
    long = {"EMAIL_DOMAIN": "@" + "a" * 63, "LASTNAME_LETTERS": 64, "CITY_LETTERS": 63, "STREETS": ("S" * 64,)}
    large = {"LEAST_HOUSE_NUMBER": 2**31 - 1, "HOUSE_NUMBERS": 2**31 - 1, "CREDIT_CARD_DIGITS": 64}
    namespace = SimpleNamespace(**{**vars(people), **long, **large})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picks, "people", namespace)
        new_customers = _script.NewCustomers(namespace, picks.NewCustomer)
        patch.setattr("engine.workloads.dvdstore.user._new_customers", lambda: new_customers)
        interpreted, compiled = (next(way(DvdStoreUser(_ALL_NEW, Highest(), Nothing()))) for way in _WAYS)

    assert exactly(compiled) == exactly(interpreted)


@pytest.mark.parametrize("given", [(), (people,), (people, {"US": 1}), (None, picks.NewCustomer), (people, list)])
def test_new_customers_are_made_of_people_and_are_tuples(given: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        _script.NewCustomers(*given)
