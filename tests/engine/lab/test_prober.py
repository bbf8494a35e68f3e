"""The prober tells a server that answers from one that does not."""

import socket
import threading

from engine.lab.prober import Prober, is_answering
from engine.lab.server import EmbeddedServer
from tests.waiting import wait_until


def test_a_running_server_answers(embedded_server: EmbeddedServer) -> None:
    assert is_answering(embedded_server.target().hosts[0].port, timeout_seconds=10.0)


def test_a_port_without_a_server_and_a_silent_one_do_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not is_answering(port, timeout_seconds=0.05)
    assert not is_answering(port, timeout_seconds=0.05)


def test_consecutive_misses_are_counted_and_reset_by_an_answer(embedded_server: EmbeddedServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        told = threading.Event()
        silent = Prober(listener.getsockname()[1], interval_seconds=0.05, on_miss=told.set)
        wait_until(lambda: silent.misses >= 3, "three silences are counted")
        assert told.is_set()
        silent.stop()
    answered = Prober(embedded_server.target().hosts[0].port, interval_seconds=5.0, on_miss=told.set)
    answered.misses = 2
    wait_until(lambda: answered.misses == 0, "an answer ends the row")
    answered.stop()
