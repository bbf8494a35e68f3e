"""Apps attach to the embedded server, share it, die, and find it again."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from engine.errors import UserError
from engine.lab.server import EmbeddedServer, lab_keep, lab_status, lab_stop
from engine.lab.shapes import LabShape
from tests.engine.lab.processes import as_root, keepers_and_servers, kill_all, needs_signals
from tests.labs import start_unused
from tests.waiting import wait_until

_APP = """
import sys
from pathlib import Path
from engine.lab.server import EmbeddedServer
server = EmbeddedServer.attach(Path(sys.argv[1]), notify=lambda text: None)
print(server.target().hosts[0].port, flush=True)
sys.stdin.read()
server.detach()
"""


def attach(folder: Path, *, keep: bool = False) -> EmbeddedServer:
    return EmbeddedServer.attach(folder, notify=print, keep=keep)


def connect(server: EmbeddedServer) -> psycopg.Connection[tuple[object, ...]]:
    target = server.target("postgres")
    return psycopg.connect(
        host=target.hosts[0].name,
        port=target.hosts[0].port,
        user=target.user,
        dbname=target.database,
        password=server.secret.reveal(),
        connect_timeout=10,
        autocommit=True,
    )


def test_status_names_the_holders_and_since_when(open_folder: Path) -> None:
    with EmbeddedServer.attach(open_folder, notify=print, who="a test") as server, connect(server):
        status = server.status()
        assert status.holders == (f"a test (process {os.getpid()})",)
        assert status.users == 1
        started = status.nodes[0].started_at
        assert started is not None
        assert abs(started - os.stat(open_folder / "node1" / "data" / "postmaster.pid").st_mtime) < 60


def test_running_lab_can_be_kept_and_released(open_folder: Path) -> None:
    with pytest.raises(UserError, match="does not run"):
        lab_keep(open_folder, keep=True)
    server = attach(open_folder)
    assert lab_keep(open_folder, keep=True).kept
    server.detach()
    assert lab_status(open_folder).state == "running"
    assert not lab_keep(open_folder, keep=False).kept
    wait_until(lambda: lab_status(open_folder).state == "stopped", "nobody holds it any more")


def start_app(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _APP, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def port_told_by(app: subprocess.Popen[str]) -> int:
    assert app.stdout is not None
    return int(app.stdout.readline())


def server_processes(folder: Path) -> list[psutil.Process]:
    return [process for process in keepers_and_servers(folder) if process.name() == "postgres"]


def test_first_attach_makes_and_starts_a_server_that_accepts_connections(bare_folder: Path) -> None:
    told: list[str] = []
    with EmbeddedServer.attach(bare_folder, notify=told.append) as server, connect(server) as connection:
        row = connection.execute("select current_user, current_setting('fsync'), lower('ÄÖ')").fetchone()
    assert row == ("postgres", "on", "äö")
    assert sum("Creating the embedded server's data" in text for text in told) == 1
    assert lab_status(bare_folder).state == "stopped"


def test_wrong_password_is_refused(open_folder: Path) -> None:
    with attach(open_folder) as server:
        port = server.target().hosts[0].port
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres", password="guessed")


def test_second_attach_shares_the_server_and_the_last_detach_stops_it(open_folder: Path) -> None:
    first = attach(open_folder)
    alone = lab_status(open_folder)
    second = attach(open_folder)
    shared = lab_status(open_folder)
    assert (alone.leases, shared.leases) == (1, 2)
    assert (alone.server_pid, alone.port) == (shared.server_pid, shared.port)
    first.detach()
    wait_until(lambda: lab_status(open_folder).leases == 1, "the first lease is gone")
    assert lab_status(open_folder).server_pid == alone.server_pid
    second.detach()
    assert lab_status(open_folder).state == "stopped"
    wait_until(lambda: not keepers_and_servers(open_folder), "keeper and server have ended")


def test_detach_twice_is_fine(open_folder: Path) -> None:
    server = attach(open_folder)
    server.detach()
    server.detach()
    assert lab_status(open_folder).state == "stopped"


def test_three_apps_that_start_at_once_share_one_server(bare_folder: Path) -> None:
    apps = [start_app(bare_folder) for _ in range(3)]
    try:
        assert len({port_told_by(app) for app in apps}) == 1
        assert lab_status(bare_folder).leases == 3
    finally:
        for app in apps:
            app.communicate(timeout=60)
    assert [app.returncode for app in apps] == [0, 0, 0]
    wait_until(lambda: not keepers_and_servers(bare_folder), "keeper and server have ended")


@needs_signals
def test_killed_app_leaves_nothing_behind(open_folder: Path) -> None:
    app = start_app(open_folder)
    port_told_by(app)
    assert lab_status(open_folder).state == "running"
    app.kill()
    app.communicate(timeout=60)
    wait_until(lambda: not keepers_and_servers(open_folder), "keeper and server have ended after their app")


@needs_signals
def test_killed_keepers_server_ends_and_the_next_keeper_has_the_data(open_folder: Path) -> None:
    server = attach(open_folder)
    with connect(server) as connection:
        connection.execute("create table kept as select 42 as answer")
    before = lab_status(open_folder)
    assert before.keeper_pid is not None
    os.kill(before.keeper_pid, signal.SIGKILL)
    wait_until(lambda: not keepers_and_servers(open_folder), "the server has ended after its keeper")
    assert lab_status(open_folder).state == "stopped"
    server.start(notify=print)
    with server, connect(server) as connection:
        assert connection.execute("select answer from kept").fetchone() == (42,)
        assert lab_status(open_folder).port == before.port


@needs_signals
def test_frozen_server_of_a_killed_keeper_is_ended_by_the_next_start(open_folder: Path) -> None:
    server = attach(open_folder)
    frozen = server_processes(open_folder)
    for process in frozen:
        process.suspend()
    kill_all([process for process in keepers_and_servers(open_folder) if process not in frozen])
    server.detach()
    with attach(open_folder) as again, connect(again) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
        assert not set(frozen) & set(keepers_and_servers(open_folder))


@needs_signals
def test_killed_server_is_down_and_starts_again_on_its_port(open_folder: Path) -> None:
    with attach(open_folder) as server:
        before = lab_status(open_folder)
        target, secret = server.target(), server.secret
        kill_all(server_processes(open_folder))
        wait_until(lambda: lab_status(open_folder).state == "down", "the keeper has seen its server die")
        assert lab_status(open_folder).server_pid is None
        server.start(notify=print)
        after = lab_status(open_folder)
        assert (after.state, after.port) == ("running", before.port)
        assert after.server_pid != before.server_pid
        assert (server.target(), server.secret) == (target, secret)
        with connect(server) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_kept_server_runs_until_it_is_stopped(open_folder: Path) -> None:
    attach(open_folder, keep=True).detach()
    status = lab_status(open_folder)
    assert (status.state, status.leases, status.kept) == ("running", 0, True)
    assert lab_stop(open_folder, timeout_seconds=60.0) is True
    assert lab_status(open_folder).state == "stopped"
    assert lab_stop(open_folder, timeout_seconds=60.0) is False


def test_lab_is_reshaped_only_without_other_holders(open_folder: Path) -> None:
    pair = LabShape(nodes=2, sync=True)
    with attach(open_folder) as server:
        with (
            attach(open_folder),
            pytest.raises(UserError, match=r"a single server, not as.*used by another program"),
        ):
            server.start(notify=print, shape=pair)
        wait_until(lambda: lab_status(open_folder).leases == 1, "the other lease is gone")
        with connect(server) as connection, pytest.raises(UserError, match="in use"):
            server.start(notify=print, shape=pair)
        assert connection.closed
        start_unused(server, pair)
        assert (lab_status(open_folder).shape, len(server.target().hosts)) == (pair, 2)
        with EmbeddedServer.attach(open_folder, notify=print) as other:
            assert other.target() == server.target(), "who asks for no shape takes the lab as it runs"
        start_unused(server, LabShape())
        assert len(server.target().hosts) == 1
        with connect(server) as connection:
            assert connection.execute("select 1").fetchone() == (1,)


def test_kept_lab_keeps_its_shape_for_who_would_not_keep_it(open_folder: Path) -> None:
    attach(open_folder, keep=True).detach()
    pair = LabShape(nodes=2, sync=False)
    with pytest.raises(UserError, match="kept running"):
        EmbeddedServer.attach(open_folder, notify=print, shape=pair)
    EmbeddedServer.attach(open_folder, notify=print, shape=pair, keep=True).detach()
    assert lab_status(open_folder).shape == pair
    lab_stop(open_folder, timeout_seconds=60.0)
    with attach(open_folder) as server, connect(server):
        assert lab_status(open_folder).shape == LabShape()


def test_occupied_port_is_replaced_and_reported(open_folder: Path) -> None:
    with attach(open_folder) as server:
        port = server.target().hosts[0].port
    told: list[str] = []
    with (
        socket.create_server(("127.0.0.1", port)),
        EmbeddedServer.attach(open_folder, notify=told.append) as server,
        connect(server),
    ):
        other = server.target().hosts[0].port
    assert other != port
    assert any(str(port) in text and str(other) in text for text in told)


def test_password_shows_nowhere_but_in_its_own_file(bare_folder: Path) -> None:
    with attach(bare_folder) as server, connect(server):
        password = server.secret.reveal()
        words = [word for process in keepers_and_servers(bare_folder) for word in process.cmdline()]
        texts = [path.read_bytes() for path in bare_folder.rglob("*") if path.is_file() and path.name != "password"]
        mode = stat.S_IMODE((bare_folder / "password").stat().st_mode)
    assert words
    assert not any(password in word for word in words)
    assert not any(password.encode() in text for text in texts)
    assert mode == 0o600
    assert password not in repr(server.secret)


@as_root
def test_root_in_an_bare_folder_uses_another_account_with_a_notice(bare_folder: Path) -> None:
    told: list[str] = []
    with EmbeddedServer.attach(bare_folder, notify=told.append):
        processes = server_processes(bare_folder)
        assert processes
        assert all(process.uids().effective != 0 for process in processes)
    assert sum("refuses to run as root" in text for text in told) == 1


@as_root
def test_root_in_a_closed_folder_uses_a_user_namespace_with_a_notice(closed_folder: Path) -> None:
    told: list[str] = []
    try:
        server = EmbeddedServer.attach(closed_folder, notify=told.append)
    except UserError:
        pytest.skip("user namespaces are forbidden here")
    with server, connect(server):
        pid = lab_status(closed_folder).server_pid
        inside, outside, _count = Path(f"/proc/{pid}/uid_map").read_text().split()
        assert (inside != "0", outside) == (True, "0")
    assert sum("user namespace" in text for text in told) == 1


@as_root
@needs_signals
def test_killed_keepers_server_in_a_user_namespace_ends(closed_folder: Path) -> None:
    try:
        server = attach(closed_folder)
    except UserError:
        pytest.skip("user namespaces are forbidden here")
    keeper = lab_status(closed_folder).keeper_pid
    assert keeper is not None
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not keepers_and_servers(closed_folder), "the server has ended after its keeper")
    server.detach()


def test_folder_that_is_a_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "lab").write_text("no folder")
    with pytest.raises(UserError, match=r"can't be used.*home folder"):
        attach(tmp_path / "lab")


def test_status_of_a_lab_that_never_was_makes_nothing(tmp_path: Path) -> None:
    status = lab_status(tmp_path / "lab")
    assert (status.state, status.port, status.keeper_pid) == ("stopped", None, None)
    assert lab_stop(tmp_path / "lab", timeout_seconds=5.0) is False
    assert not (tmp_path / "lab").exists()
