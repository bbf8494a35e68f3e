"""Repeated runs through the command line: the set that they make, its files, and what Ctrl-C leaves of it."""

import csv
import json
import os
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.system.conftest import COMMAND_SECONDS, Spindle
from tests.waiting import wait_until

LOAD = ("--clients", "2", "--threads", "3", "--think-time-ms", "50", "--ramp-rate", "20", "--warmup", "0", "--quiet")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals")


def opm_by_client(table: Path) -> dict[str, dict[str, int]]:
    """Each client's OPM by run, recomputed from the exported rows alone, without any of Spindle's own code."""
    orders: dict[tuple[str, str], int] = {}
    seconds: dict[str, set[str]] = {}
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["phase"] == "measuring":
                seconds.setdefault(row["run_id"], set()).add(row["second"])
                place = row["run_id"], row["label"]
                orders[place] = orders.get(place, 0) + int(row["orders"])
    found: dict[str, dict[str, int]] = {}
    for (run_id, label), count in orders.items():
        found.setdefault(run_id, {})[label] = 60 * count // len(seconds[run_id])
    return found


def test_three_runs_are_one_set_whose_median_run_follows_from_their_rows(spindle: Spindle, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    command = spindle.start(
        *("run", "--repeat", "3", *LOAD, "--minutes", "0.05", "--reset", "--name", "évening", "--note", "n"),
        *("--json", "-", "--csv", str(table)),
    )
    assert command.exit_code() == 0, command.err
    made: Any = json.loads(command.out)
    assert (made["name"], made["note"], made["left_out"], made["warning"]) == ("évening", "n", [], "")
    assert [run["state"] for run in made["runs"]] == ["completed"] * 3
    assert [run["name"] for run in made["runs"]] == [f"évening, run {number}" for number in (1, 2, 3)]

    clients = opm_by_client(table)
    for run in made["runs"]:
        assert {client["label"]: client["opm"] for client in run["clients"]} == clients[run["run_id"]]
    median = statistics.median_low(run["opm"] for run in made["runs"])
    assert (made["opm"], made["median"]["opm"]) == (median, median)
    of_median = clients[made["median"]["run_id"]].values()
    assert made["variability_pct"] == pytest.approx(100 * (max(of_median) - min(of_median)) / max(of_median))

    for number in (2, 3):
        assert f"run {number} of 3: completed" in command.err
    assert command.err.count("resetting ds2: reset") >= 2
    kept = json.loads(spindle.prints("set", "show", "évening", "--json"))
    assert kept["median"] == made["median"]
    text = spindle.prints("set", "show", "évening")
    assert f"{made['median']['name']} is the median run of 3." in text
    alone = spindle.result(made["runs"][0]["run_id"])
    assert (alone["opm"], alone["run_set"]) == (made["runs"][0]["opm"], "évening")


def test_ctrl_c_ends_the_repetition_and_keeps_what_was_made(spindle: Spindle) -> None:
    known = spindle.run_count()
    command = spindle.start("run", "--repeat", "3", *LOAD, "--minutes", "0.15", "--name", "cut")
    wait_until(lambda: "run 1 of 3: completed" in command.err, "the first run is over", timeout_seconds=COMMAND_SECONDS)
    spindle.wait_until_measuring(known + 1)

    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    made = json.loads(spindle.prints("set", "show", "cut", "--json"))
    assert [run["state"] for run in made["runs"]] == ["completed", "stopped"]
    assert made["median"]["run_id"] == made["runs"][0]["run_id"]
    assert made["left_out"] == [{"run_id": made["runs"][1]["run_id"], "reason": "it was stopped"}]
    assert "Left out: cut, run 2, as it was stopped." in command.out
    assert spindle.run_count() == known + 2
    assert "Traceback" not in command.err + spindle.log()
