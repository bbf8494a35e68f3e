"""When an answer came, by the system's own stamp: real connections over the loopback."""

import select
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.databases.arrival import Arrival, wall_clock
from tests.doubles.sessions import tcp_pair
from tests.waiting import wait_until

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what arrives")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The reader's end and the sender's."""
    near, far = tcp_pair()
    with near, far:
        yield near, far


def sent(near: socket.socket, far: socket.socket) -> tuple[float, float]:
    """Send something: between which two moments it arrived."""
    before = wall_clock()
    far.send(b"answer")
    assert select.select([near], [], [], 10)[0]
    return before, wall_clock()


@contextmanager
def arrivals(near: socket.socket) -> Iterator[Arrival]:
    arrival = Arrival(near.fileno())
    try:
        yield arrival
    finally:
        arrival.leave()


def await_stamps(arrival: Arrival, near: socket.socket, far: socket.socket) -> None:
    """Until they have begun to come: the system sets them up some time after it was asked for them."""

    def is_stamped() -> bool:
        sent(near, far)
        moment = arrival.moment()
        near.recv(100)
        return moment > 0

    wait_until(is_stamped, "what arrives is stamped")


@on_linux
def test_arrival_time_is_the_kernels_timestamp_not_the_time_of_the_read(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    near, far = ends
    with arrivals(near) as arrival:
        await_stamps(arrival, near, far)
        before, after = sent(near, far)
        wait_until(lambda: wall_clock() > after + 0.05, "it waits")

        assert before <= arrival.moment() <= after
    assert near.recv(100) == b"answer", "it is still there to be read"


@on_linux
def test_what_was_read_counts_no_more(ends: tuple[socket.socket, socket.socket]) -> None:
    near, far = ends
    with arrivals(near) as arrival:
        await_stamps(arrival, near, far)
        sent(near, far)
        near.recv(100)
        before, after = sent(near, far)
        assert before <= arrival.moment() <= after


def test_nothing_is_known_of_a_local_socket() -> None:
    near, far = socket.socketpair()
    with near, far, arrivals(near) as arrival:
        sent(near, far)

        assert arrival.moment() == 0.0


def test_nothing_is_known_of_a_connection_that_has_ended_or_holds_nothing(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    near, far = ends
    near.setblocking(False)
    with arrivals(near) as arrival:
        assert arrival.moment() == 0.0
        far.shutdown(socket.SHUT_RDWR)
        assert select.select([near], [], [], 10)[0]
        assert arrival.moment() == 0.0


def test_leave_does_not_close_the_socket(ends: tuple[socket.socket, socket.socket]) -> None:
    near, far = ends
    with arrivals(near):
        pass
    sent(near, far)

    assert near.recv(100) == b"answer"
