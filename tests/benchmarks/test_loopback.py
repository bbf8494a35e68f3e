import pytest

from tests.benchmarks.loopback import beyond_ms
from tests.benchmarks.server_view import LoggedCall
from tests.benchmarks.wire_calls import WireCall

_BEGIN, _END = 100.0, 200.0


def _wire(port: int, *asked_at: float, name: str = "prices") -> list[WireCall]:
    """Each is under way for 8 ms."""
    return [WireCall("spindle", port, name, moment, moment + 0.008) for moment in asked_at]


def _logged(port: int, *ended_at: float, name: str = "prices", milliseconds: float = 2.0) -> list[LoggedCall]:
    return [LoggedCall("spindle", port, name, moment, milliseconds) for moment in ended_at]


def test_what_is_beyond_the_server_is_that_of_the_very_call() -> None:
    logged = _logged(7, 110.005, milliseconds=3.0) + _logged(7, 111.005, milliseconds=5.0)
    found = beyond_ms(_wire(7, 110.0, 111.0), logged, "spindle", "prices", _BEGIN, _END)
    assert found == pytest.approx([5.0, 3.0])


def test_connections_statements_and_other_seconds_are_kept_apart() -> None:
    wire = _wire(7, 99.0, 110.0) + _wire(8, 110.001) + _wire(7, 120.0, name="login")
    logged = _logged(8, 110.006, milliseconds=1.0) + _logged(7, 99.006, 110.005) + _logged(7, 110.004, name="login")
    assert beyond_ms(wire, logged, "spindle", "prices", _BEGIN, _END) == pytest.approx([6.0, 7.0])


def test_a_logged_call_of_which_no_packet_was_seen_is_left_out() -> None:
    logged = _logged(7, 109.0, 110.005, 110.5, milliseconds=4.0)
    assert beyond_ms(_wire(7, 110.0), logged, "spindle", "prices", _BEGIN, _END) == pytest.approx([4.0])


def test_a_moment_of_the_log_is_cut_off_to_milliseconds() -> None:
    logged = _logged(7, 110.000)
    assert beyond_ms(_wire(7, 110.0009), logged, "spindle", "prices", _BEGIN, _END) == pytest.approx([6.0])


@pytest.mark.parametrize("ended_at", [(), (110.005,), (110.005, 112.0)])
def test_calls_that_the_server_did_not_log_are_refused(ended_at: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="of 2 calls of spindle's that were seen, prices, the server logged"):
        beyond_ms(_wire(7, 110.0, 111.0), _logged(7, *ended_at), "spindle", "prices", _BEGIN, _END)


def test_no_calls_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="of 0 calls"):
        beyond_ms([], [], "spindle", "prices", _BEGIN, _END)
