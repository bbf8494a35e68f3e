"""One real client process, from the run's side of it."""

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
    assert handle.pipe.recv() == (Ready(client=7, pid=handle.pid),)
    assert (handle.number, handle.label, handle.name, handle.is_gone) == (7, "ds2 #7", "client-7", False)
    assert (handle.is_ready, handle.all_connected, handle.farewell) == (False, False, None)

    handle.pipe.close()
    handle.end(30.0)

    assert handle.is_gone
    assert not psutil.pid_exists(handle.pid)
