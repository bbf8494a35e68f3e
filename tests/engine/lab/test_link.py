"""A link ends its waits, and does not take another program for a keeper."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.lab.events import LabEvent, LabEventKind
from engine.lab.folder import FolderLock, KeeperAddress, LabFolder
from engine.lab.link import KeeperEnded, Link
from tests.waiting import wait_until


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture
def folder(tmp_path: Path, listener: socket.socket) -> LabFolder:
    folder = LabFolder(tmp_path / "lab")
    folder.create()
    folder.write_address(KeeperAddress(port=listener.getsockname()[1], token="token", pid=1))
    return folder


@pytest.fixture
def link(folder: LabFolder) -> Iterator[Link]:
    lock = FolderLock(folder)
    assert lock.acquire()
    link = Link.open(folder)
    assert link is not None
    yield link
    link.close()
    lock.release()


def test_address_of_a_dead_keeper_is_not_followed(folder: LabFolder, listener: socket.socket) -> None:
    assert Link.open(folder) is None
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_silent_keeper_ends_in_a_timeout(link: Link) -> None:
    with pytest.raises(TimeoutError):
        link.request("status", timeout_seconds=0.05)


def test_closed_connection_means_the_keeper_ended(link: Link, listener: socket.socket) -> None:
    listener.accept()[0].close()
    with pytest.raises(KeeperEnded):
        link.request("status", timeout_seconds=60)


def test_progress_is_passed_on_before_the_answer(link: Link, listener: socket.socket) -> None:
    told: list[str] = []
    with listener.accept()[0] as keeper:
        keeper.sendall(
            b'{"message": "one"}\n{"tell": "two, of an earlier version"}\n{"answer": {"state": "running"}}\n'
        )
        answer = link.request("status", timeout_seconds=60, notify=told.append)
    assert told == ["one", "two, of an earlier version"]
    assert answer == {"state": "running"}


def test_events_are_kept_until_read_and_never_awaited(link: Link, listener: socket.socket) -> None:
    def line(node: str) -> bytes:
        news = LabEvent(at_monotonic=1.5, kind=LabEventKind.PROMOTED, node=node, text="it is the primary")
        return json.dumps({"news": news.to_message()}).encode() + b"\n"

    assert link.news() == []
    with listener.accept()[0] as keeper:
        keeper.sendall(line("node1") + b'{"answer": {}}\n')
        assert link.request("status", timeout_seconds=60) == {}
        keeper.sendall(line("node2")[:10])
        keeper.sendall(line("node2")[10:] + line("node3"))
        heard: list[LabEvent] = []
        wait_until(lambda: heard.extend(link.news()) or len(heard) == 3, "all news have come")
    assert [news.node for news in heard] == ["node1", "node2", "node3"]
    assert heard[0] == LabEvent(at_monotonic=1.5, kind=LabEventKind.PROMOTED, node="node1", text="it is the primary")
    with pytest.raises(KeeperEnded):
        wait_until(lambda: link.news() and False, "the keeper's end is noticed")


def test_bug_of_the_keeper_is_no_user_error(link: Link, listener: socket.socket) -> None:
    with listener.accept()[0] as keeper:
        keeper.sendall(b'{"bug": "KeyError: x"}\n')
        with pytest.raises(RuntimeError, match="KeyError: x"):
            link.request("status", timeout_seconds=60)
