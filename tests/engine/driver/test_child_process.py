"""A child process of the run, seen from the run."""

import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import psutil
import pytest

from engine.driver import child_process
from engine.driver.child_process import PRELOADED, ChildProcess
from tests.child_processes import is_fork_server
from tests.waiting import wait_until

WORDS = ("one", 2)


def echo(pipe: "Connection[Any, Any]", *words: object) -> None:
    """The process's function: send the given words, then echo messages until its pipe ends."""
    try:
        pipe.send(words)
        while True:
            pipe.send(pipe.recv())
    except EOFError:
        return


def tell_surroundings(pipe: "Connection[Any, Any]", name: str) -> None:
    """Send a variable of the environment, and which of the modules that are loaded before are there."""
    pipe.send((os.environ.get(name), [each for each in PRELOADED if each in sys.modules]))


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    child = ChildProcess(echo, *WORDS, name="echo")
    yield child
    if not child.is_gone:
        child.pipe.close()
        child.end(0.0)


def test_child_receives_arguments_answers_and_exits_when_its_pipe_closes(child: ChildProcess) -> None:
    assert child.pipe.poll(30)
    assert child.pipe.recv() == WORDS
    child.send({"said": True})
    assert child.pipe.poll(30)
    assert child.pipe.recv() == {"said": True}

    child.pipe.close()
    wait_until(lambda: child.how_it_ended() == "ended with exit code 0", "it leaves by itself")
    child.end(0.0)

    assert child.is_gone
    assert not psutil.pid_exists(child.pid)


@pytest.mark.skipif(os.name == "nt", reason="there are no sessions here")
def test_child_has_its_own_session(child: ChildProcess) -> None:
    assert child.pipe.poll(30)

    assert os.getsid(child.pid) == child.pid


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_killed_child_has_its_exit_status_and_sending_is_harmless(child: ChildProcess) -> None:
    os.kill(child.pid, signal.SIGKILL)

    assert child.how_it_ended() == "ended by signal 9"
    child.send("anything")


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGSTOP here")
def test_child_that_does_not_exit_is_terminated(child: ChildProcess) -> None:
    os.kill(child.pid, signal.SIGSTOP)
    child.pipe.close()

    child.end(0.0)

    assert not psutil.pid_exists(child.pid)


def test_running_child_has_a_broken_pipe(child: ChildProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_process, "_EXIT_SECONDS", 0.1)
    assert child.how_it_ended() == "its pipe broke"


def test_child_that_can_not_be_killed_is_abandoned(
    child: ChildProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # A process that waits for a disk that hangs can't be killed; here the kill is left out instead.
    with monkeypatch.context() as held:
        held.setattr(child_process, "_KILL_SECONDS", 0.1)
        held.setattr(BaseProcess, "kill", lambda _: None)
        child.end(0.0)
    assert psutil.pid_exists(child.pid)
    assert "echo could not be ended" in caplog.text

    child.end(0.0)
    assert not psutil.pid_exists(child.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no fork server")
def test_child_has_its_modules_loaded_and_the_environment_of_its_own_start(
    child: ChildProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SET_LATER", "than the fork server began")
    told = ChildProcess(tell_surroundings, "SET_LATER", name="told")
    assert told.pipe.recv() == ("than the fork server began", list(PRELOADED))
    told.close()
    told.end(30.0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no fork server")
def test_children_outlive_their_fork_server_and_the_next_one_has_another(child: ChildProcess) -> None:
    assert child.pipe.recv() == WORDS
    server = psutil.Process(child.pid).parent()
    assert server is not None
    assert is_fork_server(server)
    server.kill()
    wait_until(lambda: server.status() == psutil.STATUS_ZOMBIE, "it has ended")

    child.send("still there")
    assert child.pipe.recv() == "still there"
    another = ChildProcess(echo, *WORDS, name="another")
    assert another.pipe.recv() == WORDS
    another.close()
    another.end(30.0)
