"""The sequence of a repeated run, with simulated runs that end as the test says; tests/system has real ones."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.cli import repeating
from app.cli.conducting import ConductedRun, RunOptions
from app.cli.context import Context
from app.cli.problems import COMPLETED, FAILED, NOT_KEPT, ORDERS_LOST, STOPPED
from app.cli.repeating import repeat
from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.run_set import RunSet
from engine.errors import BadInput, Cancelled, UserError
from engine.library.library import Library
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.app.runs import a_run, samples_of

PLAN = RunPlan(name="evening load", note="n", minutes=1)
MANNER = RunOptions(reset=True, quiet=True)
Ending = ConductedRun | BaseException


def ended(state: RunState = RunState.COMPLETED, exit_code: int = COMPLETED) -> ConductedRun:
    return ConductedRun(record=a_run(state=state), exit_code=exit_code)


@pytest.fixture
def context(home: Path) -> Context:
    return Context(find_places(home))


@pytest.fixture
def endings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Ending]]:
    """How the runs end, one after the other; each is in the library by then."""
    left: list[Ending] = []

    def conduct_one(
        library: Library,
        _targets: object,
        _plan: RunPlan,
        _manner: RunOptions,
        *,
        started: Callable[..., None],
        done: Any,
        made: object,
    ) -> ConductedRun:
        ending = left.pop(0)
        if isinstance(ending, BaseException):
            raise ending
        record = a_run(minutes_later=10 - len(left), state=ending.record.state)
        library.add_imported(record, samples_of(2), [])
        started(cast("Any", SimpleNamespace(run_id=record.run_id, name="evening load")))
        done(library, library.run(record.run_id))
        return ConductedRun(record=record, exit_code=ending.exit_code)

    monkeypatch.setattr(repeating, "conduct_one", conduct_one)
    yield left
    assert not left, "every run of the test was asked for"


@pytest.fixture
def sets() -> list[RunSet]:
    return []


def code_of(context: Context, sets: list[RunSet], times: int, **more: Any) -> int:
    return repeat(context, PLAN, times, MANNER, done=lambda _, run_set: sets.append(run_set), **more)


def test_repeated_runs_have_unique_names_in_the_set(
    context: Context, endings: list[Ending], sets: list[RunSet], capsys: pytest.CaptureFixture[str]
) -> None:
    endings += [ended(), ended(), ended()]
    with context.open_library() as library:
        library.sets.make("Evening load")
        library.configurations.save(Configuration(name="R630"))
    assert code_of(context, sets, 3, configuration="r630") == COMPLETED
    (made,) = sets
    assert (made.name, made.note, made.configuration, len(made.run_ids)) == ("evening load 2", "n", "R630", 3)
    with context.open_library() as library:
        records = library.sets.records(made.name)
    assert [record.name for record in records] == [f"evening load, run {number}" for number in (1, 2, 3)]
    assert "run 2 of 3: completed, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("ending", "code"),
    [(ended(RunState.STOPPED, STOPPED), STOPPED), (ended(exit_code=STOPPED), STOPPED), (Cancelled(), STOPPED)],
)
def test_ctrl_c_ends_the_repetition_and_keeps_finished_runs(
    context: Context, endings: list[Ending], sets: list[RunSet], ending: Ending, code: int
) -> None:
    endings += [ended(), ending]
    assert code_of(context, sets, 5) == code
    assert len(sets[0].run_ids) == (1 if isinstance(ending, Cancelled) else 2)


def test_exit_code_is_the_worst_and_a_failed_run_does_not_stop_the_repetition(
    context: Context, endings: list[Ending], sets: list[RunSet]
) -> None:
    endings += [ended(RunState.FAILED, FAILED), ended(exit_code=ORDERS_LOST), ended()]
    assert code_of(context, sets, 3) == ORDERS_LOST
    assert len(sets[0].run_ids) == 3


def test_repetition_stops_if_the_library_is_full(context: Context, endings: list[Ending], sets: list[RunSet]) -> None:
    endings += [ended(), ended(exit_code=NOT_KEPT)]
    assert code_of(context, sets, 5) == NOT_KEPT
    assert len(sets[0].run_ids) == 2


def test_error_before_a_later_run_keeps_earlier_runs(
    context: Context, endings: list[Ending], sets: list[RunSet]
) -> None:
    endings += [ended(), UserError("db1 refused the connection; start it.")]
    with pytest.raises(UserError, match="db1 refused"):
        code_of(context, sets, 3)
    assert len(sets[0].run_ids) == 1


def test_no_set_is_created_if_the_first_run_does_not_start(
    context: Context, endings: list[Ending], sets: list[RunSet]
) -> None:
    endings += [Cancelled()]
    assert code_of(context, sets, 3) == STOPPED
    assert sets == []
    with pytest.raises(UserError, match="configuration 'R740' is not in the library"):
        code_of(context, sets, 3, configuration="R740")


def test_runs_without_an_end_are_not_repeated(context: Context, sets: list[RunSet]) -> None:
    with pytest.raises(BadInput, match="--repeat needs runs that end; give --minutes"):
        repeat(context, RunPlan(), 3, MANNER, done=lambda *_: None)
