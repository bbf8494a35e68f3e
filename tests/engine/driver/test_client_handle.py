"""One real client process, seen from the run."""

from collections.abc import Iterator

import psutil
import pytest

from engine.driver.client_handle import ClientProcess
from engine.driver.link import Share
from engine.driver.local_launcher import LocalLauncher
from engine.driver.messages import Ready
from engine.target.target import POSTGRESQL, Host, Target
from tests.engine.driver.runs import start_of

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")


@pytest.fixture
def process() -> Iterator[ClientProcess]:
    starts = [start_of(NOWHERE, None, client=number) for number in (7, 8)]
    share = Share(starts=tuple(starts), may_preempt=True)
    link = LocalLauncher().launch(share)
    yield ClientProcess(link, share, {number: f"ds2 #{number}" for number in range(1, 10)}, "")
    if not link.is_gone:
        link.close()
        link.end(0.0)


def test_clients_have_a_process_of_their_own_that_leaves_when_its_pipe_is_closed(process: ClientProcess) -> None:
    link = process.link
    assert link.waitable.poll(30)
    assert link.receive() == (Ready(pid=link.pid),)
    assert (process.number, process.users, link.name, process.is_gone) == (7, 6, "client-7", False)
    assert (process.is_ready, process.summary) == (False, None)
    assert {number: client.label for number, client in process.clients.items()} == {7: "ds2 #7", 8: "ds2 #8"}
    assert not any(client.all_connected for client in process.clients.values())

    link.close()
    link.end(30.0)

    assert process.is_gone
    assert not psutil.pid_exists(link.pid)
