"""What the compiled rounds do when they are misused, run out of memory or find a socket without room.

``make check-c`` runs these tests with AddressSanitizer, which also finds what would only crash now and then, and those
with another thread with ThreadSanitizer, which finds data races.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from engine.databases.rounds import Rounds
from engine.workload.actions import Action, Pause, PauseKind, Reconnect, Script
from tests.doubles.postgresql_messages import READY, int4, row
from tests.doubles.served import (
    CALLS,
    LONG,
    LONG_BYTES,
    NEVER,
    SEVEN,
    SEVEN_PLEASE,
    Pair,
    Served,
    answering,
    compiled_rounds,
)
from tests.waiting import wait_until

_UNDER_WAY = "a turn of these rounds is under way"
_HIGH_NUMBER = 500
"""A file number beyond those that the rounds have made room for."""


@pytest.fixture
def rounds() -> Iterator[Rounds]:
    made = compiled_rounds()
    yield made
    made.close()


@pytest.fixture
def pairs() -> Iterator[list[Pair]]:
    with ExitStack() as ended:
        made = [Pair() for _ in range(4)]
        for each in made:
            ended.callback(each.close)
        yield made


@pytest.fixture
def high_number(pairs: list[Pair]) -> Iterator[int]:
    number = fcntl.fcntl(pairs[-1].fileno, fcntl.F_DUPFD, _HIGH_NUMBER)
    yield number
    os.close(number)


def test_any_number_of_users_can_send_in_one_turn(rounds: Rounds) -> None:
    with ExitStack() as ended:
        crowd = []
        for _ in range(150):
            pair = Pair()
            ended.callback(pair.close)
            crowd.append(Served(rounds, pair, SEVEN_PLEASE, Pause(0.05, PauseKind.THINK), SEVEN_PLEASE, SEVEN_PLEASE))
        for _ in range(2):
            for each in crowd:
                each.answered()
            deadline = time.monotonic() + 60
            while not all(each.has_asked() for each in crowd):
                assert rounds.turn(0.1, NEVER, False) == []
                assert time.monotonic() < deadline
    assert [len(each.told) for each in crowd] == [3] * len(crowd)


class Meddling(Served):
    """Somebody whose script does something to the rounds that serve it."""

    def __init__(self, rounds: Rounds, pair: Pair, meddle: Callable[["Meddling"], object]) -> None:
        self.rounds = rounds
        self._meddle = meddle
        super().__init__(rounds, pair, SEVEN_PLEASE)

    def _script(self, *actions: Action) -> Script:
        yield from super()._script(*actions)
        self._meddle(self)
        yield Reconnect()


@pytest.mark.parametrize(
    "meddle",
    [
        lambda user: user.rounds.add(_HIGH_NUMBER, "another"),
        lambda user: user.rounds.remove(user.pair.fileno, user),
        lambda user: user.rounds.turn(0.0, NEVER, False),
        lambda user: user.rounds.close(),
    ],
    ids=["add", "remove", "turn", "close"],
)
def test_a_script_may_not_change_the_rounds_that_serve_it(
    rounds: Rounds, pairs: list[Pair], high_number: int, meddle: Callable[[Meddling], object]
) -> None:
    assert high_number >= _HIGH_NUMBER
    user = Meddling(rounds, pairs[0], meddle)
    user.answered()
    ((who, said),) = rounds.turn(1.0, NEVER, False)
    assert who is user
    assert isinstance(said, RuntimeError)
    assert _UNDER_WAY in str(said)


def test_another_thread_may_not_change_rounds_that_wait(rounds: Rounds, pairs: list[Pair], high_number: int) -> None:
    rounds.add(pairs[0].fileno, "user")
    left: list[Any] = []
    turning = threading.Thread(target=lambda: left.extend(rounds.turn(None, NEVER, False)))
    turning.start()

    def is_turning() -> bool:
        try:
            rounds.remove(pairs[1].fileno, "nobody")
        except RuntimeError:
            return True
        return False

    try:
        wait_until(is_turning, "the turn is under way")
        for change in (
            lambda: rounds.add(high_number, "another"),
            lambda: rounds.remove(pairs[0].fileno, "user"),
            lambda: rounds.turn(0.0, NEVER, False),
            rounds.close,
        ):
            with pytest.raises(RuntimeError, match=_UNDER_WAY):
                change()
    finally:
        pairs[0].far.send(b".")
        turning.join(10)
    assert left == [("user", None)]
    rounds.remove(pairs[0].fileno, "user")


def test_another_thread_may_not_take_an_answer_that_the_rounds_receive(rounds: Rounds, pairs: list[Pair]) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, Reconnect())
    rows = row([int4(7)]) * 2_000
    pairs[0].far.settimeout(60)

    def send_rows() -> None:
        for _ in range(1_000):
            pairs[0].far.sendall(rows)

    left: list[Any] = []
    sending = threading.Thread(target=send_rows)
    turning = threading.Thread(target=lambda: left.extend(rounds.turn(60.0, NEVER, False)))
    for each in (sending, turning):
        each.start()
    refused = 0
    while sending.is_alive():
        with suppress(RuntimeError):
            assert user.exchange.receive() is None
            continue
        refused += 1
    pairs[0].far.send(READY)
    turning.join(60)
    assert refused > 0
    assert left == [(user, Reconnect())]
    assert user.told[0][:2] == (7, None)


def test_another_thread_may_read_when_a_request_was_sent_while_the_rounds_send(
    rounds: Rounds, pairs: list[Pair]
) -> None:
    began = time.monotonic()
    user = Served(rounds, pairs[0], *[SEVEN_PLEASE] * 1_000_000)
    user.answered()
    left: list[Any] = []
    moments: set[float] = set()

    def turn() -> None:
        while len(moments) < 2 and time.monotonic() < began + 60:
            left.extend(rounds.turn(0.1, time.monotonic() + 0.1, False))

    turning = threading.Thread(target=turn)
    with answering(pairs[0]):
        turning.start()
        while turning.is_alive():
            moments.add(user.exchange.sent_at)
        turning.join()
    assert left == []
    assert len(moments) > 1
    assert all(began <= moment <= time.monotonic() or moment == NEVER for moment in moments)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_add_after_a_memory_error_succeeds(rounds: Rounds, pairs: list[Pair], high_number: int, number: int) -> None:
    testcapi = pytest.importorskip("_testcapi", reason="this Python has no module that lets memory run out")
    add = rounds.add
    testcapi.set_nomemory(number, number + 1)
    try:
        add(high_number, "user")
        is_added = True
    except MemoryError:
        is_added = False
    finally:
        testcapi.remove_mem_hooks()
    if not is_added:
        add(high_number, "user")
    pairs[-1].far.send(b".")
    assert rounds.turn(1.0, NEVER, False) == [("user", None)]


class Cipher:
    """Leaves everything as it is, until it is to raise."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def encrypt(self, plain: bytes) -> bytes:
        return plain

    def decrypt(self, _: bytes) -> bytes:
        raise self._error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_base_exception_ends_the_turn(rounds: Rounds, pairs: list[Pair], error: BaseException) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, cipher=Cipher(error))
    user.answered()
    with pytest.raises(type(error)):
        rounds.turn(1.0, NEVER, False)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
