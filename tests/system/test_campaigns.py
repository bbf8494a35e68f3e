"""Campaigns through the command line, on the practice lab: the published cycle, a sweep, a search, and kill -9."""

import json
import os
import re
import signal
import socket
import urllib.request
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from engine.campaign.journal import CampaignState, EntryState
from engine.lab.node import pick_port
from engine.lab.server import EmbeddedServer
from tests.system.conftest import COMMAND_SECONDS, HeldServer, RunningCommand, Spindle
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals"),
    pytest.mark.timeout(400),
]
PLAN = """\
[plan]
targets = ["embedded:///ds2"]
threads = 3
think_time_ms = 50.0
ramp_rate = 20.0
warmup_minutes = 0.0
minutes = 0.03
"""
PREPARED = """\
  [[steps.steps]]
  kind = "reset"
  [[steps.steps]]
  kind = "act"
  do = "restart immediate"
  [[steps.steps]]
  kind = "wait"
  for = "sql"
  deadline_seconds = 60
  [[steps.steps]]
  kind = "idle"
  minutes = 0.03
"""
CYCLE = f"""
[[steps]]
kind = "cycle"
repeat = 3
{PREPARED}
  [[steps.steps]]
  kind = "run"
"""
ONE_RUN = ("--db-size", "1MB", "--users", "1", "--think-time-ms", "50", "--warmup", "0", "--minutes", "0.02", "--quiet")
RECEIVER_TIMEOUT = timedelta(seconds=5)
"""Of the lab's standbys: so long after what came last they ask for another walsender, which is not frozen."""
LOCK = 4711
KINDS = ("reset", "act", "wait", "idle", "run")


def campaign_file(folder: Path, name: str, steps: str, plan: str = PLAN) -> str:
    path = folder / f"{name}.toml"
    path.write_text(f'name = "{name}"\n{plan}\n{steps}')
    return str(path)


def status(spindle: Spindle, name: str) -> Any:
    return json.loads(spindle.prints("campaign", "status", name, "--json"))


def state_of(spindle: Spindle, name: str) -> CampaignState:
    return spindle.library.campaigns.get(name).state


def is_running(spindle: Spindle, kind: str) -> bool:
    """Whether the newest campaign is in a step of a kind; of a run, whether it measures."""
    library = spindle.library
    campaigns = library.campaigns.all()
    entry = campaigns[0].entries[-1] if campaigns and campaigns[0].entries else None
    if entry is None or (entry.kind, entry.state) != (kind, EntryState.RUNNING):
        return False
    return kind != "run" or any(
        run.run_id == entry.run_id and run.phases.measuring_from is not None for run in library.runs()
    )


def kill_in(spindle: Spindle, command: RunningCommand, kind: str) -> None:
    """Kill the program in a step of a kind; it is stopped for a second look, as the step may end meanwhile."""

    def is_killed() -> bool:
        assert command.process.poll() is None, f"the program ended before a step {kind} was seen: {command.err}"
        if not is_running(spindle, kind):
            return False
        os.kill(command.process.pid, signal.SIGSTOP)
        found = is_running(spindle, kind)
        os.kill(command.process.pid, signal.SIGKILL if found else signal.SIGCONT)
        return found

    wait_until(is_killed, f"a step {kind} is seen", timeout_seconds=COMMAND_SECONDS)
    command.process.wait(COMMAND_SECONDS)
    assert state_of(spindle, "killed") is CampaignState.INTERRUPTED


def shown_runs(port: int) -> set[str]:
    """The runs that /metrics shows now."""
    with (
        suppress(OSError, HTTPException),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer,
    ):
        return set(re.findall(r'spindle_run_info\{run="([^"]+)"', answer.read().decode()))
    return set()


def test_the_published_cycle_is_three_runs_with_their_median_each_shown_elsewhere(
    spindle: Spindle, tmp_path: Path
) -> None:
    port, shown = pick_port(None), set[str]()
    file = campaign_file(tmp_path, "published", CYCLE)
    command = spindle.start("campaign", "run", file, "--quiet", "--json", "-", "--metrics", str(port))

    def has_ended() -> bool:
        shown.update(shown_runs(port))
        return command.process.poll() is not None

    wait_until(has_ended, "the campaign has ended", timeout_seconds=COMMAND_SECONDS)
    assert shown == {f"published, run {number}" for number in (1, 2, 3)}
    assert command.exit_code() == 0, command.err
    made = json.loads(command.out)
    assert (made["name"], made["state"]) == ("published", "completed")
    (point,) = made["points"]
    assert [run["name"] for run in point["runs"]] == [f"published, run {number}" for number in (1, 2, 3)]
    assert [entry["kind"] for entry in made["journal"]] == list(KINDS) * 3
    assert {entry["state"] for entry in made["journal"]} == {"done"}
    assert all("by " in entry["data"]["audit"] for entry in made["journal"] if entry["kind"] == "act")

    kept = json.loads(spindle.prints("set", "show", "published", "--json"))
    assert kept["median"]["run_id"] == point["median"]
    tree = spindle.prints("library", "list", "--tree")
    lines = [line.strip() for line in tree.splitlines()]
    assert lines[0].startswith("published")
    assert sum("median" in line for line in lines) == 1
    text = spindle.prints("campaign", "status", "published")
    assert "The campaign is completed; 3 runs completed." in text


