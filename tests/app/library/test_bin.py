import json
from pathlib import Path

import pytest

from tests.app.calling import in_terminal
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep

RUNS = [a_run(minutes_later=number, name=f"run {number}") for number in range(3)]


@pytest.fixture(autouse=True)
def kept(home: Path) -> None:
    keep(home, *RUNS)


def listed(spindle: Spindle, *options: str) -> list[str]:
    return [each["name"] for each in json.loads(spindle("library", "list", "--json", *options).out)]


def test_delete_prints_the_restore_command(spindle: Spindle) -> None:
    code, _, err = spindle("library", "delete", "last")
    assert code == 0
    assert listed(spindle) == ["run 1", "run 0"]
    undo = err.rstrip().rpartition("undo with: spindle ")[2].split()
    assert spindle(*undo).err == f"spindle: restored {RUNS[2].run_id} (run 2).\n"
    assert listed(spindle) == ["run 2", "run 1", "run 0"]


def test_runs_listed_as_deleted_can_be_restored(spindle: Spindle) -> None:
    assert spindle("library", "list", "--deleted").err == "spindle: there are no deleted runs.\n"
    for run in RUNS[:2]:
        spindle("library", "delete", run.run_id)
    table = spindle("library", "list", "--deleted").out
    assert "deleted" in table.splitlines()[1].split()
    ids = [word for word in table.split() if word in {run.run_id for run in RUNS}]
    assert ids == [RUNS[1].run_id, RUNS[0].run_id]
    assert listed(spindle, "--deleted", "--text", "run 0") == ["run 0"]
    assert spindle("library", "list", "--deleted", "--text", "zebra").err == "spindle: no matching deleted run.\n"
    assert json.loads(spindle("library", "list", "--deleted", "--json").out)[0]["deleted_at"] > "2026"
    assert spindle("library", "restore", "last", ids[1][:-2]).code == 0
    assert listed(spindle) == ["run 2", "run 1", "run 0"]


def test_a_run_that_is_not_deleted_can_not_be_restored(spindle: Spindle) -> None:
    code, _, err = spindle("library", "restore", RUNS[0].run_id)
    assert code == 2
    assert "is not among the deleted runs; spindle library list --deleted shows them" in err


def test_emptying_the_bin_requires_confirmation(spindle: Spindle) -> None:
    assert spindle("library", "empty-bin").err == "spindle: there are no deleted runs.\n"
    spindle("library", "delete", "last")
    code, _, err = spindle("library", "empty-bin")
    assert code == 2
    assert "add --yes in a script" in err
    assert listed(spindle, "--deleted") == ["run 2"]
    code, _, err = spindle("library", "empty-bin", "--yes")
    assert code == 0
    assert err.startswith("spindle: 1 deleted run removed for good, about ")
    assert spindle("library", "restore", RUNS[2].run_id).code == 2
    assert listed(spindle) == ["run 1", "run 0"]


@pytest.mark.parametrize(("answer", "left"), [("n\n", 2), ("y\n", 0)])
def test_emptying_the_bin_on_a_terminal_asks_with_the_freed_size(spindle: Spindle, answer: str, left: int) -> None:
    for run in RUNS[:2]:
        spindle("library", "delete", run.run_id)
    code, _ = in_terminal("library", "empty-bin", typed={"Remove 2 deleted runs for good, about": answer})
    assert code == (2 if left else 0)
    assert len(listed(spindle, "--deleted")) == left
