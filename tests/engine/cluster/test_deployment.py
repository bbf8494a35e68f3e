"""A cluster of two machines, which are this one over SSH: started, asked, joined by hand, stopped."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from engine.cluster.certificates import CertificateFolder
from engine.cluster.connection import ClusterConnection
from engine.cluster.dask_starter import DaskStarter
from engine.cluster.deployment import (
    ClusterInUse,
    refuse_in_use,
    start_cluster,
    stop_cluster,
    stop_machine,
    worker_plans,
)
from engine.cluster.questions import COMPILED, local_facts
from engine.cluster.starter import AgentStart
from engine.cluster.state import ClusterSettings, StartedWorker, WorkerState, read_state, state_path
from engine.errors import BadInput, UserError
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine, Role
from tests.app.calling import in_this_process
from tests.doubles.ssh_server import SshServer
from tests.engine.cluster.clusters import ROOT, plan_of, started, worker_processes
from tests.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("controller", "a", "b", "c", "by-hand")}


@pytest.fixture(scope="module")
def folder(homes: dict[str, Path], local_sshd: SshServer) -> Iterator[Path]:
    """That of a cluster in which ``a`` and ``b`` have joined."""
    folder = homes["controller"] / "cluster"
    plans = [plan_of(local_sshd.access, name, homes[name]) for name in ("a", "b")]
    workers = started(folder, plans)
    assert [(each.machine, each.state, each.message) for each in workers] == [
        ("a", WorkerState.READY, ""),
        ("b", WorkerState.READY, ""),
    ]
    yield folder
    stop_cluster(folder)


def test_machines_say_what_they_are(folder: Path) -> None:
    with ClusterConnection.connect(folder) as cluster:
        assert cluster.workers().keys() == {"a", "b"}
        answers = cluster.ask(["a", "b", "c"], [("127.0.0.1", cluster.state.port), ("127.0.0.1", 1)])
    assert answers["c"].problem == "it is not in the cluster"
    own = local_facts()
    for name in ("a", "b"):
        assert answers[name].problem == ""
        facts = answers[name].facts
        assert {key: facts[key] for key in own} == own
        assert 0 <= facts["free_processors"] <= facts["processors"]
        assert set(facts["compiled"]) <= set(COMPILED)
        offset = answers[name].offset
        assert offset is not None
        assert abs(offset.seconds) <= offset.error_seconds + 0.001  # it is the same clock
        near, nowhere = answers[name].reached.values()
        assert 0 < near["round_trip_ms"] < 5_000
        assert nowhere == {"problem": "Connection refused"}


def test_nothing_secret_is_in_the_state_or_on_a_command_line(folder: Path, homes: dict[str, Path]) -> None:
    keys = [Path(CertificateFolder(folder).files(name).key).read_text().split("\n")[1] for name in ("a", "b")]
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert any("worker --scheduler tls://" in line for line in lines)
    environments = [str(each.environ()) for name in ("a", "b") for each in worker_processes(homes[name])]
    assert environments
    logs = [path.read_text() for path in (folder / "log").iterdir()]
    for text in (*lines, *environments, *logs, state_path(folder).read_text()):
        assert not any(key in text for key in keys)


def test_nothing_listens_without_tls(folder: Path, homes: dict[str, Path]) -> None:
    state = read_state(folder)
    assert state is not None
    assert state.process is not None
    workers = [each for name in ("a", "b") for each in worker_processes(homes[name])]
    serving = [each for each in workers if "worker" in each.cmdline()]
    assert len(serving) == 2
    for process in (state.process, *serving):
        ports = {each.laddr.port for each in process.net_connections("tcp") if each.status == psutil.CONN_LISTEN}
        assert len(ports) == 1, "dask's HTTP server is closed"


def test_an_agent_is_started_once_for_a_run_and_ends_when_it_is_cancelled(
    folder: Path, homes: dict[str, Path], local_sshd: SshServer
) -> None:
    """It finds no run at the port that it is given, and would try for half a minute."""
    with ClusterConnection.connect(folder) as cluster:
        starter = DaskStarter(cluster, [local_sshd.access])
        assert set(starter.machines) == {"a", "b"}
        assert starter.addresses[0] == "127.0.0.1"
        start = AgentStart(
            run_id="r1", machine="a", controller_addresses=("127.0.0.1",), port=1, certificates=starter.certificates
        )
        with pytest.raises(UserError, match="load machine 'c' is not in the cluster; start it first"):
            starter.start("c", start)
        agent = starter.start("a", start)
        wait_until(lambda: cluster.runs() == {"r1"}, "the agent runs")
        assert agent.failure() is None
        with pytest.raises(
            ClusterInUse, match="the load machines drive run r1; stop that run first, or lose the machines"
        ):
            refuse_in_use(folder)
        with pytest.raises(ClusterInUse, match="load machine a drives run r1; stop that run first"):
            stop_machine(folder, "a")
        agent.cancel()
        wait_until(lambda: not cluster.runs(), "it has ended")
        again = starter.start("a", replace(start, controller_addresses=("127.0.0.2",)))
        wait_until(lambda: again.failure() is not None, "the worker has answered")
        assert again.failure() == "load machine a has had run r1 already; start another run."
        assert again.exit_code() is None
        second = starter.start("a", replace(start, attempt=2))
        wait_until(lambda: _agents(homes["a"]), "its process is there")
        assert second.exit_code() is None
        _agents(homes["a"])[0].kill()
        wait_until(lambda: second.exit_code() == -signal.SIGKILL, "the worker says how it has ended")
    wait_until(lambda: not _agents(homes["a"]), "no process of an agent is left")


def test_a_machine_is_added_to_the_running_cluster_and_stopped_alone(
    folder: Path, homes: dict[str, Path], local_sshd: SshServer
) -> None:
    plans = [plan_of(local_sshd.access, name, homes[name]) for name in ("a", "c")]
    joined: list[StartedWorker] = []
    assert start_cluster(folder, plans, report=joined.append, cancelled=lambda: False)
    assert [(each.machine, each.state) for each in joined] == [("c", WorkerState.READY)]
    with pytest.raises(UserError, match=r"the cluster runs already with a, b and c\."):
        start_cluster(folder, plans, report=joined.append, cancelled=lambda: False)
    with pytest.raises(
        UserError, match=r"the cluster runs already, with port .* and other settings than these; to change"
    ):
        start_cluster(folder, plans, ClusterSettings(takes_busy=False), report=joined.append, cancelled=lambda: False)
    stop_machine(folder, "c")
    wait_until(lambda: not worker_processes(homes["c"]), "nothing is left on it")
    state = read_state(folder)
    assert state is not None
    assert set(state.workers) == {"a", "b"}
    with ClusterConnection.connect(folder) as cluster:
        wait_until(lambda: cluster.workers().keys() == {"a", "b"}, "the others stay")
    with pytest.raises(UserError, match="load machine 'c' is not in the cluster; look at the state"):
        stop_machine(folder, "c")


def test_a_worker_that_was_started_by_hand_ends_on_request(folder: Path, homes: dict[str, Path]) -> None:
    worker = _by_hand(folder, homes["by-hand"], "by-hand")
    with ClusterConnection.connect(folder) as cluster:
        assert cluster.workers().keys() == {"a", "b", "by-hand"}
        with pytest.raises(UserError, match="load machine 'by-hand' was started by hand; end its worker there"):
            stop_machine(folder, "by-hand")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 0
        assert _said(worker) == "spindle: it was asked to end."
        wait_until(lambda: cluster.workers().keys() == {"a", "b"}, "the scheduler has seen it")


def test_without_a_scheduler_all_workers_end(homes: dict[str, Path], local_sshd: SshServer) -> None:
    """The scheduler's process is killed: those that it has started and one that was started by hand."""
    folder = homes["controller"] / "another"
    started(folder, [plan_of(local_sshd.access, "a", homes["a"] / "again")])
    by_hand = _by_hand(folder, homes["by-hand"] / "again", "by-hand")
    state = read_state(folder)
    assert state is not None
    assert state.process is not None
    state.process.kill()
    assert by_hand.wait(60) == 0
    assert f"the scheduler at 127.0.0.1:{state.port} is gone." in _said(by_hand)
    wait_until(lambda: not worker_processes(homes["a"] / "again"), "the worker over SSH has ended")
    assert read_state(folder) is None
    assert not stop_cluster(folder)
    with pytest.raises(UserError, match="the cluster is not running; start it first"):
        ClusterConnection.connect(folder)


