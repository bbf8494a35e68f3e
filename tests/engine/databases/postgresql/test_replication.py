"""What a lab asks of one server is answered, or ends in time."""

import contextlib
import socket
import threading

import psutil
import pytest

from engine.databases.postgresql.replication import console
from engine.errors import TargetError
from engine.lab.server import EmbeddedServer
from engine.target.target import POSTGRESQL, Host, Target
from tests.waiting import wait_until


@pytest.fixture
def target(embedded_server: EmbeddedServer) -> Target:
    return embedded_server.target("postgres")


def test_primary_reports_its_position_and_no_followers(embedded_server: EmbeddedServer, target: Target) -> None:
    with console(target, embedded_server.secret, timeout_seconds=60) as asked:
        position = asked.position()
        assert asked.followers() == []
    assert not position.is_standby
    assert position.received == position.replayed > 0


def test_other_backends_are_listed_without_the_own_one(embedded_server: EmbeddedServer, target: Target) -> None:
    with (
        console(target, embedded_server.secret, timeout_seconds=60) as first,
        console(target, embedded_server.secret, timeout_seconds=60) as second,
    ):

        def each_sees_the_other_alone() -> bool:
            seen_by_first, seen_by_second = set(first.users()), set(second.users())
            # Sessions of others that are just being ended may be among both, or among those that the first sees.
            return len(seen_by_first - seen_by_second) == len(seen_by_second - seen_by_first) == 1

        wait_until(each_sees_the_other_alone, "each sees the other's session and not its own")


def test_a_server_that_stops_answering_is_given_up_when_the_time_is_over(
    embedded_server: EmbeddedServer, target: Target
) -> None:
    with (
        console(target, embedded_server.secret, timeout_seconds=60) as busy,
        contextlib.suppress(TargetError),  # of leaving a console whose connection has been cut
        console(target, embedded_server.secret, timeout_seconds=3.0) as asked,
    ):
        found: set[int] = set()

        def is_found() -> bool:  # sessions of others that are just being ended may be among them
            found.clear()
            found.update(set(busy.users()) - set(asked.users()))
            return len(found) == 1

        wait_until(is_found, "the session is known")
        (blocked,) = found
        psutil.Process(blocked).suspend()
        try:
            with pytest.raises(TargetError):
                asked.position()
        finally:
            psutil.Process(blocked).resume()


def test_a_server_that_refuses_for_another_reason_is_not_waited_for(embedded_server: EmbeddedServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    nobody = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", port),), database="postgres", user="postgres")
    with pytest.raises(TargetError), console(nobody, embedded_server.secret, timeout_seconds=60):
        pass


def test_starting_server_is_retried(embedded_server: EmbeddedServer) -> None:
    refusal = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
    listener = socket.create_server(("127.0.0.1", 0))
    refused = threading.Event()

    def refuse() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"E" + (len(refusal) + 4).to_bytes(4, "big") + refusal)
        refused.set()
        listener.close()

    thread = threading.Thread(target=refuse)
    thread.start()
    place = Target(
        kind=POSTGRESQL,
        hosts=(Host("127.0.0.1", listener.getsockname()[1]),),
        database="postgres",
        user="postgres",
        tls="disable",
    )
    with pytest.raises(TargetError) as caught, console(place, embedded_server.secret, timeout_seconds=60):
        pass
    thread.join(60)
    assert refused.is_set()
    assert "starting up" not in str(caught.value), "it asked again, and was told that nobody listens any more"
