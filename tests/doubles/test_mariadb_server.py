"""The MariaDB server of the tests starts, dies, freezes and comes back, with the same data on the same port."""

import socket

import pytest

from tests.doubles.mariadb_server import MariaDBServer, running_server


def greeting(server: MariaDBServer) -> bytes:
    """The server's greeting to a client: a packet that names its version."""
    with socket.create_connection((server.host.name, server.host.port), timeout=5.0) as connection:
        connection.settimeout(0.5)
        return connection.recv(1024)


def test_it_comes_back_on_its_port_after_whatever_ended_it(mariadb_server: MariaDBServer) -> None:
    port, first = mariadb_server.port, mariadb_server.pid
    assert b"MariaDB" in greeting(mariadb_server)

    mariadb_server.kill()
    assert mariadb_server.pid is None
    with pytest.raises(ConnectionRefusedError):
        greeting(mariadb_server)
    mariadb_server.start()
    assert b"MariaDB" in greeting(mariadb_server)
    mariadb_server.restart()

    assert mariadb_server.port == port
    assert mariadb_server.pid not in (None, first)
    assert b"MariaDB" in greeting(mariadb_server)


def test_frozen_it_accepts_and_answers_nothing(mariadb_server: MariaDBServer) -> None:
    mariadb_server.freeze()
    try:
        with pytest.raises(TimeoutError):
            greeting(mariadb_server)
    finally:
        mariadb_server.thaw()
    assert b"MariaDB" in greeting(mariadb_server)


def test_a_second_server_has_options_of_its_own_and_leaves_nothing(mariadb_server: MariaDBServer) -> None:
    with running_server("--server-id=77") as other:
        assert other.port != mariadb_server.port
        assert b"MariaDB" in greeting(other)
        other.freeze()
    assert other.pid is None


def test_it_knows_its_version(mariadb_server: MariaDBServer) -> None:
    assert f"{mariadb_server.version}-MariaDB".encode() in greeting(mariadb_server)