def test_a_client_that_can_not_join_is_reported_and_the_others_stay(
    tmp_path: Path, homes: dict[str, Path], local_sshd: SshServer
) -> None:
    """The shell of the one that joins prints something first."""
    good = plan_of(local_sshd.access, "good", tmp_path / "good")
    good = replace(good, access=replace(good.access, spindle=f"echo Welcome; echo 7; {good.access.spindle}"))
    nowhere = replace(good, machine="nowhere", access=replace(local_sshd.access, spindle="/no/such/spindle"))
    unknown = replace(good, machine="unknown", access=local_sshd.access_with(known_hosts=""))
    workers = {each.machine: each for each in started(tmp_path / "cluster", [good, nowhere, unknown])}
    assert workers["good"].state is WorkerState.READY
    assert {each.state for name, each in workers.items() if name != "good"} == {WorkerState.ENDED}
    assert workers["nowhere"].message.startswith(
        "/no/such/spindle is no command there; install Spindle there, and give"
    )
    assert workers["unknown"].message.startswith("The host key of root@127.0.0.1")
    stopped = in_this_process("--home", str(tmp_path), "cluster", "stop")
    assert (stopped.code, stopped.out) == (0, "stopped\n")
    wait_until(lambda: not worker_processes(tmp_path / "good"), "nothing is left")