def test_a_campaign_that_is_killed_in_each_kind_of_step_comes_to_the_same_tree(
    spindle: Spindle, tmp_path: Path
) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))  # not open before it listens: until then the campaign waits
        wait = f'for = "port 127.0.0.1:{door.getsockname()[1]}"'
        lock = f"sql 'SELECT pg_advisory_lock({LOCK})' on host1"
        steps = (
            CYCLE.replace("repeat = 3", "repeat = 2").replace('for = "sql"', wait).replace("restart immediate", lock)
        )
        started = (campaign_file(tmp_path, "killed", steps), "--quiet", "--yes-hurt", "embedded")
        # A reset, of a store that has changed, and an action are over before they are seen unless they wait.
        with EmbeddedServer.attach(spindle.places.lab, notify=print) as lab, HeldServer(lab).connect() as holder:
            holder.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
            holder.execute("INSERT INTO orders (orderdate, netamount, tax, totalamount) VALUES (now(), 0, 0, 0)")
            with holder.transaction():
                holder.execute("LOCK TABLE orders IN ROW EXCLUSIVE MODE")
                command = spindle.start("campaign", "run", *started)
                kill_in(spindle, command, "reset")
            command = spindle.start("campaign", "resume", *started)
            kill_in(spindle, command, "act")
        for kind in ("wait", "idle", "run"):
            command = spindle.start("campaign", "resume", *started)
            kill_in(spindle, command, kind)
            if kind == "wait":
                door.listen()
        command = spindle.start("campaign", "resume", *started)
        assert command.exit_code() == 0, command.err

    made = status(spindle, "killed")
    assert made["state"] == "completed"
    (point,) = made["points"]
    assert [run["state"] for run in point["runs"]] == ["completed"] * 2
    states = Counter(entry["state"] for entry in made["journal"])
    assert states["interrupted"] == len(KINDS)
    assert states["running"] == 0
    done = Counter(entry["path"] for entry in made["journal"] if entry["kind"] == "run" and entry["state"] == "done")
    assert set(done.values()) == {1}
    assert [each["state"] for each in made["other_runs"]] == ["interrupted"]
    again = spindle.prints("campaign", "status", "killed")
    assert again.count("Done again") == len(KINDS) + len(KINDS) - 1


def test_ctrl_c_ends_the_run_in_order_and_the_journal_says_so(spindle: Spindle, tmp_path: Path) -> None:
    file = campaign_file(tmp_path, "cut", '[[steps]]\nkind = "run"\nwith = {minutes = 5}\n')
    command = spindle.start("campaign", "run", file, "--quiet")
    wait_until(lambda: is_running(spindle, "run"), "the run measures", timeout_seconds=COMMAND_SECONDS)

    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    made = status(spindle, "cut")
    assert (made["state"], made["journal"][-1]["state"]) == ("stopped", "stopped")
    assert spindle.result(made["run_ids"][0])["state"] == "stopped"
    assert "Traceback" not in command.err + spindle.log()


def test_another_command_stops_a_campaign(spindle: Spindle, tmp_path: Path) -> None:
    file = campaign_file(tmp_path, "long", '[[steps]]\nkind = "idle"\nminutes = 60\n')
    command = spindle.start("campaign", "run", file, "--quiet")
    wait_until(lambda: is_running(spindle, "idle"), "it idles", timeout_seconds=COMMAND_SECONDS)
    spindle.ends("campaign", "stop", file)
    assert command.exit_code() == 130, command.err
    assert status(spindle, "long")["state"] == "stopped"


