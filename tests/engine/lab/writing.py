"""Writers that keep account of every commit that was acknowledged, and find out afterwards what became of it."""

import threading
import time
from types import TracebackType
from typing import Self

import psycopg

from engine.lab.server import EmbeddedServer
from engine.lab.status import LabStatus, NodeStatus
from tests.waiting import wait_until

_RETRY_SECONDS = 0.02


def conninfo(server: EmbeddedServer) -> str:
    """How a user finds the node that takes writes."""
    hosts = server.target().hosts
    return psycopg.conninfo.make_conninfo(
        host=",".join(host.name for host in hosts),
        port=",".join(str(host.port) for host in hosts),
        user="postgres",
        dbname="postgres",
        password=server.secret.reveal(),
        target_session_attrs="read-write",
        connect_timeout=2,
    )


def connected(server: EmbeddedServer) -> psycopg.Connection[tuple[object, ...]]:
    """A connection to the node that takes writes, as soon as there is one."""
    deadline = time.monotonic() + 90
    while True:
        try:
            return psycopg.connect(conninfo(server), autocommit=True)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)


def on_node(server: EmbeddedServer, node: NodeStatus) -> psycopg.Connection[tuple[object, ...]]:
    """A connection to one node's server, past its proxy."""
    return psycopg.connect(
        host="127.0.0.1",
        port=node.port,
        user="postgres",
        dbname="postgres",
        password=server.secret.reveal(),
        autocommit=True,
    )


def node_of(status: LabStatus, role: str) -> NodeStatus:
    return next(node for node in status.nodes if node.role == role)


class Writers:
    """Threads that insert numbered rows; a number whose commit failed is never tried again."""

    def __init__(self, server: EmbeddedServer, *, threads: int = 3) -> None:
        self.acknowledged: set[tuple[int, int]] = set()
        self._server = server
        self._conninfo = conninfo(server)
        self._latest = 0.0
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(threads)]

    def __enter__(self) -> Self:
        with connected(self._server) as connection:
            connection.execute("drop table if exists kept")
            connection.execute("create table kept (writer int, number int, primary key (writer, number))")
        for thread in self._threads:
            thread.start()
        self.await_commit()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(60)

    def await_commit(self) -> float:
        """Wait for a commit from now on; how long that took in seconds."""
        now = time.monotonic()
        wait_until(lambda: self._latest > now, "a commit goes through")
        return self._latest - now

    def lost(self) -> set[tuple[int, int]]:
        """The acknowledged rows that the primary of today does not have."""
        with connected(self._server) as connection:
            rows = connection.execute("select writer, number from kept").fetchall()
        return self.acknowledged - {(int(str(writer)), int(str(number))) for writer, number in rows}

    def _write(self, writer: int) -> None:
        number = 0
        while not self._ended.is_set():
            try:
                with psycopg.connect(self._conninfo, autocommit=True) as connection:
                    while not self._ended.is_set():
                        number += 1
                        connection.execute("insert into kept values (%s, %s)", (writer, number))
                        self.acknowledged.add((writer, number))
                        self._latest = time.monotonic()
            except psycopg.Error:
                self._ended.wait(_RETRY_SECONDS)