def test_only_machines_with_ssh_are_started(local_sshd: SshServer) -> None:
    inventory = Inventory(
        (
            Machine(name="load1", roles=(Role.LOAD_MACHINE,), accesses=(local_sshd.access,)),
            Machine(name="meter"),
            Machine(name="scheduler", accesses=(local_sshd.access,)),
        )
    )
    assert [each.machine for each in worker_plans(inventory, ["load1", "load1"])] == ["load1"]
    for names, words in (
        (["meter"], "machine is 'meter', which can't be reached by SSH"),
        (["workstation"], "machine 'workstation' is this one, which needs no worker"),
        (["scheduler"], "machine 'scheduler' is called as the scheduler of every cluster is"),
        (["other"], "machine is 'other', which is not in the inventory"),
        ([], "the inventory has no load machine; add one"),
    ):
        with pytest.raises(BadInput, match=words):
            worker_plans(inventory, names)


def _agents(home: Path) -> list[psutil.Process]:
    return [each for each in worker_processes(home) if "spawn_main" in " ".join(each.cmdline())]


def _by_hand(folder: Path, home: Path, name: str) -> "subprocess.Popen[str]":
    """A worker in a folder's cluster, started as somebody would on the machine; it has joined."""
    certificates = CertificateFolder(folder)
    certificates.make([name])
    state = read_state(folder)
    assert state is not None
    words = ["worker", "--scheduler", str(state.address), "--certificates", str(certificates.folder(name))]
    worker = subprocess.Popen(
        [sys.executable, "-m", "app", *words],
        cwd=ROOT,
        env=os.environ | {"SPINDLE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == f"{name} is ready\n"
    return worker


def _said(worker: "subprocess.Popen[str]") -> str:
    out, err = worker.communicate()
    assert out == ""
    return err.strip()
