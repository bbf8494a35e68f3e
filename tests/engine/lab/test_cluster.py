"""Real pairs and threes: what is acknowledged survives what happens to them, when it is promised to."""

import threading
import time

import psycopg
import pytest

from engine.errors import UserError
from engine.faults.lab_actions import LabAction
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape
from tests.engine.lab.processes import needs_signals, users_served
from tests.engine.lab.writing import Writers, connected, conninfo, node_of, on_node
from tests.labs import start_unused
from tests.waiting import wait_until

pytestmark = needs_signals
RECEIVER_TIMEOUT_SECONDS = 5.0
"""Of the standbys: so long after what came last they ask for another walsender, which is not frozen."""


def names(server: EmbeddedServer) -> tuple[str, str]:
    status = server.status()
    return node_of(status, "primary").name, node_of(status, "standby").name


def contents(server: EmbeddedServer, role: str) -> list[tuple[object, ...]]:
    with on_node(server, node_of(server.status(), role)) as connection:
        return connection.execute("select writer, number from kept order by writer, number").fetchall()


def assert_well(server: EmbeddedServer) -> None:
    """Every node runs, the standbys have replayed all, and every acknowledged commit is on one of them."""
    status = server.status()
    assert {node.state for node in status.nodes} == {"running"}
    assert status.is_protected
    wait_until(lambda: node_of(server.status(), "standby").lag_bytes == 0, "the standby has replayed all")
    assert contents(server, "primary") == contents(server, "standby")


def test_a_pair_streams_and_waits_for_its_standby(pair: EmbeddedServer) -> None:
    status = pair.status()
    assert status.is_protected
    assert node_of(status, "standby").follows == "quorum"
    assert [node.client_port for node in status.nodes] == [host.port for host in pair.target().hosts]
    with connected(pair) as connection:
        answer = connection.execute("show synchronous_standby_names").fetchone()
    assert answer == (f"ANY 1 ({node_of(status, 'standby').name})",)


def test_no_acknowledged_row_is_lost_when_the_primary_is_killed_and_the_old_one_is_rewound(
    pair: EmbeddedServer,
) -> None:
    old, new = names(pair)
    with Writers(pair) as writers:
        assert "killed" in pair.do(LabAction.KILL_PRIMARY)
        assert pair.do(LabAction.PROMOTE) == f"{new} is the primary"
        writers.await_commit()
        assert not pair.status().is_protected, "two nodes are unprotected from the failover to the rejoin"
        assert "rewound" in pair.do(LabAction.REJOIN)
        writers.await_commit()
    assert len(writers.acknowledged) > 0
    assert writers.lost() == set()
    assert names(pair) == (new, old)
    assert_well(pair)


def test_a_frozen_primary_is_killed_before_another_is_promoted(pair: EmbeddedServer) -> None:
    old, new = names(pair)
    with Writers(pair) as writers:
        assert "froze" in pair.do(LabAction.FREEZE_PRIMARY)
        assert node_of(pair.status(), "primary").state == "frozen"
        with pytest.raises(UserError, match="frozen: use fence_and_promote"):
            pair.do(LabAction.PROMOTE)
        pair.do(LabAction.FENCE_AND_PROMOTE)
        writers.await_commit()
        assert node_of(pair.status(), "standby").state == "down"
    assert writers.lost() == set()
    assert names(pair) == (new, old)


def test_thawed_primary_continues(pair: EmbeddedServer) -> None:
    with Writers(pair) as writers:
        pair.do(LabAction.FREEZE_PRIMARY)
        assert "thawed" in pair.do(LabAction.THAW)
        writers.await_commit()
        assert pair.do(LabAction.THAW) == "nothing was frozen"
    assert writers.lost() == set()


def test_a_switchover_loses_nothing_and_ends_with_a_whole_pair(pair: EmbeddedServer) -> None:
    old, new = names(pair)
    with Writers(pair) as writers:
        assert pair.do(LabAction.SWITCHOVER) == f"{new} is the primary, and {old} follows it"
        writers.await_commit()
    assert writers.lost() == set()
    assert names(pair) == (new, old)
    assert_well(pair)


def test_commits_hang_without_the_standby_and_go_on_when_it_is_back(pair: EmbeddedServer) -> None:
    committed = threading.Event()

    def commit() -> None:
        with connected(pair) as connection:
            connection.execute("create table if not exists waiting as select 1")
            committed.set()

    pair.do(LabAction.KILL_STANDBY)
    writer = threading.Thread(target=commit)
    writer.start()
    with connected(pair) as connection:
        waiting = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
        wait_until(lambda: connection.execute(waiting).fetchone() == (1,), "the commit waits for the standby")
    assert not committed.is_set()
    assert pair.do(LabAction.START).startswith("started node")
    writer.join(60)
    assert committed.is_set()


