"""Runs on two load machines, which are this one over SSH, through the command line."""

import json
import os
from collections.abc import Iterator

import pytest

from engine.cluster.deployment import stop_cluster
from tests.doubles.ssh_server import SshServer
from tests.engine.cluster.clusters import spindle_there, worker_processes
from tests.system.conftest import Spindle
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests' SSH server needs a Unix system")
MACHINES = ("a", "b")


@pytest.fixture
def cluster(spindle: Spindle, local_sshd: SshServer) -> Iterator[Spindle]:
    """The program, with both machines in its inventory and in its cluster."""
    access = local_sshd.access
    for name in MACHINES:
        there = spindle_there(spindle.places.home / "machines" / name)
        place = ("--host", access.host, "--port", str(access.port), "--user", access.user)
        by = ("--config-file", access.config_file, "--spindle", there)
        spindle.ends("machine", "add", "ssh", name, *place, *by, "--role", "load-machine", "--replace")
    said = spindle.ends("cluster", "start", "--port", "0")
    assert sorted(said.splitlines()) == ["a: ready", "b: ready"]
    yield spindle
    stop_cluster(spindle.places.cluster)


def test_a_run_on_two_machines_from_start_to_stop(cluster: Spindle) -> None:
    status = json.loads(cluster.ends("cluster", "status", "--json"))
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
