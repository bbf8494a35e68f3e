"""Whole runs from the command line, on the session's real server."""

import csv
import io
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from app.cli.conducting import RunOptions
from engine.faults.fault_text import parse_mark
from engine.plan.file import write_plan_file
from engine.plan.plan import RunPlan
from engine.target.target import Target
from tests.app.calling import COMMAND, REPOSITORY, in_process, in_terminal
from tests.app.conftest import STORE, Spindle
from tests.app.runs import a_run

SHORT = ("--warmup", "0.02", "--minutes", "0.05", "--ramp-rate", "100", "--think-time-ms", "20")
UNHURRIED = ("--think-time-ms", "20", "--warmup", "0")


def test_a_run_to_json_leaves_nothing_else_on_the_output_and_no_password_anywhere(
    store: str, home: Path, monkeypatch: pytest.MonkeyPatch, spindle: Spindle
) -> None:
    password = os.environ["SPINDLE_PASSWORD"]
    monkeypatch.delenv("SPINDLE_PASSWORD")
    code, out, err = in_process(
        *("run", "--target", store.replace("postgres@", f"postgres:{password}@"), *SHORT),
        *("--mark", "0:01 Enclosure pulled", "--mark", "2.5 Restored"),
        *("--clients", "2", "--threads", "2", "--json", "-"),
        *("--name", "two [b]clients[/b]", "--tag", "short", "--note", "a note"),
    )
    assert code == 0, err
    result = json.loads(out)
    assert (result["state"], result["name"], result["tags"]) == ("completed", "two [b]clients[/b]", ["short"])
    assert [client["label"] for client in result["clients"]] == [f"{STORE} #1", f"{STORE} #2"]
    assert result["orders"] == sum(client["orders"] for client in result["clients"]) > 0
    assert result["opm"] == 60 * result["orders"] // 3
    marks = [(event["label"], event["at_seconds"]) for event in result["events"] if event["kind"] == "mark"]
    measuring_from = result["phases"]["measuring_from"]
    assert marks == [("Enclosure pulled", measuring_from + 1), ("Restored", measuring_from + 2.5)]
    assert [fault["label"] for fault in result["plan"]["faults"]] == ["Enclosure pulled", "Restored"]
    assert "measuring" in err
    assert "Traceback" not in err

    shown = spindle("library", "show", "last")
    assert f"run {result['run_id']}" in shown.out
    assert "two [b]clients[/b]" in spindle("library", "list", "--tag", "short").out
    assert password not in out + err + shown.out
    for path in home.rglob("*"):
        assert not path.is_file() or password.encode() not in path.read_bytes()


def test_command_line_marks_replace_those_of_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spindle: Spindle
) -> None:
    path = tmp_path / "plan.toml"
    planned = RunPlan(minutes=10, faults=(parse_mark("5:00 Enclosure pulled"),))
    write_plan_file(path, planned)
    plans: list[RunPlan] = []

    def conduct(_context: object, plan: RunPlan, _manner: object, **_: object) -> int:
        plans.append(plan)
        return 0

    monkeypatch.setattr("app.cli.conducting.conduct", conduct)
    assert spindle("run", str(path)).code == 0
    assert spindle("run", str(path), "--mark", "1:00 Failover", "--mark", "2:00 Restored").code == 0
    kept, replaced = plans
    assert kept == planned
    assert [(fault.at_seconds, fault.label) for fault in replaced.faults] == [(60, "Failover"), (120, "Restored")]
    late = spindle("run", str(path), "--minutes", "5")
    assert late.code == 2
    assert "fault 'Enclosure pulled' is at 5:00 after measuring begins" in late.err


@pytest.mark.parametrize(
    ("options", "run_options"),
    [((), (True, False)), (("--no-reset",), (False, False)), (("--audit",), (True, True))],
)
def test_reset_and_audit_options_override_the_plan_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spindle: Spindle,
    options: tuple[str, ...],
    run_options: tuple[bool, bool],
) -> None:
    path = tmp_path / "plan.toml"
    write_plan_file(path, RunPlan(minutes=10, reset=True, audit=False))
    manners: list[RunOptions] = []

    def conduct(_context: object, _plan: RunPlan, run_options: RunOptions, **_: object) -> int:
        manners.append(run_options)
        return 0

    monkeypatch.setattr("app.cli.conducting.conduct", conduct)
    assert spindle("run", str(path), *options).code == 0
    assert [(each.reset, each.audit) for each in manners] == [run_options]


