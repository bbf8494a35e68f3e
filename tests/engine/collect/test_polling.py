import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import cast

import pytest

from engine.collect import polling
from engine.collect.clock import utc_now
from engine.collect.polling import poll
from engine.collect.source import SourceReading
from engine.errors import UserError


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def now() -> SourceReading:
    return SourceReading(values=(), here_utc_seconds=utc_now())


class Clock:
    """Stands in for ``time`` and for the event that stops the readings: time passes by their waits alone."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False

    def is_set(self) -> bool:
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(polling, "time", clock)
    return clock


def moments_asked(clock: Clock, answers_take_seconds: Sequence[float]) -> list[float]:
    """When each question of a source that is asked every 0.1 s is asked, from the first one on."""
    began, asked = clock.now, list[float]()

    def ask() -> SourceReading:
        asked.append(clock.now - began)
        clock.now += answers_take_seconds[len(asked) - 1]
        return now()

    with closing(poll(ask, 0.1, cast(threading.Event, clock))) as readings:
        for _ in answers_take_seconds:
            next(readings)
    return asked


def test_readings_are_the_interval_apart_whatever_an_answer_takes(clock: Clock) -> None:
    assert moments_asked(clock, [0.03, 0.0, 0.06, 0.03]) == pytest.approx([0.0, 0.1, 0.2, 0.3])


def test_a_late_answer_is_followed_by_a_gap_and_no_burst(clock: Clock) -> None:
    assert moments_asked(clock, [0.0, 0.35, 0.0, 0.0]) == pytest.approx([0.0, 0.1, 0.5, 0.6])


def test_what_is_no_reading_yet_is_left_out(stop: threading.Event) -> None:
    answers = iter((None, now(), None, now()))
    readings = poll(lambda: next(answers), 0.01, stop)
    assert len([next(readings), next(readings)]) == 2


def test_it_stops_while_a_question_waits_for_its_answer(stop: threading.Event) -> None:
    asked, released, closed = threading.Event(), threading.Event(), threading.Event()

    def ask() -> SourceReading:
        asked.set()
        released.wait(300)
        return now()

    def stop_when_asked() -> None:
        asked.wait(300)
        stop.set()

    threading.Thread(target=stop_when_asked).start()
    began = time.monotonic()
    assert list(poll(ask, 1.0, stop, close=closed.set)) == []
    assert time.monotonic() - began < 150  # and not 300
    assert not closed.is_set()
    released.set()
    assert closed.wait(60)


def test_it_stops_between_two_questions(stop: threading.Event) -> None:
    readings = poll(now, 60.0, stop)
    next(readings)
    stop.set()
    assert list(readings) == []


def test_what_the_question_raises_is_raised_and_everything_freed(stop: threading.Event) -> None:
    closed = threading.Event()

    def ask() -> SourceReading:
        raise UserError("the meter was unplugged; plug it in again.")

    with pytest.raises(UserError, match="unplugged"):
        next(poll(ask, 1.0, stop, close=closed.set))
    assert closed.wait(60)
