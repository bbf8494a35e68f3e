"""A server's data directory is made whole or not at all; its start and stop survive what was left behind."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.errors import UserError
from engine.lab.account import Account, choose_account
from engine.lab.folder import LabFolder
from engine.lab.node import Node, PortTaken, pick_port
from engine.secrets import Secret
from tests.engine.lab.processes import keepers_and_servers, needs_signals
from tests.waiting import wait_until

_PASSWORD = Secret("for this test only")


@pytest.fixture
def account(bare_folder: Path) -> Account:
    LabFolder(bare_folder).create()
    return choose_account(bare_folder, bare_folder / "node1" / "data")


@pytest.fixture
def node(bare_folder: Path, account: Account) -> Iterator[Node]:
    node = Node(bare_folder / "node1", account)
    yield node
    node.stop(timeout_seconds=30)


def answers(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        connection.sendall(b"\x00\x00\x00\x08\x04\xd2\x16\x2f")  # the wire protocol's SSLRequest
        return connection.recv(1) == b"N"


def test_half_made_data_are_made_anew(node: Node) -> None:
    unfinished = node.data.with_name("data.unfinished")
    (unfinished / "base").mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    node.data.mkdir()
    assert not node.is_made
    node.make(_PASSWORD)
    assert node.is_made
    assert sorted(path.name for path in node.data.parent.iterdir()) == ["data"]
    port = pick_port(None)
    node.start(port)
    assert answers(port)


@needs_signals
def test_killed_initdb_leaves_nothing_that_counts_as_made(node: Node) -> None:
    pid = os.fork()
    if pid == 0:
        node.make(_PASSWORD)
        os._exit(0)
    unfinished = node.data.with_name("data.unfinished")
    try:
        wait_until(lambda: (unfinished / "PG_VERSION").exists(), "initdb is at work")
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert not node.is_made
    node.make(_PASSWORD)
    assert node.is_made
    assert not unfinished.exists()


def test_foreign_data_are_not_thrown_away(node: Node) -> None:
    node.data.mkdir(parents=True)
    (node.data / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="choose another home folder"):
        node.make(_PASSWORD)
    assert (node.data / "thesis.txt").read_text() == "years of work"


def test_failing_initdb_reports_the_reason(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.lab.data_directory._INITDB_OPTIONS", ("--encoding=KLINGON",))
    with pytest.raises(UserError, match=r"KLINGON.*server\.log"):
        node.make(_PASSWORD)
    assert not (node.data.parent / "initdb.password").exists()


def test_port_in_use_has_its_own_error(node: Node) -> None:
    node.make(_PASSWORD)
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(PortTaken):
        node.start(other.getsockname()[1])
    assert node.pid is None


@needs_signals
def test_stale_pid_file_with_the_number_of_a_living_process_of_the_account_is_no_hindrance(
    node: Node, account: Account
) -> None:
    node.make(_PASSWORD)
    port = pick_port(None)
    stranger = subprocess.Popen(["/bin/sleep", "600"], **account.identity)
    try:
        (node.data / "postmaster.pid").write_text(f"{stranger.pid}\n{node.data}\n1\n{port}\n\n127.0.0.1\n\nready   \n")
        node.start(port)
        assert answers(port)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait(60)


@needs_signals
def test_frozen_server_is_killed_when_it_does_not_stop(node: Node) -> None:
    node.make(_PASSWORD)
    node.start(pick_port(None))
    for process in keepers_and_servers(node.data.parent):
        process.suspend()
    node.stop(timeout_seconds=0.5)
    assert node.pid is None
    assert not keepers_and_servers(node.data.parent)
    port = pick_port(None)
    node.start(port)
    assert answers(port)


def test_big_log_is_set_aside_at_a_start(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.lab.node._LOG_LIMIT_BYTES", 10)
    node.make(_PASSWORD)
    node.log.write_text("what happened long ago\n")
    node.start(pick_port(None))
    assert "long ago" not in node.log.read_text()
    assert node.log.with_name("server.log.1").read_text() == "what happened long ago\n"


def test_broken_settings_are_named(node: Node) -> None:
    node.make(_PASSWORD)
    with (node.data / "postgresql.auto.conf").open("a") as file:
        file.write("shared_buffers = 'a lot'\n")
    with pytest.raises(UserError, match=r"did not start: .*server\.log"):
        node.start(pick_port(None))
    assert "shared_buffers" in node.log.read_text()


def test_port_is_kept_while_free_and_lies_outside_the_ports_of_outgoing_connections() -> None:
    port = pick_port(None)
    assert 20_000 <= port < 30_000
    assert pick_port(port) == port
    with socket.create_server(("127.0.0.1", port)):
        assert pick_port(port) != port


def test_server_gets_no_password_and_no_settings_from_our_environment(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_PASSWORD", "hush")
    monkeypatch.setenv("PGDATA", "/nowhere")
    node.make(_PASSWORD)
    node.start(pick_port(None))
    assert node.pid is not None
    environment = psutil.Process(node.pid).environ()
    assert "SPINDLE_PASSWORD" not in environment
    assert environment.get("PGDATA") != "/nowhere"
