"""Progress in the taskbar, as a real session bus carries it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.window.taskbar import Taskbar, has_session_bus
from tests.waiting import wait_until

DAEMON, MONITOR = shutil.which("dbus-daemon"), shutil.which("dbus-monitor")
PROGRAM = """
from PySide6.QtCore import QCoreApplication
from app.window.taskbar import Taskbar

application = QCoreApplication([])
taskbar = Taskbar()
for share in (0.42, 0.4201, None):
    taskbar.show_progress(share)
application.processEvents()
"""


@pytest.fixture
def bus_address() -> Iterator[str]:
    if DAEMON is None or MONITOR is None:
        pytest.skip("no D-Bus on this machine")
    daemon = subprocess.Popen(
        [DAEMON, "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout is not None
    yield daemon.stdout.readline().strip()
    daemon.terminate()
    daemon.wait()
    daemon.stdout.close()


def test_each_change_is_sent_to_the_bus_once(bus_address: str, tmp_path: Path) -> None:
    environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": bus_address}
    recorded = tmp_path / "heard"
    rule = "interface='com.canonical.Unity.LauncherEntry'"
    with recorded.open("w") as file:
        monitor = subprocess.Popen([str(MONITOR), "--address", bus_address, rule], stdout=file)
        wait_until(lambda: recorded.stat().st_size > 0, "the monitor listens")
        subprocess.run([sys.executable, "-c", PROGRAM], check=True, env=environment, cwd=Path(__file__).parents[3])
        wait_until(lambda: recorded.read_text().count("member=Update") == 2, "two updates")
        monitor.terminate()
        monitor.wait()
    text = recorded.read_text()
    assert 'string "application://spindle.desktop"' in text
    assert text.index("double 0.42") < text.index("boolean true") < text.index("boolean false")


def test_taskbar_does_nothing_without_a_bus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nowhere")
    assert not has_session_bus()
    taskbar = Taskbar()
    taskbar.show_progress(0.5)
    assert taskbar._bus is None
