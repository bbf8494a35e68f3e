"""Two real MariaDB servers of which one follows the other, and what a test asks of either by hand."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pyodbc

from engine.databases.odbc.connection_string import connection_string
from engine.databases.odbc.drivers import driver_for
from engine.target.target import MARIADB
from tests.doubles.mariadb_server import USER, MariaDBServer, running_server
from tests.waiting import wait_until

_OPTIONS = ("--log-bin=binlog", "--gtid-strict-mode=ON", "--rpl-semi-sync-slave-enabled=ON")


@contextmanager
def running_pair() -> Iterator[tuple[MariaDBServer, MariaDBServer]]:
    """A primary and its replica, which is read-only and has the primary's password.

    They lose no acknowledged commit: the primary answers one when the replica has received it, and waits for ever.
    """
    with running_server(*_OPTIONS, "--server-id=1") as primary, running_server(*_OPTIONS, "--server-id=2") as replica:
        _follow(replica, primary)
        replica.secret = primary.secret
        wait_for_replica(primary, is_on=True)
        wait_until(lambda: status_of(primary, "Rpl_semi_sync_master_clients") == "1", "the replica follows")
        yield primary, replica


def wait_for_replica(primary: MariaDBServer, *, is_on: bool) -> None:
    """Whether commits wait for a replica that has received them, as long as it takes."""
    run_on(
        primary,
        "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
        "SET GLOBAL rpl_semi_sync_master_timeout = 600000",
        f"SET GLOBAL rpl_semi_sync_master_enabled = {'ON' if is_on else 'OFF'}",
    )


def connected(server: MariaDBServer, database: str = "") -> pyodbc.Connection:
    """A connection in autocommit of a client that has nothing to do with Spindle's own ones."""
    return pyodbc.connect(
        connection_string(
            {
                "DRIVER": driver_for(MARIADB),
                "SERVER": server.host.name,
                "PORT": str(server.port),
                "UID": USER,
                "PWD": server.secret.reveal(),
                "DATABASE": database,
                "TCPIP": "1",
            }
        ),
        autocommit=True,
    )


def run_on(server: MariaDBServer, *statements: str) -> None:
    with closing(connected(server)) as connection:
        for statement in statements:
            connection.execute(statement)


def value_on(server: MariaDBServer, query: str, database: str = "") -> str:
    """The one value that a query finds, as text."""
    with closing(connected(server, database)) as connection:
        ((value,),) = connection.execute(query).fetchall()
        return str(value)


def status_of(server: MariaDBServer, name: str) -> str:
    """One of the server's status variables."""
    return value_on(
        server, f"SELECT variable_value FROM information_schema.global_status WHERE variable_name = '{name}'"
    )


def _follow(replica: MariaDBServer, primary: MariaDBServer) -> None:
    password = primary.secret.reveal()
    run_on(primary, "RESET MASTER")
    run_on(
        replica,
        "SET GLOBAL read_only = ON",
        f"CHANGE MASTER TO MASTER_HOST = '{primary.host.name}', MASTER_PORT = {primary.port}, MASTER_USER = '{USER}',"
        f" MASTER_PASSWORD = '{password}', MASTER_USE_GTID = slave_pos",
        f"ALTER USER {USER}@'%' IDENTIFIED BY '{password}'",
        "RESET MASTER",
        "START SLAVE",
    )
