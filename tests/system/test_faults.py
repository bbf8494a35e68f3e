"""Whole runs with injected faults on the embedded lab, through the command line, shortened."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from engine.audit.ledger_files import ledger_path
from engine.audit.ledger_reading import read_ledger
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape, lab_target
from engine.places import find_places
from tests.labs import make_lab
from tests.system.conftest import RunningCommand
from tests.waiting import wait_until

LOAD = ("--db-size", "1MB", "--threads", "4", "--think-time-ms", "50", "--ramp-rate", "50", "--warmup", "0")
RUN_SECONDS = 400.0

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="spindle-faults-"))
    folder.chmod(0o755)  # as root the servers run under another account, which has to be able to enter
    make_lab(folder / "lab")
    yield folder
    shutil.rmtree(folder)


def run(home: Path, *arguments: str) -> tuple[int, Any, str]:
    """The exit code, the result, and what was said."""
    command = RunningCommand(home, ("run", *LOAD, *arguments, "--quiet", "--json", "-"))
    try:
        command.process.wait(RUN_SECONDS)
        code, out, err = command.process.returncode, command.out, command.err
    finally:
        command.close()
    return code, json.loads(out) if out else None, err


def servers_of(home: Path) -> list[int]:
    """The processes that run on the home's lab."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any(str(home) in word for word in process.info["cmdline"] or ())
    ]


def test_killed_primary_loses_no_order_and_all_users_return(home: Path) -> None:
    fault = ("--fault", "T+11s kill primary", "--fault", f"T+22s run {sys.executable} -c 'print(6 * 7)'")
    code, result, err = run(home, "--lab", "pair", "--minutes", "0.4", *fault, "--yes-hurt", "embedded", "--audit")
    assert code == 0, err
    assert "At 0:11 of measuring: Kill all processes of the primary (SIGKILL)." in err
    assert result["state"] == "completed"

    killed, ran = result["faults"]
    assert (killed["label"], killed["kind"]) == ("Kill primary", "injection")
    assert killed["at_seconds"] >= result["phases"]["measuring_from"] + 11
    is_distorted = any(event["kind"] == "warning" for event in result["events"])  # by what else this machine does
    assert killed["recovery"]["state"] in ("recovered", "relapsed", "steady") or is_distorted
    assert ran["detail"].endswith("exit code 0; output: 42")
    assert result["audit"]["verdict"] == "clean"
    assert result["audit"]["orders"]["lost"] == 0
    labels = [event["label"] for event in result["events"] if event["kind"] == "injection" and not event["is_fault"]]
    assert any("node2" in label for label in labels), labels
    wait_until(lambda: not servers_of(home), "no process of the lab is left")


def test_frozen_primary_is_thawed_after_the_given_time(home: Path) -> None:
    code, result, err = run(
        home, "--lab", "pair", "--minutes", "0.3", "--fault", "T+11s freeze primary for 3s", "--reset"
    )
    assert code == 0, err
    [frozen] = result["faults"]
    [thawed] = [event for event in result["events"] if event["kind"] == "fault end"]
    assert thawed["label"] == "Thaw"
    assert round(thawed["at_seconds"] - frozen["at_seconds"], 3) >= 3
    assert frozen["recovery"]["felt"]["blackout"]["longest_seconds"] >= 1


def test_orders_lost_by_an_asynchronous_pair_end_the_command_with_3(home: Path) -> None:
    faults = ("--fault", "T+5s freeze walsender", "--fault", "T+7s kill primary")
    code, result, err = run(home, "--lab", "async-pair", "--minutes", "0.2", *faults, "--reset", "--audit")
    assert code == 3, err
    assert result["audit"]["verdict"] == "lost"
    reported = result["audit"]["orders"]["lost"] + result["audit"]["orders"]["replaced"]
    assert reported == gone(home, result["run_id"]) > 0


def gone(home: Path, run_id: str) -> int:
    """How many of the acknowledged orders the server does not hold as they were: counted here, order by order."""
    acknowledged = read_ledger(ledger_path(find_places(home).library, run_id, 1), run_id, 1).acknowledged
    told = {(int(row["number"]), int(row["key"]), int(row["check"])) for row in acknowledged}
    shape = LabShape.of(lab_target("async-pair"))
    with EmbeddedServer.attach(find_places(home).lab, notify=print, shape=shape) as server:
        held: set[tuple[int, int, int]] = set()
        for host in server.target().hosts:
            with psycopg.connect(
                host=host.name,
                port=host.port,
                user=server.target().user,
                dbname="ds2",
                password=server.secret.reveal(),
            ) as connection:
                if connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,):
                    rows = connection.execute("SELECT orderid, customerid, (100 * netamount)::bigint FROM orders")
                    held = set(rows.fetchall())
    assert held, "no primary was there to be asked"
    return len(told - held)


def test_impossible_fault_is_rejected_before_the_run(home: Path) -> None:
    code, result, err = run(home, "--lab", "single", "--minutes", "1", "--fault", "T+5s switchover")
    assert (code, result) == (2, None)
    assert "fault 'Switchover': 'switchover' needs a standby" in err
