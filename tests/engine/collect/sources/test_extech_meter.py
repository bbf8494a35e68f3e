"""The meter over a real terminal, with a double of the device that speaks its protocol at the other end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.collect.sources.extech_meter import extech_source, watts_of
from engine.errors import UserError
from engine.machines.access import SerialMeterAccess
from engine.telemetry.host import HostValue
from tests.doubles.extech_meter import ExtechMeter, packet

GARBAGE = b"\x02\x00garbage\x03\xff"


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question each 10 ms instead of each second, and time for its answer, which comes late on a busy machine."""
    monkeypatch.setattr("engine.collect.sources.extech_meter._LEAST_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr("engine.collect.sources.extech_meter._ANSWER_SECONDS", 20.0)
    monkeypatch.setattr("engine.collect.sources.extech_meter._LOOK_SECONDS", 0.01)


def source_of(port: str) -> PolledSource:
    return extech_source(SerialMeterAccess(port=port), machine="meter", interval_seconds=0.01)


def in_turn(*answers: bytes) -> Callable[[], bytes]:
    left = list(answers)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def watts_read(meter: ExtechMeter, stop: threading.Event, count: int) -> list[float]:
    with closing(source_of(meter.port).readings(stop)) as readings:
        return [only(next(readings)).value for _ in range(count)]


def only(reading: SourceReading) -> HostValue:
    (value,) = reading.values
    return value


@pytest.mark.parametrize(
    ("received", "watts"),
    [
        # The protocol's own: sign, digits 0 1 9 7, one decimal place, written bit by bit.
        (bytes((2, 0, 0b0110_0001, 0b1011_1010, 3)) + 3 * bytes((2, 0, 0, 0, 3)), 19.7),
        (packet("197.4"), 197.4),
        (packet("1999"), 1999.0),
        (packet("0.000"), 0.0),
        (packet("12.5", sign="-"), -12.5),
        (GARBAGE + packet("83.1"), 83.1),
        (packet("83.1")[:-1], None),
        (b"", None),
        (bytes((2, 0, 0b0011_1101, 0b0000_0000, 3)) + 3 * bytes((2, 0, 0, 0, 3)), None),
    ],
)
def test_an_answer(received: bytes, watts: float | None) -> None:
    assert watts_of(received) == watts


@given(st.integers(0, 1999), st.integers(0, 3), st.sampled_from("+-"))
def test_every_number_that_the_meter_can_show(number: int, places: int, sign: str) -> None:
    digits = f"{number:04}"
    shown = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    assert watts_of(packet(shown, sign=sign)) == pytest.approx(float(sign + shown))


@given(st.binary(max_size=60))
def test_noise_never_raises(noise: bytes) -> None:
    watts = watts_of(noise)
    assert watts is None or abs(watts) <= 1999


def test_watts_over_a_terminal(stop: threading.Event) -> None:
    with ExtechMeter(in_turn(packet("197.4"), packet("198.0"))) as meter:
        with closing(source_of(meter.port).readings(stop)) as readings:
            first, second = next(readings), next(readings)
        assert only(first) == HostValue("", "Power", "W", 197.4)
        assert only(second).value == 198.0
        assert second.here_utc_seconds > first.here_utc_seconds
        assert first.source_utc_seconds is None


def test_garbage_and_half_packets_are_left_out(stop: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.sources.extech_meter._ANSWER_SECONDS", 2.0)
    half = packet("150.0")[:11]
    with ExtechMeter(in_turn(packet("197.4"), GARBAGE, half, GARBAGE + packet("12.5"), half, packet("198.0"))) as meter:
        assert watts_read(meter, stop, 3) == [197.4, 12.5, 198.0]


def test_the_rest_of_a_late_answer_is_none_to_the_next_question(stop: threading.Event) -> None:
    with ExtechMeter(in_turn(packet("197.4") + packet("150.0"), packet("198.0"))) as meter:
        assert watts_read(meter, stop, 2) == [197.4, 198.0]


def test_a_meter_that_says_nothing_is_reported_and_so_is_one_of_another_kind(
    stop: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.collect.sources.extech_meter._ANSWER_SECONDS", 1.0)
    with ExtechMeter(lambda: b"230V\r\n") as meter, pytest.raises(UserError, match=r"garbled answers .32 33 30 56"):
        watts_read(meter, stop, 1)
    monkeypatch.setattr("engine.collect.sources.extech_meter._ANSWER_SECONDS", 0.05)
    with ExtechMeter(lambda: b"") as meter, pytest.raises(UserError, match="gives no answer; check that it is on"):
        watts_read(meter, stop, 1)


def test_a_meter_that_is_unplugged_in_the_run(stop: threading.Event) -> None:
    with ExtechMeter(lambda: packet("197.4")) as meter, closing(source_of(meter.port).readings(stop)) as readings:
        next(readings)
        meter.unplug()
        with pytest.raises(UserError, match=rf"^meter: the meter on {meter.port} can't be read .*plugged in"):
            for _ in readings:
                pass


def test_a_port_that_is_not_there(stop: threading.Event) -> None:
    with pytest.raises(UserError, match=r"the meter on /dev/ttyUSB77 can't be read .*No such file"):
        next(source_of("/dev/ttyUSB77").readings(stop))
