"""What a run puts on its charts."""

import pytest

from engine.record.record import Phases
from engine.telemetry.event import EventKind, RunEvent
from widgets.parts.chart.run import chart_marks, clock_origin, phase_bands
from widgets.parts.look import LIGHT


@pytest.mark.parametrize(
    ("phases", "end", "bands"),
    [
        (Phases(), 0, []),
        (Phases(), 7, [("ramp", 0, 7)]),
        (
            Phases(warming_up_from=10, measuring_from=30),
            99,
            [("ramp", 0, 10), ("warm-up", 10, 30), ("measuring", 30, 99)],
        ),
        (Phases(warming_up_from=0, measuring_from=0, measuring_to=50), 55, [("measuring", 0, 50), ("", 50, 55)]),
        (
            Phases(warming_up_from=5, measuring_from=9, measuring_to=50),
            20,
            [("ramp", 0, 5), ("warm-up", 5, 9), ("measuring", 9, 50)],
        ),
    ],
)
def test_each_phase_has_a_band(phases: Phases, end: int, bands: list[tuple[str, int, int]]) -> None:
    assert [(band.word, band.first, band.end) for band in phase_bands(phases, end)] == bands


def test_bands_have_look_colours_and_optional_text() -> None:
    ramp, warm_up = phase_bands(Phases(warming_up_from=5), 9, words=False)

    assert (ramp.colour(LIGHT), warm_up.colour(LIGHT)) == (LIGHT.band_ramp, LIGHT.band_warmup)
    assert ramp.word == warm_up.word == ""


def test_injections_are_fixed_marks() -> None:
    events = [
        RunEvent(number=1, at_seconds=40, kind=EventKind.INJECTION, label="Kill primary"),
        RunEvent(number=2, at_seconds=45, kind=EventKind.FAULT_END, label="Restored: kill primary"),
        RunEvent(number=3, at_seconds=50, kind=EventKind.FAULT_END, label="Restored", by_hand=True),
        RunEvent(number=4, at_seconds=51, kind=EventKind.PROBE, label="another host answers"),
    ]

    assert [(mark.number, mark.is_fixed) for mark in chart_marks(events)] == [(1, True), (2, True), (3, False)]


def test_only_marks_and_injections_are_drawn_as_marks() -> None:
    events = [
        RunEvent(number=1, at_seconds=3, kind=EventKind.PHASE, label="warming up"),
        RunEvent(number=2, at_seconds=4.5, kind=EventKind.MARK, label="Failover"),
    ]

    assert [(mark.number, mark.at_seconds, mark.label) for mark in chart_marks(events)] == [(2, 4.5, "Failover")]


def test_clock_starts_at_measuring() -> None:
    assert clock_origin(Phases()) == (0, "since the start")
    assert clock_origin(Phases(warming_up_from=3, measuring_from=60)) == (60, "since measuring began")
