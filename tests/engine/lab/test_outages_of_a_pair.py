"""Runs against a real pair to which something is done: the black-out that the probe sees is the one that was made."""

from collections.abc import Iterator

import pytest

from engine.analysis.series.probes import SLOT_SECONDS
from engine.conduct.leasing import StoreLease, holder_of
from engine.databases.lease import Claim
from engine.faults.lab_actions import LabAction
from engine.lab.server import EmbeddedServer
from tests.engine.conftest import SIZE, BuiltStore
from tests.engine.driver.drills import PATIENT, THREADS, Drill, drilled
from tests.engine.lab.processes import needs_signals
from tests.waiting import wait_until

_LATE_ANSWER_SECONDS = 0.5
pytestmark = needs_signals


@pytest.fixture
def paired_store(pair: EmbeddedServer) -> BuiltStore:
    """A store on a synchronous pair; whoever connects finds the node that is the primary then."""
    store = BuiltStore(pair.target("drilled"), pair.secret)
    store.store.build(str(SIZE), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
    return store


@pytest.fixture
def drill(paired_store: BuiltStore) -> Iterator[Drill]:
    """A run that measures; afterwards every acknowledged order has to be there, and no user left behind."""
    with drilled(paired_store, PATIENT) as drill:
        yield drill
        samples = drill.await_users()
        drill.let_pass(1)
        assert samples[-1].working + samples[-1].thinking == THREADS


def test_lease_follows_its_store_to_the_next_primary(paired_store: BuiltStore, pair: EmbeddedServer) -> None:
    touched: list[str] = []
    claim = Claim(purpose="run", program="tests", lasts_seconds=10.0, heartbeat_seconds=0.1)
    lease = StoreLease(
        paired_store.store,
        claim,
        "the store",
        notify=touched.append,
        on_conflict=lambda what, _who: touched.append(what),
    )
    lease.take()
    pair.do(LabAction.KILL_PRIMARY)
    pair.do(LabAction.FENCE_AND_PROMOTE)
    wait_until(lambda: _is_fresh(paired_store, claim), "the lease is renewed on the new primary")
    lease.release()
    assert holder_of(paired_store.store) is None
    assert touched == []


def _is_fresh(store: BuiltStore, claim: Claim) -> bool:
    holder = holder_of(store.store)
    return holder is not None and holder.token == claim.token and holder.silent_seconds < 1


def done(drill: Drill, pair: EmbeddedServer, action: LabAction) -> tuple[float, float]:
    """Do it; when it was asked for and when it was done, in seconds of the run."""
    asked = drill.at()
    pair.do(action)
    return asked, drill.at()


def await_reconnects(drill: Drill) -> None:
    wait_until(lambda: drill.sink.total("reconnects") >= THREADS, "every user was cut and has reconnected")


def assert_black_out(drill: Drill, *, begins: tuple[float, float], ends: tuple[float, float]) -> None:
    """One black-out, that began and ended in these spans, give or take the probe's margin."""
    drill.let_pass(2)
    outage = drill.outage_at(ends[0])
    assert all(each == outage for each in drill.outages())
    assert outage.end is not None
    assert begins[0] - drill.margin_seconds <= outage.begin <= begins[1] + drill.margin_seconds
    assert ends[0] - drill.margin_seconds <= outage.end <= ends[1] + drill.margin_seconds


def assert_out_at_most_in(drill: Drill, span: tuple[float, float]) -> None:
    """All users came back, and nobody was out for long at another time, give or take the probe's margin.

    What is done within a few tenths of a second may pass between two questions of the probe; on a busy machine the
    probe's own answers may be as late.
    """
    await_reconnects(drill)
    drill.await_users()
    drill.let_pass(2)
    for outage in drill.outages(least_seconds=2 * SLOT_SECONDS):
        assert outage.end is not None
        is_in_span = span[0] - drill.margin_seconds <= outage.begin <= outage.end <= span[1] + drill.margin_seconds
        assert is_in_span or outage.end - outage.begin <= _LATE_ANSWER_SECONDS, (span, outage)


def test_a_frozen_primary_is_out_until_it_is_fenced_and_its_standby_promoted(
    pair: EmbeddedServer, drill: Drill
) -> None:
    frozen = done(drill, pair, LabAction.FREEZE_PRIMARY)
    drill.let_pass(2)
    promoted = done(drill, pair, LabAction.FENCE_AND_PROMOTE)
    await_reconnects(drill)
    assert_black_out(drill, begins=frozen, ends=promoted)


def test_without_its_synchronous_standby_a_primary_is_out_until_it_is_back(pair: EmbeddedServer, drill: Drill) -> None:
    killed = done(drill, pair, LabAction.KILL_STANDBY)
    drill.let_pass(3)
    started = done(drill, pair, LabAction.START)
    assert_black_out(drill, begins=killed, ends=started)
    assert drill.sink.total("reconnects") == 0, "those who wait for a commit keep their connections"


def test_blackout_is_at_most_as_long_as_the_restart(pair: EmbeddedServer, drill: Drill) -> None:
    assert_out_at_most_in(drill, done(drill, pair, LabAction.RESTART_IMMEDIATE))


def test_a_planned_switchover_is_at_most_a_black_out_within_its_own_time(pair: EmbeddedServer, drill: Drill) -> None:
    before = drill.sink.probes[-1].host
    assert_out_at_most_in(drill, done(drill, pair, LabAction.SWITCHOVER))
    hosts = {str(host) for host in pair.target("drilled").hosts}
    wait_until(lambda: {before, drill.sink.probes[-1].host} == hosts, "the probe has followed")