def test_base_exception_in_a_script_ends_the_turn(rounds: Rounds, pairs: list[Pair], error: BaseException) -> None:
    def interrupt(_: Meddling) -> None:
        raise error

    user = Meddling(rounds, pairs[0], interrupt)
    user.answered()
    with pytest.raises(type(error)):
        rounds.turn(1.0, NEVER, False)


def test_other_errors_are_raised_unchanged(rounds: Rounds, pairs: list[Pair]) -> None:
    error = MemoryError("no room to decrypt")
    user = Served(rounds, pairs[0], SEVEN_PLEASE, cipher=Cipher(error))
    user.answered()
    assert rounds.turn(1.0, NEVER, False) == [(user, error)]


def test_an_error_that_is_the_connections_is_left_to_the_loop_which_reads_it(rounds: Rounds, pairs: list[Pair]) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, cipher=Cipher(ConnectionAbortedError("no such record")))
    user.answered()
    assert rounds.turn(1.0, NEVER, False) == [(user, None)]
    with pytest.raises(ConnectionError):
        user.exchange.receive()


def read_long(pair: Pair) -> bytes:
    pair.far.settimeout(60)
    came = bytearray()
    while came.count(b"x") < LONG_BYTES:
        came += pair.far.recv(65_536)
    return bytes(came)


