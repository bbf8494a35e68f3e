"""Whole runs by stages and at a rate, on the session's embedded server."""

import os
import signal
from dataclasses import replace

import pytest

from engine.driver.run import Run
from engine.driver.run_loads import RunLoad
from engine.errors import UserError
from engine.plan.load.profile import LoadProfile
from engine.plan.load.stage import Stage
from engine.plan.load.staircase import Staircase
from engine.record.record import RunState
from engine.telemetry.event import EventCode, EventKind
from engine.telemetry.sample import Sample
from engine.workload.pacing import PacedStage, PacingPlan
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, start_of
from tests.waiting import wait_until

STAGES = (
    Stage(users=1, seconds=4, settle_seconds=1),
    Stage(users=5, seconds=4, settle_seconds=1, think_time_ms=0),
    Stage(users=2, seconds=4, settle_seconds=1),
)


def staged_run(
    store: BuiltStore,
    sink: Gathering,
    *,
    stages: tuple[Stage, ...] = STAGES,
    rate: float | None = None,
    staircase: Staircase | None = None,
    threads: int = 6,
    measured_seconds: int = 0,
) -> Run:
    """A run of two clients, which share its load."""
    profile = None if rate is not None else LoadProfile(stages=stages, staircase=staircase)
    shares = [
        tuple(
            PacedStage(
                seconds=stage.seconds,
                users=(stage.users or 0) // 2 + (client if (stage.users or 0) % 2 else 0),
                think_seconds=0.005 if stage.think_time_ms is None else stage.think_time_ms / 1000,
                rate=(rate or stage.rate or 0) / 60,
            )
            for stage in stages
        )
        for client in range(2)
    ]
    starts = [
        replace(
            start_of(store.target, store.secret, client=client + 1, threads=threads // 2),
            pacing=PacingPlan(stages=share, client=client, clients=2),
        )
        for client, share in enumerate(shares)
    ]
    return Run(
        starts=starts,
        labels={1: "ds2 #1", 2: "ds2 #2"},
        warmup_seconds=1,
        measured_seconds=measured_seconds or sum(stage.seconds for stage in stages),
        sinks=[sink],
        loads=[RunLoad(clients=2, profile=profile, rate=rate)],
    )


def seconds_of(sink: Gathering, first: int, end: int) -> list[list[Sample]]:
    """The samples of both clients by second, of those that have both."""
    by_second = {second: [each for each in sink.samples if each.second == second] for second in range(first, end)}
    return [samples for samples in by_second.values() if len(samples) == 2]


def test_users_are_active_by_stage(built_store: BuiltStore) -> None:
    sink = Gathering()
    run = staged_run(built_store, sink)
    run.start()
    with pytest.raises(UserError, match="lasts as long as its stages"):
        run.extend(60)
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    assert run.phases.measuring_from is not None
    began = [event for event in sink.events if event.code is EventCode.STAGE_BEGAN]
    assert [event.at_seconds - run.phases.measuring_from for event in began] == [0, 4, 8]
    assert [event.data["users"] for event in began] == [1, 5, 2]
    for span in LoadProfile(stages=STAGES).spans(run.phases.measuring_from):
        seconds = seconds_of(sink, span.counts_from, span.ends - 1)
        assert seconds
        *_, last = seconds  # users of a machine that stood still come and go later
        assert sum(each.inactive for each in last) == 6 - (span.stage.users or 0)
        assert sum(each.working + each.thinking for each in last) == span.stage.users
        assert sum(each.of("order").n for samples in seconds for each in samples)
    assert sum(each.reconnects for each in sink.samples) == 0  # all connected once, and stayed so


def test_rate_that_is_held_is_what_is_placed(built_store: BuiltStore) -> None:
    sink = Gathering()
    run = staged_run(built_store, sink, stages=(Stage(rate=600, seconds=10),), rate=600, measured_seconds=10)
    run.start()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    first, end = run.phases.measuring_from, run.phases.measuring_to
    assert first is not None
    assert end is not None
    assert end - first == 10
    orders = sum(each.of("order").n for each in sink.samples if first <= each.second < end)
    assert abs(orders - 100) <= 9 * 10  # nine standard deviations of Poisson arrivals
    assert orders > 30
    assert not [event for event in sink.events if event.code is EventCode.RATE_NOT_HELD]


def test_rate_that_can_not_be_held_ends_the_run_in_one_sentence(
    built_store: BuiltStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("backlog.LIMIT_SECONDS", 6), ("backlog.WINDOW_SECONDS", 1)):
        monkeypatch.setattr(f"engine.analysis.stages.{name}", seconds)
    sink = Gathering()
    stages = (
        Stage(rate=60, seconds=5, settle_seconds=0),
        Stage(rate=3_000_000, seconds=100, settle_seconds=0),
    )
    run = staged_run(built_store, sink, stages=stages)
    run.start()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    (told,) = [event for event in sink.events if event.code is EventCode.RATE_NOT_HELD]
    assert told.kind is EventKind.WARNING
    assert told.data["rate"] == 3_000_000
    assert told.data["held_rate"] == 60
    assert told.data["queue"] > 100_000
    sentence, _, distorted = told.label.partition("; this workstation distorted ")
    assert sentence.endswith("the highest rate that held was 60 OPM")
    assert bool(distorted) is told.data["workstation_limited"]  # by what else this machine does
    assert run.phases.measuring_to == told.at_seconds
    assert sum(each.of("order").n for each in sink.samples) > 0
    assert max(each.queue for each in sink.samples) > 10_000


def test_staircase_ends_by_the_figures_of_the_stage_that_is_over(built_store: BuiltStore) -> None:
    """Every stage takes longer than a microsecond, and the second is never reached."""
    sink = Gathering()
    staircase = Staircase(users=2, seconds=3, p95_limit_ms=0.001)
    run = staged_run(built_store, sink, stages=staircase.stages(6), staircase=staircase)
    run.start()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    first = run.phases.measuring_from
    assert first is not None
    (told,) = [event for event in sink.events if event.code is EventCode.STAIRCASE_ENDED]
    assert told.data["reason"] in ("p95", "workstation")  # one that is too slow comes first
    assert told.data["stage"] == 1
    assert told.at_seconds == run.phases.measuring_to == first + 3


def test_staircase_whose_last_step_meets_no_condition_says_so(built_store: BuiltStore) -> None:
    sink = Gathering()
    staircase = Staircase(users=3, seconds=3, p95_limit_ms=0, least_growth_pct=0)
    run = staged_run(built_store, sink, stages=staircase.stages(6), staircase=staircase)
    run.start()
    assert run.wait(OVER_SECONDS)

    (told,) = [event for event in sink.events if event.code is EventCode.STAIRCASE_ENDED]
    # On a workstation that is too slow, that is the limit.
    assert told.data["reason"] in ("last step", "workstation")


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 here")
def test_killed_client_leaves_what_was_measured_in_its_stage(built_store: BuiltStore) -> None:
    sink = Gathering()
    run = staged_run(built_store, sink)
    run.start()
    wait_until(
        lambda: len([event for event in sink.events if event.code is EventCode.STAGE_BEGAN]) == 2, "stage 2 began"
    )
    os.kill(run.client_pids[1], signal.SIGKILL)
    assert run.wait(OVER_SECONDS)

    assert run.phases.measuring_from is not None
    assert {event.client for event in sink.events_of(EventKind.CLIENT_LOST)} <= {1, 2}
    assert sum(each.of("order").n for each in sink.samples if each.second < run.phases.measuring_from + 4) > 0