def test_a_sweep_has_a_set_for_each_point(spindle: Spindle, tmp_path: Path) -> None:
    steps = '[[steps]]\nkind = "sweep"\nrepeat = 2\n[steps.over]\nthink_time_ms = [20, 200]\n'
    spindle.ends("campaign", "run", campaign_file(tmp_path, "swept", steps), "--quiet")
    made = status(spindle, "swept")
    assert [point["point"] for point in made["points"]] == [{"think_time_ms": 20}, {"think_time_ms": 200}]
    assert [point["set"] for point in made["points"]] == ["swept, think time 20 ms", "swept, think time 200 ms"]
    slow, fast = (max(run["opm"] for run in point["runs"]) for point in reversed(made["points"]))
    assert slow < fast
    runs = [run["run_id"] for point in made["points"] for run in point["runs"]]
    assert [spindle.library.run(run).plan.think_time_ms for run in runs] == [20, 20, 200, 200]
    assert spindle.result(runs[-1])["campaign"] == "swept"


def test_what_an_action_did_lasts_and_replication_is_waited_for(spindle: Spindle, tmp_path: Path) -> None:
    plan = PLAN.replace("embedded:///ds2", "embedded:///ds2?nodes=2&sync=off&failover=manual")
    steps = """
[[steps]]
kind = "act"
do = "sql 'CREATE TABLE replicated (x int)' on host1"
[[steps]]
kind = "wait"
for = "replication"
[[steps]]
kind = "act"
do = "freeze walsender"
[[steps]]
kind = "act"
do = "sql 'CREATE TABLE waited_for (x int)' on host1"
[[steps]]
kind = "wait"
for = "replication"
deadline_seconds = 1
at_deadline = "continue"
[[steps]]
kind = "wait"
for = "replication within 0.1"
deadline_seconds = 1
at_deadline = "continue"
[[steps]]
kind = "act"
do = "thaw"
[[steps]]
kind = "wait"
for = "replication"
deadline_seconds = 60
"""
    command = ("campaign", "run", campaign_file(tmp_path, "lag", steps, plan), "--quiet", "--yes-hurt", "embedded")
    spindle.ends("run", "--target", "embedded:///ds2?nodes=2&sync=off&failover=manual", *ONE_RUN)
    spindle.ends(*command)
    journal = status(spindle, "lag")["journal"]
    waits = journal[4:6]
    assert [entry["state"] for entry in journal if entry not in waits] == ["done"] * 6
    replicating = datetime.fromisoformat(journal[0]["began_at"])
    for entry in waits:
        if datetime.fromisoformat(entry["ended_at"]) - replicating < RECEIVER_TIMEOUT:
            assert entry["state"] == "failed"
            assert re.search(r"deadline of 1 s: replica 127\.0\.0\.1:\d+ has not replayed everything", entry["reason"])


def test_a_search_stores_its_path(spindle: Spindle, tmp_path: Path) -> None:
    steps = '[[steps]]\nkind = "search"\nfield = "threads"\nfrom = 1\nto = 4\nhold = ["errors <= 0", "opm > 0"]\n'
    spindle.ends("campaign", "run", campaign_file(tmp_path, "searched", steps), "--quiet")
    made = status(spindle, "searched")
    (found,) = made["searches"]
    path = [point["value"] for point in found["points"]]
    assert path == [1, 2, 4][: len(path)]
    verdicts = [point["verdict"] for point in found["points"]]
    held = [point["value"] for point in found["points"] if point["verdict"] == "holds"]
    assert found["highest"] == max(held, default=None)
    if "refused" in verdicts:  # on a machine with other work, the workstation may well be the limit
        assert "can't be judged" in found["sentence"]
    else:
        assert path == [1, 2, 4]
    assert all(point["run_id"] in made["run_ids"] for point in found["points"])


REFUSED = {
    'kind = "wait"\nfor = "replication"': "has one host, so no replica is known",
    'kind = "act"\ndo = "promote"': "step 1 (act): 'promote' needs a standby",
    'kind = "act"\ndo = "run /no/such/tool"': "step 1 (act): /no/such/tool is not a program",
    'kind = "reset"\nfrom = "backup"': "step 1 (reset): from is 'backup', and database 'ds2' on",
    'kind = "run"\nwith = {db_size = "2MB"}': "step 1 (run): Database 'ds2' on the embedded server holds a 1MB"
    " store, and the plan expects one of 2MB",
}


@pytest.mark.usefixtures("server")
def test_what_cannot_work_is_refused_before_the_first_step(spindle: Spindle, tmp_path: Path) -> None:
    after = '[[steps]]\nkind = "idle"\nminutes = 60\n'
    for step, sentence in REFUSED.items():
        file = campaign_file(tmp_path, "wrong", f"[[steps]]\n{step}\n{after}")
        refused = spindle.call("campaign", "run", file, "--yes-hurt", "embedded")
        assert refused.code in (1, 2)
        assert sentence in refused.err
        assert "Traceback" not in refused.err
    assert "wrong" not in spindle.prints("campaign", "list")
