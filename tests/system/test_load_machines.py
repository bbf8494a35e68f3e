"""Runs on two load machines, which are this one over SSH, through the command line."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cluster.deployment import stop_cluster
from engine.cluster.state import read_state
from tests.doubles.ssh_server import SshServer
from tests.engine.cluster.clusters import spindle_there, worker_processes
from tests.system.conftest import Spindle
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests' SSH server needs a Unix system")
MACHINES = ("a", "b")
AGENT_PORTS = "23800-23899"


@pytest.fixture
def cluster(spindle: Spindle, local_sshd: SshServer) -> Iterator[Spindle]:
    """The program, with both machines in its inventory and in its cluster."""
    access = local_sshd.access
    for name in MACHINES:
        there = spindle_there(spindle.places.home / "machines" / name)
        place = ("--host", access.host, "--port", str(access.port), "--user", access.user)
        by = ("--config-file", access.config_file, "--spindle", there)
        spindle.ends("machine", "add", "ssh", name, *place, *by, "--role", "load-machine", "--replace")
    said = spindle.ends("cluster", "start", "--port", "0", "--agent-ports", AGENT_PORTS, "--take-busy")
    assert sorted(said.splitlines()) == ["a: ready", "b: ready"]
    yield spindle
    stop_cluster(spindle.places.cluster)


def test_a_run_on_two_machines_from_start_to_stop(cluster: Spindle) -> None:
    status = json.loads(cluster.ends("cluster", "status", "--json"))
    assert status["agent_ports"] == AGENT_PORTS
    assert [(each["machine"], each["state"], each["refusals"]) for each in status["machines"]] == [
        (name, "ready", []) for name in MACHINES
    ]

    placed = ("--load-machine", "a=1", "--load-machine", "b=1")
    load = ("--clients", "3", "--users", "2", "--think-time-ms", "50", "--warmup", "0", "--minutes", "3s")
    run = cluster.ends("run", *load, *placed, "--audit", "--quiet", "--json", "-")
    result = json.loads(run)
    assert result["state"] == "completed"
    assert result["plan"]["load_machine"] == [{"name": "a", "clients": 1}, {"name": "b", "clients": 1}]
    assert [(each["machine"], each["clients"]) for each in result["environment"]["load_machines"]] == [
        ("a", [1]),
        ("b", [2]),
    ]
    assert all(client["orders"] > 0 for client in result["clients"])
    assert result["audit"]["verdict"] == "clean"

    for name in MACHINES:
        home = cluster.places.home / "machines" / name
        assert not list(home.rglob("*.ledger")), "they were fetched"
    assert cluster.ends("cluster", "stop") == "stopped\n"
    wait_until(
        lambda: not any(worker_processes(cluster.places.home / "machines" / name) for name in MACHINES),
        "nothing is left on the machines",
    )
    command = cluster.start("run", *load, *placed)
    assert command.exit_code() == 1
    assert command.err.strip().endswith("the cluster is not running; start it with: spindle cluster start")


def test_a_run_goes_on_without_its_scheduler(cluster: Spindle) -> None:
    homes = [cluster.places.home / "machines" / name for name in MACHINES]
    placed = ("--load-machine", "a=1", "--load-machine", "b=1")
    load = ("--clients", "2", "--users", "2", "--think-time-ms", "50", "--warmup", "0", "--minutes", "8s")
    run = cluster.start("run", *load, *placed, "--audit", "--quiet", "--json", "-")
    wait_until(lambda: all(_has_ordered(home) for home in homes), "users place orders on both machines")
    state = read_state(cluster.places.cluster)
    assert state is not None
    os.kill(state.pid, signal.SIGKILL)
    assert run.exit_code() == 0, run.err
    result = json.loads(run.out)
    assert (result["state"], result["audit"]["verdict"]) == ("completed", "clean")
    assert {event["code"] for event in result["events"]}.isdisjoint({"load machine lost", "ledger not fetched"})
    wait_until(lambda: not any(map(worker_processes, homes)), "nothing is left on the machines")


def _has_ordered(home: Path) -> bool:
    return any(ledger.stat().st_size for ledger in home.rglob("*.ledger"))
