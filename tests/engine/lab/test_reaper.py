"""However programs and keepers end, and in whatever state the servers are, no process of a lab outlives them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.faults.lab_actions import LabAction
from engine.lab.node import pick_port
from engine.lab.server import EmbeddedServer, lab_status
from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus
from tests.engine.lab.processes import keepers_and_servers, needs_signals, stopped
from tests.waiting import wait_until

pytestmark = needs_signals

_APP = """
import sys
from pathlib import Path
from engine.faults.lab_actions import LabAction
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape
shape = LabShape(nodes=2, sync=True, failover="probe", probe_interval_seconds=1.0)
server = EmbeddedServer.attach(Path(sys.argv[1]), notify=lambda text: None, shape=shape)
server.do(LabAction.FREEZE_WALSENDER)
server.do(LabAction.FREEZE_PRIMARY)
print("frozen", flush=True)
sys.stdin.read()
"""


def ports(status: LabStatus) -> list[int]:
    return [port for node in status.nodes for port in (node.port, node.client_port) if port is not None]


def assert_nothing_is_left(folder: Path, used: list[int]) -> None:
    wait_until(lambda: not keepers_and_servers(folder), "every process of the lab has ended")
    assert [pick_port(port) for port in used] == used


def segments() -> set[str]:
    place = Path("/proc/sysvipc/shm")
    return {line.split()[1] for line in place.read_text().splitlines()[1:]} if place.exists() else set()


def test_an_app_killed_in_the_middle_of_a_failover_leaves_nothing(open_folder: Path) -> None:
    app = subprocess.Popen(
        [sys.executable, "-c", _APP, str(open_folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert app.stdout is not None
    assert app.stdout.readline() == "frozen\n"
    used = ports(lab_status(open_folder))
    app.kill()
    app.communicate(timeout=60)
    assert len(used) == 4
    assert_nothing_is_left(open_folder, used)


def test_killed_keepers_servers_end_even_if_one_is_frozen(open_folder: Path) -> None:
    server = EmbeddedServer.attach(open_folder, notify=print, shape=LabShape(nodes=2, sync=True))
    status = server.status()
    server.do(LabAction.FREEZE_PRIMARY)
    assert stopped(keepers_and_servers(open_folder))
    before = segments()
    assert status.keeper_pid is not None
    os.kill(status.keeper_pid, signal.SIGKILL)
    assert_nothing_is_left(open_folder, ports(status))
    server.detach()
    if sys.platform == "linux":
        assert len(before - segments()) >= 2, "the shared memory of both servers is gone"


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has it")
def test_a_killed_node_leaves_no_shared_memory(open_folder: Path) -> None:
    with EmbeddedServer.attach(open_folder, notify=print) as server:
        pid_file = server.status().data_folder / "postmaster.pid"
        segment = pid_file.read_text().splitlines()[6].split()[1]
        assert segment in segments()
        server.do(LabAction.KILL_PRIMARY)
        assert segment not in segments()
        assert server.do(LabAction.START) == "started node1"