@pytest.mark.parametrize("by_the_loop", [False, True])
def test_full_socket_does_not_delay_other_users(rounds: Rounds, pairs: list[Pair], by_the_loop: bool) -> None:
    other = Served(rounds, pairs[1], *[SEVEN_PLEASE] * 100_000)
    has_gone_on, questions = threading.Event(), []

    def read_late() -> None:
        has_gone_on.wait(20)
        questions.append(read_long(pairs[0]))
        pairs[0].far.sendall(SEVEN)

    reader = threading.Thread(target=read_late)
    reader.start()
    with answering(pairs[1]):
        if by_the_loop:
            stuck = Served(rounds, pairs[0], SEVEN_PLEASE, Reconnect())
            stuck.answered()
            assert rounds.turn(60.0, NEVER, False) == [(stuck, Reconnect())]
            stuck = stuck_again(rounds, stuck)
        else:
            stuck = Served(rounds, pairs[0], SEVEN_PLEASE, LONG, Reconnect())
            stuck.answered()
        before, deadline = len(other.told), time.monotonic() + 60
        while len(other.told) < before + 100:
            rounds.turn(0.01, time.monotonic() + 0.01, False)
            assert time.monotonic() < deadline, "the others are held up"
        assert stuck.exchange.sent_at < time.monotonic(), "its time-out runs"
        has_gone_on.set()
        left: list[Any] = []
        while not left:
            left = rounds.turn(60.0, time.monotonic() + 60, False)
    reader.join(60)
    assert [who for who, _ in left] == [stuck]
    assert questions[0].count(b"x") == LONG_BYTES


def stuck_again(rounds: Rounds, user: Served) -> Served:
    """The user asks by the loop what there is no room for."""
    user.exchange.prepare(CALLS["long"], LONG.arguments)
    user.exchange.send()
    return user


def test_a_question_that_waits_for_room_is_not_replaced(rounds: Rounds, pairs: list[Pair]) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, LONG)
    user.answered()
    assert rounds.turn(0.0, NEVER, False) == []
    with pytest.raises(RuntimeError, match="the last question was not sent"):
        user.exchange.prepare(CALLS["seven"], ())


def test_a_connection_that_is_lost_while_a_question_waits_for_room_is_left_to_the_loop(
    rounds: Rounds, pairs: list[Pair]
) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, LONG)
    user.answered()
    assert rounds.turn(0.0, NEVER, False) == []
    pairs[0].far.close()
    assert rounds.turn(60.0, NEVER, False) == [(user, None)]
    with pytest.raises(OSError, match=r"pipe|reset|closed"):
        user.exchange.receive()


def test_an_answer_to_half_a_question_is_its_connections_last(rounds: Rounds, pairs: list[Pair]) -> None:
    user = Served(rounds, pairs[0], SEVEN_PLEASE, LONG, Reconnect())
    user.answered()
    assert rounds.turn(0.0, NEVER, False) == []
    pairs[0].far.send(SEVEN)
    assert rounds.turn(60.0, NEVER, False) == [(user, Reconnect())]
    assert not user.exchange.is_open


def test_rounds_are_made_whole_or_not_at_all(rounds: Rounds) -> None:
    with pytest.raises(TypeError):
        type(rounds).__new__(type(rounds))
    with suppress(TypeError):
        rounds.__init__()  # type: ignore[misc]
    assert rounds.turn(0.0, NEVER, False) == []
