"""What a client process receives until its run is gone."""

import multiprocessing

from engine.driver.messages import KeepAlive, Stop
from engine.driver.run_messages import run_messages

STOP = Stop(within_seconds=1.0)


def test_messages_come_until_the_pipe_ends() -> None:
    ours, theirs = multiprocessing.Pipe()
    for message in (KeepAlive(), STOP, KeepAlive()):
        theirs.send(message)
    theirs.close()
    assert list(run_messages(ours, None)) == [STOP]


def test_they_end_when_the_agent_is_silent() -> None:
    ours, theirs = multiprocessing.Pipe()
    theirs.send(STOP)
    assert list(run_messages(ours, 0.01)) == [STOP]
    assert not theirs.closed
