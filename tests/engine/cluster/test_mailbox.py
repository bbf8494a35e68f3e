"""A mailbox between two threads."""

from multiprocessing.connection import wait

import pytest

from engine.cluster.mailbox import Mailbox


def test_messages_are_taken_together_and_then_the_end() -> None:
    mailbox = Mailbox()
    assert not wait([mailbox.waitable], timeout=0)
    mailbox.put(1, 2)
    mailbox.put(3)
    assert wait([mailbox.waitable], timeout=0)
    assert mailbox.take() == (1, 2, 3)
    assert not wait([mailbox.waitable], timeout=0)
    mailbox.put(4)
    mailbox.end()
    mailbox.put(5)
    assert mailbox.take() == (4,)
    for _ in range(2):
        assert wait([mailbox.waitable], timeout=0)
        with pytest.raises(EOFError):
            mailbox.take()
    mailbox.close()


def test_putting_never_waits() -> None:
    mailbox = Mailbox()
    for number in range(200_000):
        mailbox.put(number)
    assert len(mailbox.take()) == 200_000
    mailbox.close()