def test_times_are_minutes_or_written_as_those_of_faults(monkeypatch: pytest.MonkeyPatch, spindle: Spindle) -> None:
    plans: list[RunPlan] = []

    def conduct(_context: object, plan: RunPlan, _manner: object, **_: object) -> int:
        plans.append(plan)
        return 0

    monkeypatch.setattr("app.cli.conducting.conduct", conduct)
    assert spindle("run", "--warmup", "30s", "--minutes", "1:30").code == 0
    assert spindle("run", "--warmup", "0.5", "--minutes", "1.5").code == 0
    assert [(plan.warmup_minutes, plan.minutes) for plan in plans] == [(0.5, 1.5)] * 2
    refused = spindle("run", "--minutes", "soon")
    assert refused.code == 2
    assert "--minutes is 'soon'; give minutes such as 30, or 90s, or 1:30" in refused.err


def test_options_override_the_plan_file(store: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    target, _ = Target.parse(store)
    write_plan_file(plan, RunPlan(name="planned", targets=(target,), threads=7, warmup_minutes=0, minutes=0.02))
    path = tmp_path / "samples.csv"
    code, out, err = in_process("run", str(plan), "--threads", "2", "--csv", str(path), "--quiet")
    assert code == 0, err
    assert "planned  ·  run " in out
    assert "1MB store, 2 users per client" in out
    assert "OPM running" not in err
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert {row["label"] for row in rows} == {STORE}
    assert [row["second"] for row in rows] == [str(second) for second in range(len(rows))]


def test_a_run_on_a_terminal_is_drawn_in_place_and_ends_with_its_result(store: str) -> None:
    ramp = ("--users", "3", "--ramp-rate", "1")  # it takes longer than a busy machine may need for the first drawing
    code, shown = in_terminal("run", "--target", store, *UNHURRIED, *ramp, "--minutes", "0.02", columns=100, lines=30)
    assert code == 0
    assert "\x1b[1A" in shown
    for state in ("RAMPING", "MEASURING", "COMPLETED"):
        assert state in shown
    assert "completed, measured 2\u202fs" in shown.rpartition("COMPLETED")[2]
    assert "no errors" in shown


def test_ctrl_c_stops_a_run_in_order_and_keeps_it(store: str, home: Path, tmp_path: Path) -> None:
    code, shown = in_terminal(
        *("run", "--target", store, *UNHURRIED, "--json", str(tmp_path / "result.json")),
        typed={"until Ctrl-C": "\x03"},
    )
    assert code == 130
    assert "Traceback" not in shown
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["state"] == "stopped"
    assert "stopping" in [event["label"] for event in result["events"]]  # users may still wait for an answer then


def test_killed_run_is_reported_at_the_next_start(store: str, spindle: Spindle) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "--target", store, *UNHURRIED, "--name", "doomed"],
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stderr is not None
        assert any("measuring" in line for line in process.stderr)
        os.kill(process.pid, signal.SIGKILL)
    code, out, err = spindle("library", "list", "--state", "interrupted")
    assert code == 0
    assert "(doomed) was interrupted; what was measured is in the library" in err
    assert "interrupted  doomed" in out
    assert "its lease was taken over" in spindle("reset", "--target", store).err


def test_unwritable_result_names_the_export_command(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spindle: Spindle
) -> None:
    def conduct(_context: object, plan: RunPlan, _manner: object, *, done: object, **_: object) -> int:
        assert callable(done)
        (tmp_path / "result.json").mkdir()  # what happened to the path while the run went on
        done(None, a_run())
        raise AssertionError

    monkeypatch.setattr("app.cli.conducting.conduct", conduct)
    monkeypatch.setattr("app.cli.run._show", lambda *_: None)
    code, _, err = spindle("run", "--target", store, "--json", str(tmp_path / "result.json"))
    assert code == 1
    assert "write it again with: spindle library export" in err
