"""Whole runs through outages of a real server: what is counted, what the probe sees, and that everybody comes back."""

import signal
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace

import psutil
import pytest

from engine.analysis.totals import RunTotals
from engine.histogram import merge, unpack, value_of
from engine.plan.clients import ClientPlan
from engine.record.record import Phases
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.child_processes import processes_of_runs
from tests.doubles.frozen import frozen, session_process
from tests.doubles.proxy import SilentProxy
from tests.engine.conftest import BuiltStore
from tests.engine.driver.drills import IMPATIENT, PATIENT, THINK_TIME_MS, THREADS, Drill, drilled
from tests.waiting import wait_until

SHORT_THINK_TIME_MS = 20


def froze(drill: Drill, seconds: int) -> tuple[float, float]:
    """Freeze the server until so many seconds are told; when that began and ended, in seconds of the run."""
    with drill.store.connect() as connection:
        hold: AbstractContextManager[None] = frozen(connection)
        with hold:
            began = drill.at()
            drill.let_pass(seconds)
            ended = drill.at()
    return began, ended


def assert_seen(drill: Drill, began: float, ended: float) -> None:
    outage = drill.outage_at((began + ended) / 2)
    assert outage.begin == pytest.approx(began, abs=drill.margin_seconds)
    assert outage.end == pytest.approx(ended, abs=drill.margin_seconds)


def test_freeze_shorter_than_the_timeout_is_only_a_gap(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT) as drill:
        began, ended = froze(drill, 5)
        drill.let_pass(2)

    assert_seen(drill, began, ended)
    assert drill.sink.total("in_doubt") == drill.sink.total("reconnects") == 0
    assert set(drill.sink.errors()) <= {"deadlock"}
    # In the first second an answer that had come may be read late.
    gap = [sample for sample in drill.sink.samples if began + 1 < sample.second and sample.second + 1 < ended]
    assert gap
    assert {sample.of("order").n for sample in gap} == {0}
    assert {sample.working + sample.thinking for sample in gap} == {THREADS}


def waits_us(samples: Iterable[Sample], least_us: int = 0) -> list[tuple[float, int]]:
    """How long the overdue orders of these seconds waited, and how many did, the longest first."""
    counts = merge(unpack(sample.overdue or b"") for sample in samples)
    return [(value_of(each), counts[each]) for each in sorted(counts, reverse=True) if value_of(each) >= least_us]


def test_stall_is_visible_in_intended_times(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT, think_time_ms=SHORT_THINK_TIME_MS) as drill:
        began, ended = froze(drill, 3)
        wait_until(lambda: drill.sink.total("orders") >= 200 * THREADS, "the stalled orders are one in two hundred")
        drill.let_pass(1)

    samples = drill.sink.samples
    client = ClientPlan(number=1, label="ds2", target=built_store.target)
    phases = Phases(warming_up_from=0, measuring_from=0, measuring_to=samples[-1].second + 1)
    totals = RunTotals("dvdstore", [client], phases).add_all(samples).totals()
    stalled_ms = 1000 * (ended - began)
    # One in two hundred was stalled; a machine that stands still delays one of each user's more.
    assert totals.times.p95 < 0.2 * stalled_ms < 0.8 * stalled_ms < totals.intended.p99

    before = [sample for sample in samples if sample.second + 1 < began]
    mean_ms = (
        sum(sample.of("order").sum_us for sample in before) / sum(sample.of("order").n for sample in before) / 1000
    )
    due = THREADS * 0.5 * stalled_ms / (SHORT_THINK_TIME_MS + mean_ms)
    waited_long = sum(count for _, count in waits_us(samples, least_us=round(500 * stalled_ms)))
    assert waited_long == pytest.approx(due, rel=0.5)


