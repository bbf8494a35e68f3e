"""The words of an interval, and the same as figures: both of one interval."""

import json
import re
from math import ceil, floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.driver.saturation import (
    CLIENTS,
    FAILED,
    GC_PAUSE,
    HEARTBEAT,
    LIMITS,
    LINK,
    MACHINE,
    WAITED,
    Cause,
    interval_data,
    interval_detail,
    interval_label,
    interval_record,
)
from engine.driver.saturation_intervals import Reading, SaturationInterval
from engine.telemetry.workstation_text import limit_sentence, statement

DVD = headline_of("dvdstore")

MEASURES = [(cause, name) for cause, limits in LIMITS.items() for name in limits]


def distorted(*, is_over: bool) -> SaturationInterval:
    worst = {
        HEARTBEAT: Reading(84.24, "client ds2 #3", 3),
        WAITED: Reading(2.0, "ds2 #1", 1),
        MACHINE: Reading(98.6),
        GC_PAUSE: Reading(0.4, "ds2 #1", 1),
    }
    return SaturationInterval(since=35.2, until=51.7, worst=worst, is_over=is_over)


def _figures(cause: Cause, interval: SaturationInterval) -> dict[str, Any]:
    """The interval in a run's JSON."""
    return interval_record(cause, interval).to_dict()


def test_lasting_interval_is_described_in_the_present() -> None:
    assert interval_label(Cause.DISTORTION, distorted(is_over=False), DVD) == (
        "the workstation distorts the run: a heartbeat of client ds2 #3 comes 84 ms late (p99)"
    )


def test_interval_that_lasted_when_the_run_broke_off_is_described_in_the_past() -> None:
    data = interval_data(Cause.DISTORTION, distorted(is_over=False), DVD)
    assert limit_sentence(Cause.DISTORTION.value, data, is_over=True) == (
        "the workstation distorted the run: a heartbeat of client ds2 #3 came up to 84 ms late (p99)"
    )


def test_finished_interval_is_described_with_its_seconds() -> None:
    assert interval_label(Cause.DISTORTION, distorted(is_over=True), DVD) == (
        "the workstation distorted the run for 17 s: a heartbeat of client ds2 #3 came up to 84 ms late (p99)"
    )


def test_interval_text_has_measures_and_one_remedy() -> None:
    interval = distorted(is_over=True)
    interval.worst[WAITED] = Reading(9.0, "ds2 #1", 1)
    assert interval_detail(Cause.DISTORTION, interval, DVD) == (
        "the processors were 99 % busy; end other work on this workstation, drive the load from a larger one, or with"
        " fewer users"
    )


def test_figures_have_measure_time_amount_and_owner() -> None:
    assert _figures(Cause.DISTORTION, distorted(is_over=True)) == {
        "what": "distortion",
        "from_seconds": 35.2,
        "to_seconds": 51.7,
        "measures": [{"measure": "heartbeat_ms", "worst": 84.24, "limit": 10.0, "process": 3, "interface": None}],
    }


@pytest.mark.parametrize(
    ("cause", "name", "reading", "source"),
    [
        (Cause.NETWORK, LINK, Reading(91.0, "eth0"), (None, "eth0")),
        (Cause.NETWORK, FAILED, Reading(3.0), (None, None)),
        (Cause.BOTTLENECK, CLIENTS, Reading(93.0), (None, None)),
    ],
)
def test_measure_belongs_to_a_process_an_interface_or_all(
    cause: Cause, name: str, reading: Reading, source: tuple[int | None, str | None]
) -> None:
    (measure,) = _figures(cause, SaturationInterval(since=1.0, until=2.0, worst={name: reading}))["measures"]
    assert (measure["process"], measure["interface"]) == source


@given(st.sampled_from(MEASURES), st.floats(1.01, 10), st.floats(0, 90_000), st.floats(0.001, 90_000), st.booleans())
def test_label_and_figures_agree_for_every_measure(
    measure: tuple[Cause, str], times_limit: float, since: float, seconds: float, is_over: bool
) -> None:
    cause, name = measure
    value = LIMITS[cause][name].begins * times_limit
    interval = SaturationInterval(
        since=since, until=since + seconds, worst={name: Reading(value, "ds2 #2", 2)}, is_over=is_over
    )
    label, figures = interval_label(cause, interval, DVD), json.loads(json.dumps(_figures(cause, interval)))
    (told,) = figures["measures"]
    assert told["worst"] == pytest.approx(value, abs=0.001)
    assert f"{value:.0f}" in label or f"{value:.1f}" in label
    verb = statement(cause.value, figures)
    assert label.startswith(verb) is is_over
    if is_over:
        found = re.match(rf"{verb} for ([\d:]+)\s(?:s|min|h): ", label)
        assert found is not None
        lasted = sum(int(part) * 60**place for place, part in enumerate(reversed(found[1].split(":"))))
        assert lasted == max(1, ceil(interval.until) - floor(interval.since))
    assert interval_detail(cause, interval, DVD)
    assert "users" not in interval_detail(Cause.DISTORTION, distorted(is_over=True), headline_of("storage"))


@given(st.sampled_from(MEASURES), st.floats(0, 1))
def test_measures_below_their_limit_are_not_described(measure: tuple[Cause, str], times_limit: float) -> None:
    cause, name = measure
    worst = {name: Reading(LIMITS[cause][name].begins * times_limit)}
    assert _figures(cause, SaturationInterval(since=0.0, until=1.0, worst=worst))["measures"] == []


def test_every_limit_ends_no_higher_than_it_begins() -> None:
    assert all(limit.ends <= limit.begins for limits in LIMITS.values() for limit in limits.values())


def test_what_waits_is_called_as_the_workload_calls_it() -> None:
    interval = SaturationInterval(since=1.0, until=2.0, worst={"order_waited_ms": Reading(9.0, "client 1")})
    assert "a transaction of client 1 waits 9 ms" in interval_label(
        Cause.DISTORTION, interval, headline_of("wholesale")
    )
