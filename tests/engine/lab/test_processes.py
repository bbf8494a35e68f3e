"""The search for a data directory's processes finds those and no others."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from engine.lab.processes import end_servers, ending_with_parent, find_servers, server_environment
from tests.engine.lab.processes import needs_signals
from tests.waiting import wait_until

_PARENT = """
import signal, subprocess, sys
from engine.lab.processes import ending_with_parent
signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell has what it starts in the background ignore it, and sleep too
child = subprocess.Popen([*ending_with_parent(), "sleep", "600"])
print(child.pid, flush=True)
sys.stdin.read()
"""


@needs_signals
def test_only_servers_of_the_directory_are_ended(tmp_path: Path) -> None:
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
    program = tmp_path / "postgres"
    program.symlink_to("/bin/sleep")
    working_there = subprocess.Popen([program, "600"], cwd=tmp_path / "mine")
    another = subprocess.Popen([program, "600"], cwd=tmp_path / "other")
    no_server = subprocess.Popen(["/bin/sleep", "600"], cwd=tmp_path / "mine")
    try:
        wait_until(lambda: len(find_servers(tmp_path / "mine")) == 1, "the process has become its program")
        assert [process.pid for process in find_servers(tmp_path / "mine")] == [working_there.pid]
        assert end_servers(tmp_path / "mine") == 1
        assert working_there.wait(60) == -9
        assert (another.poll(), no_server.poll()) == (None, None)
        assert end_servers(tmp_path / "mine") == 0
    finally:
        for process in (working_there, another, no_server):
            process.kill()
            process.wait(60)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_child_ends_with_its_killed_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    wait_until(lambda: psutil.Process(child).name() == "sleep", "the child has become its program")
    parent.kill()
    parent.communicate(timeout=60)
    wait_until(lambda: not _runs(child), "the child has ended")


@pytest.mark.skipif(sys.platform == "linux", reason="Linux has it")
def test_other_systems_have_no_such_tie() -> None:
    assert ending_with_parent() == ()


def test_environment_of_a_server_speaks_english_and_keeps_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c fsync=off")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    environment = server_environment()
    assert "PGOPTIONS" not in environment
    assert environment["LC_ALL"] == "C"
    assert environment["PATH"] == os.environ["PATH"]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
