"""A second window of a home, as real processes: the first is raised, or opened beside when it does not answer."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window.main_window import MainWindow
from app.window.one_window import Claim, OneWindow, server_name
from tests.app.calling import COMMAND, REPOSITORY
from tests.waiting import wait_until
from widgets.parts.look import Look

_START_SECONDS = 60.0
Open = Callable[[Path], "Window"]


class Window:
    """A process of its own with the window of a home, and what it wrote to its error channel."""

    def __init__(self, home: Path) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [*COMMAND, "--home", str(home)],
            cwd=REPOSITORY,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines.extend(self.process.stderr)

    def has_printed(self, text: str) -> bool:
        return any(text in line for line in tuple(self.lines))

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
        self.process.wait(_START_SECONDS)
        self._reader.join(_START_SECONDS)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture
def open_window() -> Iterator[Open]:
    opened: list[Window] = []

    def start(home: Path) -> Window:
        opened.append(Window(home))
        return opened[-1]

    yield start
    for window in opened:
        window.end()


def _answers(home: Path) -> bool:
    """Whether a window of the home is built, and answers."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(home))
    is_there = socket.waitForConnected(100)
    if is_there:
        socket.write(b"raise\n")
        is_there = socket.waitForReadyRead(1_000)
    socket.abort()
    return is_there


def test_second_window_raises_the_first_and_exits(qapp: QApplication, tmp_path: Path, open_window: Open) -> None:
    first = open_window(tmp_path)
    wait_until(lambda: _answers(tmp_path), "the first window is open", timeout_seconds=_START_SECONDS)
    second = open_window(tmp_path)
    assert second.process.wait(_START_SECONDS) == 0
    wait_until(
        lambda: second.has_printed("spindle: Spindle's window is open already; it was brought to"), "it reports that"
    )
    assert first.process.poll() is None
    another = tmp_path / "another home"
    open_window(another)
    wait_until(lambda: _answers(another), "another home has a window of its own", timeout_seconds=_START_SECONDS)


def test_killed_window_does_not_block_a_new_one(qapp: QApplication, tmp_path: Path, open_window: Open) -> None:
    first = open_window(tmp_path)
    wait_until(lambda: _answers(tmp_path), "the first window is open", timeout_seconds=_START_SECONDS)
    first.process.kill()
    first.process.wait(_START_SECONDS)
    second = open_window(tmp_path)
    wait_until(lambda: _answers(tmp_path), "the second window is open", timeout_seconds=_START_SECONDS)
    assert second.process.poll() is None
    assert second.lines == []


def test_window_opens_with_a_warning_if_the_first_does_not_answer(
    qapp: QApplication, tmp_path: Path, open_window: Open
) -> None:
    first = open_window(tmp_path)
    wait_until(lambda: _answers(tmp_path), "the first window is open", timeout_seconds=_START_SECONDS)
    psutil.Process(first.process.pid).suspend()
    second = open_window(tmp_path)
    warning = "Another Spindle window works on this library and does not answer"
    wait_until(lambda: second.has_printed(warning), "the second window warns", timeout_seconds=_START_SECONDS)
    assert second.process.poll() is None


def test_first_window_is_notified_and_releases_its_role(qtbot: QtBot, tmp_path: Path) -> None:
    first = OneWindow(tmp_path)
    assert first.claim() is Claim.FIRST
    code = "import sys; from pathlib import Path; from PySide6.QtCore import QCoreApplication\n"
    code += "from app.window.one_window import OneWindow; application = QCoreApplication([])\n"
    code += "print(OneWindow(Path(sys.argv[1])).claim().name)"
    with qtbot.waitSignal(first.raise_requested, timeout=int(1000 * _START_SECONDS)):
        second = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
        )
    assert second.communicate(timeout=_START_SECONDS)[0] == "RAISED\n"
    first.close()
    third = OneWindow(tmp_path)
    assert third.claim() is Claim.FIRST
    third.close()
    for each in (first, third):
        assert isinstance(each, QObject)
        each.deleteLater()


def test_a_window_of_another_workstation_is_named_and_not_asked(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "window.lock").write_text("1\nspindle\nrack-7\n", encoding="utf-8")  # as Qt writes it there
    window = OneWindow(tmp_path)
    assert window.claim() is Claim.SILENT
    assert window.elsewhere == "rack-7"
    window.close()
    assert window.lock_file.is_file()
    window.deleteLater()


def test_window_opens_if_home_can_not_be_created(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    window = OneWindow(tmp_path / "file" / "home")
    assert window.claim() is Claim.FIRST
    window.close()
    window.deleteLater()


def test_a_minimised_window_is_brought_to_the_front(qtbot: QtBot) -> None:
    window = MainWindow(Look())
    qtbot.addWidget(window)
    window.showMinimized()
    window.bring_to_front()
    assert window.isVisible()
    assert not window.isMinimized()
