"""A collector goes on whatever its source does, and passes on what is true of a reading's time."""

import re
import threading
from dataclasses import replace

import pytest

from engine.collect import collector as collector_module
from engine.collect.clock import utc_now
from engine.collect.collector import Collector
from engine.errors import UserError
from engine.telemetry.host import CollectorState, HostReading
from tests.engine.collect.scripted import Scripted, reading_here, reading_there
from tests.waiting import wait_until


class Watched:
    """A collector on a thread, and what it has emitted."""

    def __init__(self, source: Scripted) -> None:
        self.readings: list[HostReading] = []
        self.stop = threading.Event()
        self.collector = Collector(3, "db1", source, self.readings.append)
        self.thread = threading.Thread(target=self.collector.run, args=(self.stop,), daemon=True)
        self.thread.start()

    def end(self) -> None:
        self.stop.set()
        self.thread.join(60)
        assert not self.thread.is_alive()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector_module, "_FIRST_PAUSE_SECONDS", 0.02)
    monkeypatch.setattr(collector_module, "_LONGEST_PAUSE_SECONDS", 0.08)


@pytest.mark.usefixtures("quick")
def test_a_source_that_fails_is_tried_again_and_read_on() -> None:
    source = Scripted([[reading_here()], [], [reading_here()]], error=UserError("db1 is gone; start it."))
    watched = Watched(source)
    wait_until(lambda: len(watched.readings) == 2, "the source is read again")
    wait_until(lambda: watched.collector.status().state is CollectorState.FAILING, "the script is over")
    status = watched.collector.status()
    assert (status.message, status.readings, status.number) == ("db1 is gone; start it.", 2, 3)
    watched.end()
    assert watched.collector.status().state is CollectorState.ENDED
    assert source.closed == len(source.connections) >= 3


@pytest.mark.usefixtures("quick")
def test_pauses_become_longer_up_to_a_limit() -> None:
    source = Scripted([], error=UserError("nobody is there."))
    watched = Watched(source)
    wait_until(lambda: len(source.connections) >= 6, "it is tried again")
    watched.end()
    pauses = [later - earlier for earlier, later in zip(source.connections, source.connections[1:], strict=False)]
    for pause, least in zip(pauses, (0.02, 0.04, 0.08, 0.08, 0.08), strict=False):
        assert pause >= least


@pytest.mark.usefixtures("quick")
def test_an_error_of_ours_says_where_it_is_and_nothing_of_its_text() -> None:
    watched = Watched(Scripted([], error=ValueError("a password")))
    wait_until(lambda: watched.collector.status().state is CollectorState.FAILING, "the error is seen")
    watched.end()
    message = watched.collector.status().message
    assert re.fullmatch(r"reading db1 failed inside Spindle: ValueError in scripted\.py, line \d+\.", message)


def test_readings_are_timed_by_this_workstations_clock() -> None:
    began = utc_now()
    watched = Watched(Scripted([[reading_there(-3600.0)]]))
    wait_until(lambda: watched.readings, "it is read")
    watched.end()
    assert began - 0.01 <= watched.readings[0].utc_seconds <= utc_now() + 0.01
    status = watched.collector.status()
    assert status.offset_seconds == pytest.approx(-3600.0, abs=0.01)
    assert status.offset_error_seconds == pytest.approx(0.001, abs=1e-4)


def test_a_reading_that_is_not_later_than_the_last_is_left_out() -> None:
    now = reading_here()
    before = replace(now, here_utc_seconds=now.here_utc_seconds - 1)
    watched = Watched(Scripted([[now, before, now]]))
    wait_until(lambda: watched.collector.status().state is CollectorState.FAILING, "the script is over")
    watched.end()
    assert [reading.utc_seconds for reading in watched.readings] == [now.here_utc_seconds]
    assert watched.collector.status().readings == 1


def test_silence_counts_as_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector_module, "_LEAST_SILENT_SECONDS", 0.05)
    collector = Collector(1, "db1", Scripted([], interval_seconds=0.001), lambda _: None)
    assert collector.status().state is CollectorState.WAITING
    wait_until(lambda: collector.status().state is CollectorState.FAILING, "the silence is seen")
    assert "db1 has given no reading for" in collector.status().message
