"""The supervisor promotes by itself only if the lab's shape says so, and reports what it did."""

import os
import signal
import time

import pytest

from engine.errors import UserError
from engine.faults.lab_actions import LabAction
from engine.lab.events import LabEvent, LabEventKind
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape
from tests.engine.lab.processes import needs_signals
from tests.engine.lab.writing import Writers, node_of
from tests.labs import start_unused
from tests.waiting import wait_until

pytestmark = needs_signals


def shaped(lab: EmbeddedServer, shape: LabShape) -> tuple[str, str]:
    """Give the lab a shape; the names of its primary and a standby."""
    start_unused(lab, shape)
    lab.news()
    status = lab.status()
    return node_of(status, "primary").name, node_of(status, "standby").name


def heard(lab: EmbeddedServer, kind: LabEventKind) -> list[LabEvent]:
    """All news until one of a kind has come."""
    news: list[LabEvent] = []
    wait_until(lambda: news.extend(lab.news()) or any(each.kind is kind for each in news), f"{kind} is told")
    return news


def test_fast_failover_promotes_at_the_primarys_end_and_reports_the_time(lab: EmbeddedServer) -> None:
    old, new = shaped(lab, LabShape(nodes=2, sync=True, failover="fast"))
    primary = node_of(lab.status(), "primary")
    assert primary.pid is not None
    with Writers(lab) as writers:
        killed_at = time.monotonic()
        os.kill(primary.pid, signal.SIGKILL)
        writers.await_commit()
        wait_until(lambda: node_of(lab.status(), "primary").name == new, "the standby is the primary")
    assert writers.lost() == set()
    news = heard(lab, LabEventKind.UNPROTECTED)
    assert [(each.kind, each.node) for each in news] == [
        (LabEventKind.DIED, old),
        (LabEventKind.PROMOTED, new),
        (LabEventKind.UNPROTECTED, new),
    ]
    moments = [killed_at, *(each.at_monotonic for each in news), time.monotonic()]
    assert moments == sorted(moments)


def test_manual_leaves_a_dead_primary_dead(lab: EmbeddedServer) -> None:
    old, _ = shaped(lab, LabShape(nodes=2, sync=True))
    lab.do(LabAction.KILL_PRIMARY)
    assert [each.kind for each in heard(lab, LabEventKind.DIED)] == [LabEventKind.DIED]
    assert (lab.status().state, node_of(lab.status(), "primary").name) == ("down", old)


def test_probe_notices_a_frozen_primary_kills_it_and_brings_it_back(lab: EmbeddedServer) -> None:
    shape = LabShape(
        nodes=2,
        sync=True,
        failover="probe",
        probe_interval_seconds=1.0,
        probe_misses=2,
        rejoin_after_seconds=0.5,
    )
    old, new = shaped(lab, shape)
    with Writers(lab) as writers:
        lab.do(LabAction.FREEZE_PRIMARY)
        news = heard(lab, LabEventKind.REJOINED)
        writers.await_commit()
    assert writers.lost() == set()
    kinds = [each.kind for each in news]
    assert kinds[:3] == [LabEventKind.UNANSWERED, LabEventKind.FENCED, LabEventKind.PROMOTED]
    rejoined = news[kinds.index(LabEventKind.REJOINED)]
    assert (rejoined.node, news[2].node) == (old, new)
    assert rejoined.at_monotonic - news[2].at_monotonic >= 0.5
    wait_until(lambda: lab.status().is_protected, "the pair is whole again")


def test_probe_notices_a_primary_whose_network_is_silent(lab: EmbeddedServer) -> None:
    old, new = shaped(lab, LabShape(nodes=2, sync=True, failover="probe", probe_interval_seconds=1.0))
    lab.do(LabAction.SILENCE_NETWORK)
    news = heard(lab, LabEventKind.PROMOTED)
    assert (LabEventKind.FENCED, old) in [(each.kind, each.node) for each in news]
    assert node_of(lab.status(), "primary").name == new


def test_no_standby_is_promoted_that_may_lack_an_acknowledged_commit(lab: EmbeddedServer) -> None:
    old, _ = shaped(lab, LabShape(nodes=2, sync=True, failover="fast"))
    lab.do(LabAction.FREEZE_WALSENDER)
    lab.do(LabAction.RELEASE_WRITES)
    with Writers(lab):
        lab.do(LabAction.KILL_PRIMARY)
        failed = heard(lab, LabEventKind.FAILED)[-1]
        assert "no standby is known to have everything" in failed.text
        assert node_of(lab.status(), "primary").name == old
        lab.do(LabAction.START, node=int(old[-1]))


def test_a_lab_in_use_keeps_its_shape(lab: EmbeddedServer) -> None:
    shaped(lab, LabShape(nodes=2, sync=True))
    with Writers(lab), pytest.raises(UserError, match=r"synchronous pair.*in use"):
        lab.start(notify=print, shape=LabShape(nodes=3, sync=True))
    assert lab.status().shape == LabShape(nodes=2, sync=True)