def test_hanging_commits_are_released_without_a_standby(pair: EmbeddedServer) -> None:
    pair.do(LabAction.KILL_STANDBY)
    pair.do(LabAction.RELEASE_WRITES)
    with connected(pair) as connection:
        connection.execute("create table if not exists released as select 1")
    assert not pair.status().is_protected


def test_an_asynchronous_pair_loses_what_its_frozen_sender_had_not_sent(lab: EmbeddedServer) -> None:
    start_unused(lab, LabShape(nodes=2, sync=False))
    with Writers(lab) as writers:
        began = time.monotonic()
        assert "froze the processes that send the WAL" in lab.do(LabAction.FREEZE_WALSENDER)
        before = set(writers.acknowledged)
        wait_until(lambda: len(writers.acknowledged) > len(before) + 100, "more rows are acknowledged")
        lab.do(LabAction.KILL_PRIMARY)
        took_seconds = time.monotonic() - began
        lab.do(LabAction.PROMOTE)
        writers.await_commit()
    assert len(writers.lost()) >= 100 or took_seconds >= RECEIVER_TIMEOUT_SECONDS
    assert "rewound" in lab.do(LabAction.REJOIN)
    wait_until(lambda: node_of(lab.status(), "standby").lag_bytes == 0, "the old primary has replayed all")
    assert contents(lab, "primary") == contents(lab, "standby")


def test_of_three_the_one_that_has_received_most_is_promoted(lab: EmbeddedServer) -> None:
    start_unused(lab, LabShape(nodes=3, sync=True))
    status = lab.status()
    behind, ahead = (node for node in status.nodes if node.role == "standby")
    with Writers(lab) as writers:
        lab.do(LabAction.SILENCE_NETWORK, node=int(behind.name[-1]))
        assert "silent" in next(node.network for node in lab.status().nodes if node.name == behind.name)
        before = len(writers.acknowledged)
        wait_until(lambda: len(writers.acknowledged) > before + 50, "one standby is enough to go on")
        lab.do(LabAction.KILL_PRIMARY)
        lab.do(LabAction.PROMOTE)
        writers.await_commit()
    assert node_of(lab.status(), "primary").name == ahead.name
    assert writers.lost() == set()
    lab.start(notify=print)
    assert {node.state for node in lab.status().nodes} == {"running"}
    assert lab.status().is_protected


def test_an_immediate_restart_and_a_killed_backend_cost_connections_but_no_row(pair: EmbeddedServer) -> None:
    with Writers(pair) as writers:
        pair.do(LabAction.RESTART_IMMEDIATE)
        writers.await_commit()
        assert "killed process" in pair.do(LabAction.KILL_BACKEND)
        writers.await_commit()
    assert writers.lost() == set()


def test_a_cut_network_ends_connections_and_a_delayed_one_slows_commits(pair: EmbeddedServer) -> None:
    with connected(pair) as connection:
        pair.do(LabAction.CUT_NETWORK)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("select 1")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(conninfo(pair))
    assert "5 ms more per round trip" in pair.do(LabAction.DELAY_NETWORK, value=5)
    assert "is restored" in pair.do(LabAction.RESTORE_NETWORK)
    with connected(pair) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_stopped_primary_is_started_again_and_a_reset_copies_its_standby_anew(pair: EmbeddedServer) -> None:
    primary, standby = names(pair)
    assert pair.do(LabAction.STOP_PRIMARY) == f"{primary} shut down"
    assert pair.status().state == "down"
    pair.do(LabAction.START)
    assert pair.status().is_protected
    made = (pair.status().data_folder.parents[1] / standby / "data" / "PG_VERSION").stat().st_ino
    assert primary in pair.do(LabAction.RESET)
    assert (pair.status().data_folder.parents[1] / standby / "data" / "PG_VERSION").stat().st_ino != made
    assert pair.status().is_protected


def test_impossible_actions_are_rejected(pair: EmbeddedServer) -> None:
    primary, _ = names(pair)
    with pytest.raises(UserError, match=f"{primary} is the primary already"):
        pair.do(LabAction.FENCE_AND_PROMOTE, node=int(primary[-1]))
    server = pair.status().server_pid
    assert server is not None
    # Whoever was connected last may still be leaving.
    wait_until(lambda: not users_served(server), "the primary serves no users")
    with pytest.raises(UserError, match="serves no users"):
        pair.do(LabAction.KILL_BACKEND)
    pair.do(LabAction.KILL_STANDBY)
    with pytest.raises(UserError, match="no standby answers"):
        pair.do(LabAction.FENCE_AND_PROMOTE)
    assert pair.status().state == "running", "a primary without a successor is left alone"
    with pytest.raises(UserError, match="no standby follows"):
        pair.do(LabAction.SWITCHOVER)
