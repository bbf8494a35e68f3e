"""The keeper answers clients that know its token, and ends on request."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.lab.folder import FolderLock, KeeperAddress, LabFolder
from engine.lab.link import Link, launch_keeper
from engine.lab.server import lab_status
from tests.engine.lab.processes import keepers_and_servers, needs_signals
from tests.waiting import wait_until


def launched(path: Path) -> tuple[LabFolder, KeeperAddress]:
    folder = LabFolder(path)
    folder.create()
    assert launch_keeper(folder)
    address = folder.read_address()
    assert address is not None
    return folder, address


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"[]",
        b'{"command": "stop"}',
        json.dumps({"token": "guessed", "command": "stop"}).encode(),
        b"x" * 100_000,
    ],
)
def test_stranger_is_cut_off_and_changes_nothing(bare_folder: Path, line: bytes) -> None:
    _, address = launched(bare_folder)
    with socket.create_connection(("127.0.0.1", address.port), 60) as stranger:
        stranger.sendall(line + b"\n")
        try:
            answer = stranger.recv(1)
        except ConnectionResetError:  # it did not read all that we sent
            answer = b""
    assert answer == b""
    assert lab_status(bare_folder).keeper_pid == address.pid


def test_keeper_without_a_server_yet_is_down_and_starts_none_for_a_status(bare_folder: Path) -> None:
    _, address = launched(bare_folder)
    status = lab_status(bare_folder)
    assert (status.state, status.leases, status.keeper_pid) == ("down", 0, address.pid)
    assert [process.pid for process in keepers_and_servers(bare_folder)] == [address.pid]


def test_second_keeper_leaves_the_folder_to_the_first(bare_folder: Path) -> None:
    folder, address = launched(bare_folder)
    assert launch_keeper(folder) is False
    assert folder.read_address() == address


def test_unknown_command_is_answered(bare_folder: Path) -> None:
    folder, _ = launched(bare_folder)
    link = Link.open(folder)
    assert link is not None
    try:
        with pytest.raises(UserError, match="'juggle'"):
            link.request("juggle", timeout_seconds=60)
    finally:
        link.close()


@needs_signals
def test_terminated_keeper_stops_its_server_in_order(open_folder: Path) -> None:
    folder, address = launched(open_folder)
    link = Link.open(folder)
    assert link is not None
    try:
        link.request("attach", timeout_seconds=60)
        os.kill(address.pid, signal.SIGTERM)
        link.await_end(timeout_seconds=60)
    finally:
        link.close()
    wait_until(lambda: not keepers_and_servers(open_folder), "keeper and server have ended")
    assert "database system is shut down" in (folder.node("node1") / "server.log").read_text().splitlines()[-1]
    assert folder.read_address() is None
    assert FolderLock(folder).is_free()
