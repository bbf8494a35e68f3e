import json
from dataclasses import replace
from pathlib import Path

from engine.record.record import RunState
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep
from tests.engine.events import suspended


def shown(spindle: Spindle, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(spindle("set", "show", name, "--json").out)
    return found


def run_ids(plain: dict[str, object]) -> list[str]:
    runs = plain["runs"]
    assert isinstance(runs, list)
    return [run["run_id"] for run in runs]


def test_set_is_created_extended_renamed_noted_and_dissolved(spindle: Spindle, home: Path) -> None:
    records = [a_run(minutes_later=number, name=f"run {number}") for number in range(3)]
    keep(home, *records)
    ids = [record.run_id for record in records]
    assert spindle("set", "make", "evening", ids[0], "last", "--note", "n").code == 0
    assert spindle("set", "add", "EVE", ids[1]).code == 0
    assert spindle("set", "rename", "eve", "SSD, 20 ms").code == 0
    assert spindle("set", "note", "ssd", "another").code == 0
    found = shown(spindle, "ssd")
    assert (found["name"], found["note"], run_ids(found)) == ("SSD, 20 ms", "another", [ids[0], ids[2], ids[1]])
    assert "set of 3 runs" in spindle("set", "show", "ssd").out
    assert "SSD, 20 ms" in spindle("set", "list").out
    listed = json.loads(spindle("set", "list", "--json").out)
    assert listed == [found]
    assert spindle("set", "remove", "ssd", ids[2]).code == 0
    assert f"set        {found['name']}" in spindle("library", "show", ids[0]).out
    filtered = json.loads(spindle("library", "list", "--set", "ssd", "--json").out)
    assert [run["run_id"] for run in filtered] == [ids[1], ids[0]]

    code, _, err = spindle("set", "delete", "ssd")
    assert code == 0
    assert spindle("set", "list").err == (
        "spindle: the library has no run set; make one with: spindle run --repeat 3, or spindle set make\n"
    )
    again = err.partition("To recreate it: spindle ")[2]
    assert again.split("'")[1] == "SSD, 20 ms"
    assert again.split()[-2:] == [ids[0], ids[1]]
    assert len(json.loads(spindle("library", "list", "--json").out)) == 3


def test_a_set_is_shown_with_what_limits_its_runs_that_count(spindle: Spindle, home: Path) -> None:
    first, second, stopped = (a_run(minutes_later=number, name=f"run {number}") for number in range(3))
    keep(home, first, replace(stopped, state=RunState.STOPPED), events=(suspended(4.0, 12.3),))
    keep(home, second)
    spindle("set", "make", "evening", *(record.run_id for record in (first, second, stopped)))
    lines = spindle("set", "show", "evening").out.splitlines()
    assert "Warning: run 0: The workstation was suspended for 12.3 s." in lines
    assert any(line.startswith("Warning: run 0 and run 1: Steady state not assessed") for line in lines)
    assert not any(line.startswith("Warning") and "run 2" in line for line in lines)


def test_run_of_another_set_and_missing_set_are_rejected(spindle: Spindle, home: Path) -> None:
    keep(home, a_run())
    spindle("set", "make", "one", "last")
    code, _, err = spindle("set", "make", "two", "last")
    assert (code, "is in set 'one'" in err) == (1, True)
    code, _, err = spindle("set", "show", "two")
    assert (code, "set 'two' is not in the library" in err) == (2, True)
    code, _, err = spindle("set", "make", "ONE")
    assert (code, "already in use" in err) == (2, True)


def test_set_command_warns_of_different_plans(spindle: Spindle, home: Path) -> None:
    keep(home, a_run(), a_run(minutes_later=1, clients=1, plan=a_run(clients=1).plan.__class__(threads=3)))
    ids = [run["run_id"] for run in json.loads(spindle("library", "list", "--json").out)]
    warned = spindle("set", "make", "one", *ids)
    assert warned.code == 0
    assert "the runs of this set differ in" in warned.err
