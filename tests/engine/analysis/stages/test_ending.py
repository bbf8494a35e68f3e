"""Which condition ends a staircase, on figures made by hand."""

import pytest

from engine.analysis.headline import headline_of
from engine.analysis.stages.backlog import LIMIT_SECONDS, Backlog, is_held
from engine.analysis.stages.ending import Reason, ending_of
from engine.figure_text import plain_spaces
from engine.plan.load.staircase import Staircase
from engine.record.totals import ResponseTimes, StageTotals
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workload.registry import DVD_STORE

OPM = headline_of(DVD_STORE)
STAIRCASE = Staircase(users=10, seconds=120)


def stages(*figures: tuple[int, float]) -> list[StageTotals]:
    """Stages of 90 seconds that count, of the given throughputs and 95th percentiles."""
    return [
        StageTotals(
            number=number,
            users=10 * number,
            first_second=60 + 120 * (number - 1) + 30,
            seconds=90,
            headline=opm,
            count=opm * 90 // 60,
            times=ResponseTimes(p95=p95),
        )
        for number, (opm, p95) in enumerate(figures, start=1)
    ]


def limit(at_seconds: float, lasted: float | None, code: EventCode = EventCode.WORKSTATION_BOTTLENECK) -> RunEvent:
    data = {"lasted_seconds": lasted, "how": "busy", "busy_pct": 99}
    return RunEvent(at_seconds=at_seconds, kind=EventKind.WARNING, label="busy", code=code, data=data)


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ([(1_000, 50.0)], None),
        ([(1_000, 50.1)], Reason.P95),
        ([(1_000, 9.0), (1_020, 9.0)], None),
        ([(1_000, 9.0), (1_019, 9.0)], Reason.GROWTH),
        ([(1_000, 9.0), (900, 9.0)], Reason.GROWTH),
        ([(1_000, 9.0), (900, 51.0)], Reason.P95),
        ([(0, 9.0), (0, 9.0)], None),  # nothing has grown from nothing: there is no share to judge
    ],
)
def test_end_conditions(figures: list[tuple[int, float]], reason: Reason | None) -> None:
    found = ending_of(STAIRCASE, stages(*figures), OPM, [])
    assert (None if found is None else found.reason) is reason


def test_condition_that_is_turned_off_ends_nothing() -> None:
    endless = Staircase(users=10, seconds=120, p95_limit_ms=0, least_growth_pct=0)
    assert ending_of(endless, stages((1_000, 900.0), (10, 900.0)), OPM, []) is None


@pytest.mark.parametrize(
    ("event", "is_limit"),
    [
        (limit(100, None), True),
        (limit(85, 5.1), True),  # the stage counts from 90 on
        (limit(85, 5.0), False),
        (limit(179.9, None), True),
        (limit(180, None), False),
        (limit(100, None, EventCode.WORKSTATION_NETWORK), True),
        (limit(100, None, EventCode.WORKSTATION_BUSY), False),
    ],
)
def test_workstation_that_is_the_limit_ends_it_and_says_so(event: RunEvent, is_limit: bool) -> None:
    found = ending_of(STAIRCASE, stages((1_000, 900.0)), OPM, [event])
    assert found is not None
    assert found.reason is (Reason.WORKSTATION if is_limit else Reason.P95)
    assert ("at 10 users this workstation was the limit" in found.text) is is_limit


@pytest.mark.parametrize(
    ("spells", "share"),
    [
        ([(100, 4.4)], None),  # less than 5 % of the 90 s that count, from 90 on
        ([(100, 4.6)], "5"),
        ([(85, 9.0)], None),
        ([(100, 2.5), (150, 2.5)], "6"),
        ([(171, None)], "10"),
        ([(180, None)], None),
    ],
)
def test_workstation_that_distorts_a_stage_ends_it_whatever_its_figures(
    spells: list[tuple[float, float | None]], share: str | None
) -> None:
    events = [limit(at, lasted, EventCode.WORKSTATION_DISTORTION) for at, lasted in spells]
    found = ending_of(STAIRCASE, stages((1_000, 9.0)), OPM, events)
    if share is None:
        assert found is None
    else:
        assert found is not None
        assert found.reason is Reason.WORKSTATION
        assert plain_spaces(found.text).startswith(f"at 10 users this workstation distorted {share} % of the seconds,")


def test_reason_is_reported_with_what_it_rests_on() -> None:
    found = ending_of(STAIRCASE, stages((10_000, 9.0), (10_100, 20.0)), OPM, [])
    assert found is not None
    assert found.text == ("OPM changed by 1.0\u202f% from 10 users to 20 users, less than 2.0\u202f% of growth")
    assert found.data == {"stage": 2, "throughput": 10_100, "p95_ms": 20.0, "growth_pct": 1.0}


def backlog(queues: list[int], **fields: int) -> Backlog:
    found = Backlog(1)
    for second, queue in enumerate(queues):
        found.add(Sample(client=1, second=second, queue=queue, **fields))
    return found


def test_queue_that_grows_for_the_limit_outgrows_its_rate() -> None:
    growing = [10 * second for second in range(LIMIT_SECONDS)]
    assert backlog(growing).has_outgrown(50)
    assert backlog(growing).queue == 590
    assert not backlog(growing[:-1]).has_outgrown(50)
    assert not backlog(growing).has_outgrown(600)  # it is less than a second's worth


def test_queue_that_shrinks_for_a_while_has_not_outgrown_its_rate() -> None:
    stalled = [1_000 + 10 * second for second in range(30)] + [1_300 - 30 * second for second in range(LIMIT_SECONDS)]
    assert not backlog(stalled).has_outgrown(50)


def test_seconds_of_an_outage_do_not_count() -> None:
    growing = [10 * second for second in range(LIMIT_SECONDS)]
    assert not backlog(growing, reconnecting=1).has_outgrown(50)
    assert not backlog(growing, down=1).has_outgrown(50)


def test_queue_is_that_of_all_clients() -> None:
    found = Backlog(2)
    for second in range(LIMIT_SECONDS):
        for client in (1, 2):
            found.add(Sample(client=client, second=second, queue=second))
    assert found.queue == 2 * (LIMIT_SECONDS - 1)
    assert found.has_outgrown(100)


@pytest.mark.parametrize(
    ("count", "due", "held"),
    [(980, 1_000, True), (10_000, 10_000, True), (79, 100, True), (69, 100, False), (9_699, 10_000, False)],
)
def test_rate_is_held_within_two_per_cent_or_what_chance_explains(count: int, due: float, held: bool) -> None:
    assert is_held(count, due) is held
