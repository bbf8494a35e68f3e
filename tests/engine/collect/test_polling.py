import threading
import time
from collections.abc import Iterator

import pytest

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


def test_readings_are_the_interval_apart_whatever_an_answer_takes(stop: threading.Event) -> None:
    def ask() -> SourceReading:
        reading = now()
        time.sleep(0.03)
        return reading

    readings = poll(ask, 0.1, stop)
    times = [next(readings).here_utc_seconds for _ in range(6)]
    assert times[5] - times[0] == pytest.approx(0.5, abs=0.09)


def test_a_late_answer_is_followed_by_a_gap_and_no_burst(stop: threading.Event) -> None:
    late = iter((0.0, 0.35, 0.0, 0.0))
    asked: list[float] = []

    def ask() -> SourceReading:
        asked.append(time.monotonic())
        time.sleep(next(late))
        return now()

    readings = poll(ask, 0.1, stop)
    for _ in range(4):
        next(readings)
    intervals = [round((moment - asked[0]) / 0.1) for moment in asked]
    assert intervals[1] == 1
    assert intervals[2] >= 5
    assert len(set(intervals)) == 4


def test_what_is_no_reading_yet_is_left_out(stop: threading.Event) -> None:
    answers = iter((None, now(), None, now()))
    readings = poll(lambda: next(answers), 0.01, stop)
    assert len([next(readings), next(readings)]) == 2


def test_it_stops_while_a_question_waits_for_its_answer(stop: threading.Event) -> None:
    asked, released, closed = threading.Event(), threading.Event(), threading.Event()

    def ask() -> SourceReading:
        asked.set()
        released.wait(30)
        return now()

    def stop_when_asked() -> None:
        asked.wait(30)
        stop.set()

    threading.Thread(target=stop_when_asked).start()
    began = time.monotonic()
    assert list(poll(ask, 1.0, stop, close=closed.set)) == []
    assert time.monotonic() - began < 5  # and not 30
    assert not closed.is_set()
    released.set()
    assert closed.wait(10)


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
    assert closed.wait(10)
