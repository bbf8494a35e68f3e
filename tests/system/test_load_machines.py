"""A run on two load machines, which are this one over SSH, through the command line."""

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from engine.cluster.deployment import stop_cluster
from engine.cluster.state import read_state
from engine.lab.folder import LabFolder
from engine.telemetry.event import EventCode
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


def test_a_run_on_two_machines_whose_scheduler_is_killed(cluster: Spindle) -> None:
    status = json.loads(cluster.ends("cluster", "status", "--json"))
    assert status["agent_ports"] == AGENT_PORTS
    assert [(each["machine"], each["state"], each["refusals"]) for each in status["machines"]] == [
        (name, "ready", []) for name in MACHINES
    ]

    homes = [cluster.places.home / "machines" / name for name in MACHINES]
    placed = ("--load-machine", "a=1", "--load-machine", "b=1")
    load = ("--clients", "3", "--users", "2", "--think-time-ms", "50", "--warmup", "0", "--minutes", "0")
    known = cluster.run_count()
    run = cluster.start("run", *load, *placed, "--audit", "--quiet", "--json", "-")
    cluster.wait_until_measuring(known)
    wait_until(lambda: all(_has_ordered(home) for home in homes), "users place orders on both machines")
    state = read_state(cluster.places.cluster)
    assert state is not None
    secret = LabFolder(cluster.places.lab).password().reveal()
    if sys.platform == "linux":
        _check_agents_alone_have(secret, psutil.Process(state.pid), homes)
    os.kill(state.pid, signal.SIGKILL)
    _check_is_in_no_file(secret, [*homes, cluster.places.cluster])
    events, run_id = cluster.library.events, cluster.library.run("last").run_id
    wait_until(lambda: any(each.code is EventCode.SCHEDULER_LOST for each in events(run_id)), "its end is noticed")
    run.press_ctrl_c()
    assert run.exit_code() == 130, run.err

    result = json.loads(run.out)
    assert (result["state"], result["audit"]["verdict"]) == ("stopped", "clean")
    assert result["plan"]["load_machine"] == [{"name": "a", "clients": 1}, {"name": "b", "clients": 1}]
    assert [(each["machine"], each["clients"]) for each in result["environment"]["load_machines"]] == [
        ("a", [1]),
        ("b", [2]),
    ]
    assert all(client["orders"] > 0 for client in result["clients"])
    codes = [event["code"] for event in result["events"]]
    assert codes.count("scheduler lost") == 1
    assert {"load machine lost", "ledger not fetched"}.isdisjoint(codes)

    assert not [ledger for home in homes for ledger in home.rglob("*.ledger")], "they were fetched"
    _check_is_in_no_file(secret, [*homes, cluster.places.cluster, cluster.places.log.parent])
    assert secret not in run.err + run.out
    wait_until(lambda: not any(map(worker_processes, homes)), "nothing is left on the machines")
    command = cluster.start("run", *load, *placed)
    assert command.exit_code() == 1
    assert command.err.strip().endswith("the cluster is not running; start it with: spindle cluster start")
    assert cluster.ends("cluster", "stop") == "it was not running\n"


def _check_is_in_no_file(secret: str, places: Sequence[Path]) -> None:
    """In none below these folders; the servers' own is not among them."""
    for path in (path for place in places for path in place.rglob("*") if path.is_file()):
        with suppress(FileNotFoundError):  # removed by now
            assert secret.encode() not in path.read_bytes(), path


def _check_agents_alone_have(secret: str, scheduler: psutil.Process, homes: Sequence[Path]) -> None:
    """The password is not in the memory of dask's scheduler and workers, so it can't be in their tasks, logs or
    tracebacks; and on the machines it is in no command line and no environment."""
    processes = [each for home in homes for each in worker_processes(home)]
    workers = [each for each in processes if "--scheduler" in each.cmdline()]
    assert len(workers) == len(homes)
    for each in (scheduler, *processes):
        assert secret not in " ".join(each.cmdline())
        assert secret not in str(each.environ())
    for each in (scheduler, *workers):
        assert not _has_in_memory(each, secret), each.cmdline()
    assert any(_has_in_memory(each, secret) for each in processes if each not in workers), "who drives users has it"


def _has_in_memory(process: psutil.Process, secret: str) -> bool:
    with Path(f"/proc/{process.pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
            place, rights, *_ = line.split()
            begin, end = (int(each, 16) for each in place.split("-"))
            if rights.startswith("rw"):
                with suppress(OSError):  # a region that is a device's, or gone by now
                    if secret.encode() in os.pread(memory.fileno(), end - begin, begin):
                        return True
    return False


def _has_ordered(home: Path) -> bool:
    return any(ledger.stat().st_size for ledger in home.rglob("*.ledger"))
