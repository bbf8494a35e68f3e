"""Numbers of messages, whatever is lost with a connection."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cluster.stream.frames import BrokenStream
from engine.cluster.stream.numbering import Inbox, Outbox

EXCHANGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12), st.booleans()), max_size=12)


@given(EXCHANGES)
def test_everything_arrives_once_and_in_order_over_broken_connections(
    exchanges: list[tuple[int, int, bool]],
) -> None:
    """Each connection carries some messages and breaks; what was received may or may not be acknowledged by then."""
    outbox, inbox, sent, arrived = Outbox(1000), Inbox(), 0, list[bytes]()
    for new, carried, is_acknowledged in [*exchanges, (0, 100, True)]:
        for _ in range(new):
            sent += 1
            assert outbox.put(str(sent).encode()) == sent
        for number, payload in list(outbox.after(inbox.received))[:carried]:
            assert inbox.take(number)
            assert not inbox.take(number)
            arrived.append(payload)
        if is_acknowledged:
            outbox.acknowledge(inbox.received)
    assert arrived == [str(number).encode() for number in range(1, sent + 1)]
    assert (inbox.missing, outbox.waiting) == (0, 0)


def test_without_room_the_oldest_are_dropped_and_missed() -> None:
    outbox, inbox = Outbox(10), Inbox()
    for _ in range(5):
        outbox.put(b"1234")
    assert outbox.waiting == 2
    assert [number for number, _ in outbox.after(0) if inbox.take(number)] == [4, 5]
    assert (inbox.received, inbox.missing) == (5, 3)


def test_a_message_larger_than_the_room_is_sent_all_the_same() -> None:
    outbox = Outbox(10)
    outbox.put(b"x" * 11)
    assert list(outbox.after(0)) == [(1, b"x" * 11)]


def test_what_was_not_sent_cannot_be_acknowledged() -> None:
    outbox = Outbox(10)
    outbox.put(b"1")
    with pytest.raises(BrokenStream, match="message 2"):
        outbox.acknowledge(2)
