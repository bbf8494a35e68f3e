"""Whole runs through the command line: what they print, keep and survive."""

import csv
import io
import json
import math
import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.child_processes import processes_of_runs
from tests.system.conftest import COMMAND_SECONDS, HeldServer, Spindle
from tests.waiting import wait_until

KEYS = {
    "run_id", "name", "state", "started_at", "ended_at", "plan", "environment", "opm", "opm_peak", "orders", "rt_ms",
    "clients",
}  # fmt: skip
CLIENT_KEYS = {
    "label", "target", "opm", "orders", "new_customers", "logins", "browses", "purchases", "rollbacks", "rollback_pct",
    "retries", "errors", "reconnects", "rt_ms", "rt_login_ms", "rt_new_customer_ms", "rt_browse_ms", "rt_purchase_ms",
}  # fmt: skip
RT_KEYS = {"mean", "p50", "p95", "p99", "max"}
LOAD = ("--clients", "2", "--threads", "3", "--think-time-ms", "50", "--ramp-rate", "20", "--warmup", "0")
UNTIL_STOPPED = (*LOAD, "--minutes", "0", "--quiet")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def check_totals(result: Any, rows: list[dict[str, str]]) -> None:
    """The run's figures, recomputed from the exported rows by a plain loop."""
    for figures, label in [(result, None), *((client, client["label"]) for client in result["clients"])]:
        orders = rollbacks = 0
        for row in rows:
            if row["phase"] == "measuring" and label in (None, row["label"]):
                orders += int(row["orders"])
                rollbacks += int(row["rollbacks"])
        assert figures["orders"] == orders
        assert figures["rollbacks"] == rollbacks
        assert figures["opm"] == math.floor(60 * orders / result["measured_seconds"])


def check_reported(result: Any, rows: list[dict[str, str]]) -> None:
    """What a run reports of its steps and of its client processes is there, and agrees with the exported rows."""
    names = {"login": "logins", "new_customer": "new_customers", "browse": "browses", "purchase": "purchases"}
    measured = [row for row in rows if row["phase"] == "measuring"]
    for step, column in names.items():
        figures = result["steps"][step]
        assert figures["count"] == sum(int(row[column]) for row in measured)
        if figures["count"]:
            assert 0 < figures["p50_ms"] <= figures["p95_ms"] <= figures["p99_ms"]
    assert sorted(client for process in result["driver"] for client in process["clients"]) == [1, 2]
    for process in result["driver"]:
        assert process["cpu_user_seconds"] > 0
        assert process["heartbeat_max_ms"] >= process["heartbeat_p99_ms"] > 0
        assert process["clock_offset_ms"] >= 0
    assert isinstance(result["spells"], list)


def acknowledged(rows: list[dict[str, str]]) -> int:
    return sum(int(row["purchases"]) - int(row["rollbacks"]) for row in rows)