def test_freeze_beyond_the_timeout_reconnects_users_without_a_burst(
    built_store: BuiltStore,
) -> None:
    with drilled(built_store, IMPATIENT) as drill:
        began, ended = froze(drill, 5)
        samples = drill.await_users()
        drill.let_pass(3)

    assert_seen(drill, began, ended)
    sink = drill.sink
    assert sink.total("reconnects") >= THREADS
    assert sink.errors()["timeout"] >= THREADS
    after = [sample.of("order").n for sample in sink.samples if sample.second >= int(ended)]
    # Each user thinks before it orders again: in three seconds they order no more than if no answer took any time.
    assert sum(after[:3]) <= 1.5 * 3 * THREADS * 1000 / THINK_TIME_MS
    assert sum(after) > 0
    assert samples[-1].working + samples[-1].thinking == THREADS
    # An order that failed stays due: its wait ends only when one goes through, after the cut and the reconnect.
    longest_us, _ = waits_us(sink.samples)[0]
    assert longest_us / 1e6 > ended - began - 0.5

    (lost, *_), (*_, back) = sink.events_of(EventKind.CONNECTION_LOST), sink.events_of(EventKind.CONNECTION_BACK)
    assert began < lost.at_seconds < ended
    assert ended <= back.at_seconds
    assert "first after" in back.detail
    assert "last" in back.detail


def test_silent_network_loses_no_user_permanently(built_store: BuiltStore) -> None:
    (server,) = built_store.target.hosts
    with (
        SilentProxy(server) as proxy,
        drilled(built_store, IMPATIENT, replace(built_store.target, hosts=(proxy.host,))) as drill,
    ):
        began = drill.at()
        assert proxy.silence() >= THREADS + 1
        silent_from = drill.at()
        wait_until(lambda: drill.sink.total("reconnects") >= THREADS, "every user has been cut and is back")
        drill.let_pass(2)

    outage = drill.outage_at(silent_from + 0.5)
    assert outage.begin == pytest.approx(began, abs=drill.margin_seconds)
    assert outage.end == pytest.approx(began + 1.0, abs=0.2 + drill.margin_seconds)  # then the probe has connected anew
    # Users are cut a think time apart at most: where the first is back before the last is cut, in more than one wave.
    back = sum(back.data["users"] for back in drill.sink.events_of(EventKind.CONNECTION_BACK))
    assert THREADS <= back <= drill.sink.total("reconnects")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_killed_backend_disconnects_all_users_and_all_return(built_store: BuiltStore) -> None:
    with drilled(built_store, PATIENT) as drill:
        with built_store.connect() as connection:
            session_process(connection).kill()
        wait_until(lambda: drill.sink.total("reconnects") >= THREADS, "every user has been cut and is back")
        drill.await_users()
        wait_until(lambda: all(outage.end is not None for outage in drill.outages()), "the probe is back")

    assert drill.sink.total("reconnects") >= THREADS
    lost = drill.sink.events_of(EventKind.CONNECTION_LOST)
    assert sum(int(each.label.removeprefix("connection lost ×")) for each in lost) >= THREADS
    # What failed, that it is lost, and that it is back: each of its own moment, however late the client told of it.
    failed = min(drill.sink.events_of(EventKind.TARGET_ERROR), key=lambda event: event.at_seconds)
    back, *_ = drill.sink.events_of(EventKind.CONNECTION_BACK)
    assert failed.at_seconds <= lost[0].at_seconds < back.at_seconds


def test_run_continues_with_a_warning_after_losing_its_probe(built_store: BuiltStore) -> None:
    def told() -> list[RunEvent]:
        return [each for each in drill.sink.events_of(EventKind.WARNING) if each.label == "the probe was lost"]

    with drilled(built_store, PATIENT) as drill:
        (probe,) = (
            child for child in processes_of_runs(psutil.Process()) if child.pid not in drill.run.client_pids.values()
        )
        probe.kill()
        wait_until(told, "the loss is told")
        samples = len(drill.sink.samples)
        wait_until(lambda: len(drill.sink.samples) >= samples + 2, "the run goes on")

    (warning,) = told()
    assert "signal 9" in warning.detail
