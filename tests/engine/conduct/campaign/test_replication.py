"""Whether replicas have caught up: on a real MariaDB and its replica, and on servers that are no such pair."""

import os

import pytest

from engine.conduct.campaign.replication import lagging
from engine.conduct.endpoint import Endpoint
from engine.target.target import MARIADB, Target
from tests.doubles.mariadb_pair import run_on, running_pair
from tests.doubles.mariadb_server import USER, MariaDBServer

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the distribution's MariaDB runs on Unix")


def group(*servers: MariaDBServer) -> Endpoint:
    """A target of these hosts."""
    hosts = tuple(server.host for server in servers)
    return Endpoint(Target(kind=MARIADB, hosts=hosts, database="ds2", user=USER, tls="disable"), servers[0].secret)


def test_a_replica_is_waited_for_until_it_has_replayed_what_the_primary_has() -> None:
    with running_pair() as (primary, replica):
        pair = group(replica, primary)
        assert lagging(pair, 0) == ""

        run_on(replica, "STOP SLAVE SQL_THREAD")
        run_on(primary, "CREATE DATABASE waited_for")
        assert lagging(pair, 0) == f"replica {replica.host} has not replayed everything"

        run_on(replica, "START SLAVE SQL_THREAD")
        assert lagging(pair, 60) == ""

        primary.kill()
        assert lagging(pair, 0).startswith("no host says that it is the primary, ")


def test_servers_without_a_binary_log_are_named(mariadb_server: MariaDBServer) -> None:
    found = lagging(group(mariadb_server, mariadb_server), 0)
    assert found.startswith(f"primary {mariadb_server.host} has no GTID positions")