def orders_by_second(rows: Iterable[dict[str, str]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in rows:
        found[int(row["second"])] = found.get(int(row["second"]), 0) + int(row["orders"])
    return found


def has_outage(rows: Iterable[dict[str, str]]) -> bool:
    """Whether seconds without an order lie between ones with orders; the last one may be cut short by the stop."""
    ordering = [second for second, orders in orders_by_second(rows).items() if orders]
    return len(ordering) < max(ordering) - min(ordering) + 1


def runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def beside_phases(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a run other than its phases; a busy machine may add warnings of the workstation, and that users
    waited when the run was stopped, which are left out."""
    busy = ("workstation ", "main process ", "users waited")
    return [each for each in result["events"] if each["kind"] != "phase" and not each["code"].startswith(busy)]


def check_quiet(spindle: Spindle, *texts: str) -> None:
    """There must be no traceback, neither on the terminal nor in the log."""
    for text in (*texts, spindle.log()):
        assert "Traceback" not in text, text


def test_a_run_prints_its_result_and_every_figure_follows_from_its_rows(
    spindle: Spindle, server: HeldServer, tmp_path: Path
) -> None:
    before = server.orders()
    table = tmp_path / "rows.csv"

    command = spindle.start("run", *LOAD, "--minutes", "0.03", "--name", "évening", "--json", "-", "--csv", str(table))

    assert command.exit_code() == 0, command.err
    result = json.loads(command.out)
    assert result.keys() >= KEYS
    assert result["rt_ms"].keys() == RT_KEYS
    assert len(result["clients"]) == 2
    for client in result["clients"]:
        assert client.keys() >= CLIENT_KEYS
        assert client["rt_ms"].keys() == RT_KEYS
    assert (result["state"], result["name"], result["measured_seconds"]) == ("completed", "évening", 2)
    rows = rows_of(table.read_text(encoding="utf-8"))
    assert result["orders"] > 0
    check_totals(result, rows)
    assert server.orders() - before == acknowledged(rows)
    assert spindle.result(result["run_id"]) == result
    check_quiet(spindle, command.err)


def test_users_survive_a_server_restart(spindle: Spindle, server: HeldServer, tmp_path: Path) -> None:
    known, before, table = spindle.run_count(), server.orders(), tmp_path / "rows.csv"
    command = spindle.start("run", *UNTIL_STOPPED, "--json", "-", "--csv", str(table))
    spindle.wait_until_measuring(known)

    for process in spindle.server_processes():
        with suppress(psutil.NoSuchProcess):  # the first one's end ends the others
            process.send_signal(signal.SIGKILL)
    wait_until(spindle.is_without_orders, "the outage shows", timeout_seconds=COMMAND_SECONDS)
    spindle.ends("lab", "start")

    spindle.wait_until_all_order(reconnects=2 * 3)
    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
    assert result["state"] == "stopped"
    measured = [row for row in rows if row["phase"] == "measuring"]
    seconds = sorted(orders_by_second(measured))
    assert seconds == list(range(seconds[0], seconds[-1] + 1))
    assert has_outage(measured)
    assert result["errors"]["connection_lost"] > 0
    assert result["reconnects"] == 2 * 3
    in_doubt = sum(int(row["in_doubt"]) for row in rows)
    assert acknowledged(rows) <= server.orders() - before <= acknowledged(rows) + in_doubt
    kinds = {event["kind"] for event in result["events"]}
    assert kinds >= {"connection lost", "connection back", "target error"}
    check_totals(result, rows)
    check_quiet(spindle, command.err)


def test_killed_program_leaves_no_processes_and_its_run_is_stored(spindle: Spindle) -> None:
    known = spindle.run_count()
    command = spindle.start("run", *UNTIL_STOPPED)
    spindle.wait_until_measuring(known)
    program = psutil.Process(command.process.pid)
    drivers, children = processes_of_runs(program), program.children(recursive=True)
    server = spindle.server_processes()
    last = {sample.client: sample.second for sample in spindle.samples()}

    def loads() -> set[int]:
        return {load.second for load in spindle.library.workstation_loads(spindle.library.run("last").run_id)}

    wait_until(loads, "the workstation's load is durable")
    loaded = loads()

    command.kill()

    assert len(drivers) == 3, "two clients and the probe"
    wait_until(lambda: not any(map(runs, children)), "the clients, the probe and what else it had started are gone")
    wait_until(lambda: not any(map(runs, server)), "the embedded server is gone")
    listed = json.loads(spindle.ends("library", "list", "--json"))
    assert listed[0]["state"] == "interrupted"
    assert len(listed) == known + 1
    rows = rows_of(spindle.prints("library", "export", "last", "--csv", "-"))
    assert last.keys() == {1, 2}
    for client, second in last.items():
        seconds = [int(row["second"]) for row in rows if row["label"] == f"ds2 #{client}"]
        assert seconds == list(range(len(seconds)))
        assert seconds[-1] >= second
    result = spindle.result()
    check_totals(result, rows)
    check_reported(result, rows)
    assert loads() >= loaded
    check_quiet(spindle, command.err)


def test_ctrl_c_stops_in_order_and_keeps_what_was_measured(spindle: Spindle, server: HeldServer) -> None:
    known, before = spindle.run_count(), server.orders()
    command = spindle.start("run", *UNTIL_STOPPED, "--json", "-")
    spindle.wait_until_measuring(known)

    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    result = json.loads(command.out)
    assert result["state"] == "stopped"
    assert result["orders"] > 0
    rows = rows_of(spindle.prints("library", "export", result["run_id"], "--csv", "-"))
    check_totals(result, rows)
    assert server.orders() - before == acknowledged(rows)
    assert beside_phases(result) == []
    check_quiet(spindle, command.err)


def test_a_second_ctrl_c_waits_for_no_order(spindle: Spindle, server: HeldServer) -> None:
    known = spindle.run_count()
    command = spindle.start("run", *UNTIL_STOPPED, "--json", "-")
    spindle.wait_until_measuring(known)
    durable = sum(sample.of("order").n for sample in spindle.samples())

    with server.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE products, orders")
        wait_until(spindle.is_without_orders, "every user hangs")
        command.press_ctrl_c()
        wait_until(lambda: "stopping; press Ctrl-C again" in command.err, "the first is heard")
        command.press_ctrl_c()
        assert command.exit_code() == 130, command.err

    result = json.loads(command.out)
    assert result["state"] == "stopped"
    assert result["since_start"]["orders"] >= durable > 0
    # A stop in order would have cut the users' calls, and counted that.
    assert result["errors"] == {}
    assert beside_phases(result) == []
    check_quiet(spindle, command.err)


def test_two_runs_at_the_same_time_share_the_server_and_the_library(spindle: Spindle) -> None:
    known = spindle.run_count()
    short = (*LOAD, "--minutes", "0.03", "--quiet", "--json", "-")
    commands = [
        spindle.start("run", *short, "--target", f"embedded:///{database}", "--name", name)
        for name, database in (("one", "ds2"), ("other", "ds2_other"))
    ]

    for command in commands:
        assert command.exit_code() == 0, command.err

    results = [json.loads(command.out) for command in commands]
    assert [(result["name"], result["state"]) for result in results] == [("one", "completed"), ("other", "completed")]
    assert all(result["orders"] > 0 for result in results)
    assert spindle.run_count() == known + 2
    check_quiet(spindle, *(command.err for command in commands))


def test_a_second_run_on_the_same_store_is_refused_and_the_first_goes_on_alone(spindle: Spindle) -> None:
    known = spindle.run_count()
    first = spindle.start("run", *UNTIL_STOPPED, "--name", "one", "--json", "-")
    spindle.wait_until_measuring(known)

    second = spindle.start("run", *LOAD, "--minutes", "0.03", "--quiet", "--reset")
    assert second.exit_code() == 1
    assert "Database 'ds2' on the embedded server is in use since " in second.err
    assert "(run 'one', command line, process " in second.err
    first.press_ctrl_c()
    assert first.exit_code() == 130, first.err
    assert beside_phases(json.loads(first.out)) == []
