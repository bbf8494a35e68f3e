import random
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import twins
from tests.benchmarks.pgbench_steps import CALLS, TRIVIAL
from tests.benchmarks.wire_calls import PGBENCH, SPINDLE, Packet, WireCall, calls_of, times_on_the_wire

_LENGTH = bytes(4)
_ORDER = ("login", "category", "title", "prices", "purchase")


def _bind(name: str) -> bytes:
    return b"B" + _LENGTH + b"\0" + name.encode() + b"\0" + bytes(8)


def _parse(name: str, text: str) -> bytes:
    return b"P" + _LENGTH + name.encode() + b"\0" + text.encode()


def _talk(port: int, questions: Sequence[bytes], *, begin: float = 0.0) -> list[Packet]:
    """A question each second from ``begin`` on, the parts of its answer a quarter and half a second later."""
    return [
        Packet(begin + number + later, port, later > 0, question if later == 0 else b"D")
        for number, question in enumerate(questions)
        for later in (0.0, 0.25, 0.5)
    ]


def test_a_call_lasts_from_its_question_to_the_last_of_its_answer() -> None:
    assert calls_of(_talk(7, [_bind("login"), _bind("purchase")])) == [
        WireCall(SPINDLE, 7, "login", 0.0, 0.5),
        WireCall(SPINDLE, 7, "purchase", 1.0, 1.5),
    ]


def test_a_question_in_parts_began_with_its_first_and_one_without_an_answer_is_no_call() -> None:
    packets = [
        Packet(1.0, 7, False, _bind("login")),
        Packet(1.5, 7, False, b"more of it"),
        Packet(2.0, 7, True, b"D"),
        Packet(3.0, 7, False, _bind("purchase")),
    ]
    assert calls_of(packets) == [WireCall(SPINDLE, 7, "login", 1.0, 2.0)]


def test_other_statements_are_not_calls() -> None:
    assert calls_of(_talk(7, [b"Q" + _LENGTH + b"SELECT 1\0", _bind("probe"), b"S", _bind("login")])) == [
        WireCall(SPINDLE, 7, "login", 3.0, 3.5)
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("SELECT customerid, title FROM login('user' || $1::text, $2)", "login"),
        ("SELECT coalesce(new_customer($1, $2", "new_customer"),
        ("SELECT * FROM browse_by_actor($1, $2::int)", "browse"),
        ("SELECT prod_id, price_cents FROM product_prices((ARRAY[", "prices"),
        ("CALL purchase($1::int, (ARRAY[", "purchase"),
        *((text[:80], name) for name, text in TRIVIAL.items()),
        *((f"{twins.begin(call)};", f"twin of {call}") for call in CALLS),
    ],
)
def test_a_name_of_pgbenchs_stands_for_the_text_that_was_prepared_under_it(text: str, name: str) -> None:
    calls = calls_of(_talk(7, [_parse("P_3", text), _bind("P_3"), _bind("P_4")]))
    assert [(call.driver, call.name) for call in calls] == [(PGBENCH, name)]


def test_combined_packet_is_identified_by_its_first_statement() -> None:
    prepared = [("P_1", f"{twins.begin('login')};"), ("P_2", f"{twins.MARK} SELECT FROM login($1)")]
    questions = [*(_parse(*each) for each in prepared), _bind("P_1") + _bind("P_2"), _bind("P_2")]
    assert [call.name for call in calls_of(_talk(7, questions))] == ["twin of login"]


@given(st.lists(st.lists(st.sampled_from(_ORDER), max_size=6), max_size=4), st.randoms(use_true_random=False))
def test_connections_do_not_disturb_each_other(talks: list[list[str]], chance: random.Random) -> None:
    by_port = [_talk(port, [_bind(name) for name in names]) for port, names in enumerate(talks)]
    alone = [call for packets in by_port for call in calls_of(packets)]
    turns = [port for port, packets in enumerate(by_port) for _ in packets]
    chance.shuffle(turns)
    left = [iter(packets) for packets in by_port]
    together = calls_of(next(left[port]) for port in turns)
    assert sorted(together, key=lambda call: (call.port, call.asked_at)) == alone


def test_order_time_excludes_the_price_look_up() -> None:
    moments = count(0)
    calls = [
        WireCall(SPINDLE, 7, name, begin, begin + 0.25)
        for name, begin in zip(("login", "browse", "browse", "prices", "purchase"), moments, strict=False)
    ]
    times = times_on_the_wire(calls, SPINDLE, 0.0, 10.0)
    counted = {step: (each.count, each.mean_ms) for step, each in times.items()}
    assert counted == {"login": (1, 250.0), "browse": (2, 250.0), "purchase": (1, 250.0), "order": (1, 1000.0)}


def test_times_are_of_one_driver_and_of_what_ended_in_the_span() -> None:
    order = ("login", "purchase")
    calls = [
        WireCall(driver, 7, name, begin, begin + length)
        for driver, begin, length in ((SPINDLE, 1.0, 0.5), (SPINDLE, 3.0, 0.25), (PGBENCH, 3.0, 0.125))
        for name in order
    ]
    times = times_on_the_wire(calls, SPINDLE, 2.0, 4.0)
    assert (times["login"].count, times["login"].mean_ms, times["order"].mean_ms) == (1, 250.0, 500.0)
