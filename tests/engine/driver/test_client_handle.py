"""One real client process, from the run's side of it."""

import os
import signal
from collections.abc import Iterator

import psutil
import pytest

from engine.driver.client_handle import ClientHandle
from engine.driver.messages import Ready
from engine.target import POSTGRESQL, Host, Target
from tests.engine.driver.runs import start_of

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")


@pytest.fixture
def handle() -> Iterator[ClientHandle]:
    handle = ClientHandle(start_of(NOWHERE, None, client=7), "ds2 #7")
    yield handle
    if not handle.is_gone:
        handle.pipe.close()
        handle.end(0.0)


def test_a_client_is_a_process_of_its_own_that_leaves_when_its_pipe_is_closed(handle: ClientHandle) -> None:
    assert handle.pipe.poll(30)
    assert handle.pipe.recv() == Ready(client=7, pid=handle.pid)
    assert (handle.number, handle.label, handle.is_gone) == (7, "ds2 #7", False)

    handle.pipe.close()
    handle.end(30.0)

    assert handle.is_gone
    assert not psutil.pid_exists(handle.pid)


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_how_a_killed_client_ended_is_known_and_telling_it_something_does_no_harm(handle: ClientHandle) -> None:
    os.kill(handle.pid, signal.SIGKILL)

    assert handle.how_it_ended() == "ended by signal 9"
    handle.send("anything")


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGSTOP here")
def test_a_client_that_does_not_leave_is_ended(handle: ClientHandle) -> None:
    os.kill(handle.pid, signal.SIGSTOP)
    handle.pipe.close()

    handle.end(0.0)

    assert not psutil.pid_exists(handle.pid)
