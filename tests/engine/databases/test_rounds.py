"""Both kinds of rounds say which sessions have data to read; the compiled ones serve users where they can."""

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.databases.rounds import Rounds, WaitingRounds
from engine.workload.actions import Action, Call, Pause, PauseKind, Reconnect, Script
from tests.doubles.postgresql_messages import READY, int4, row, told
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
from tests.doubles.sessions import tcp_pair
from tests.waiting import wait_until


@pytest.fixture(params=[WaitingRounds, compiled_rounds], ids=["waiting", "compiled"])
def rounds(request: pytest.FixtureRequest) -> Iterator[Rounds]:
    made: Rounds = request.param()
    yield made
    made.close()


@pytest.fixture
def pairs() -> Iterator[list[Pair]]:
    with ExitStack() as ended:
        made = [Pair() for _ in range(3)]
        for each in made:
            ended.callback(each.close)
        yield made


def test_readable_sockets_are_returned(rounds: Rounds, pairs: list[Pair]) -> None:
    names = ["user 0", "user 1", "user 2"]
    for name, pair in zip(names, pairs, strict=True):
        rounds.add(pair.fileno, name)
    assert rounds.turn(0.0, NEVER, False) == []

    pairs[0].far.send(b".")
    pairs[2].far.close()
    assert sorted(rounds.turn(None, NEVER, False)) == [(names[0], None), (names[2], None)]
    rounds.remove(pairs[0].fileno, names[0])
    assert rounds.turn(1.0, NEVER, False) == [(names[2], None)]


def test_a_wait_ends_in_time(rounds: Rounds) -> None:
    before = time.monotonic()
    assert rounds.turn(0.05, NEVER, False) == []
    assert time.monotonic() - before >= 0.05


def test_reused_descriptor_is_kept(rounds: Rounds, pairs: list[Pair]) -> None:
    first, other = "first", "other"
    rounds.add(pairs[0].fileno, first)
    number = pairs[0].fileno
    pairs[0].near.close()
    again = Pair()
    assert again.fileno == number, "the system gives the lowest that is free"
    rounds.add(number, other)
    rounds.remove(number, first)
    again.far.send(b".")
    assert rounds.turn(1.0, NEVER, False) == [(other, None)]
    again.close()


def test_a_socket_that_was_closed_can_be_left(rounds: Rounds, pairs: list[Pair]) -> None:
    rounds.add(pairs[0].fileno, "user")
    number = pairs[0].fileno
    pairs[0].close()
    rounds.remove(number, "user")
    rounds.remove(number, "user")
    assert rounds.turn(0.0, NEVER, False) == []


def test_a_socket_that_was_closed_here_and_is_still_open_elsewhere_can_be_left(
    rounds: Rounds, pairs: list[Pair]
) -> None:
    """As when a call is cut, over a copy of the descriptor, while the library closes its own."""
    rounds.add(pairs[0].fileno, "user")
    number = pairs[0].fileno
    with pairs[0].near.dup():
        pairs[0].near.close()
        rounds.remove(number, "user")
        pairs[0].far.close()
        assert rounds.turn(0.0, NEVER, False) == []


def test_answered_user_sends_its_next_call(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, Pause(0.0, PauseKind.THINK), SEVEN_PLEASE)
    served.answered()
    assert rounds.turn(0.0, NEVER, False) == []

    (answer, error, seconds), pause = served.told
    assert (answer, error) == (7, None)
    assert 0.0 < seconds < time.monotonic()
    assert pause == (None, None, 0.0)
    assert served.has_asked()
    assert served.exchange.sent_at < time.monotonic()


def test_turn_ends_when_a_user_is_left_to_the_loop(pairs: list[Pair]) -> None:
    rounds, pause = compiled_rounds(), Pause(0.1, PauseKind.RETRY)
    served = Served(rounds, pairs[0], *[SEVEN_PLEASE] * 50, pause)
    with answering(pairs[0]):
        assert rounds.turn(None, NEVER, False) == [(served, pause)]
    assert [answer for answer, _, _ in served.told] == [7] * 50


def test_a_turn_ends_when_its_time_is_over_though_answers_keep_coming(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], *[SEVEN_PLEASE] * 1_000_000)
    with answering(pairs[0]):
        wait_until(lambda: rounds.turn(0.0, NEVER, False) or served.told, "answers come")
        before = time.monotonic()
        assert rounds.turn(0.05, NEVER, False) == []
        assert time.monotonic() - before >= 0.05
        assert rounds.turn(None, time.monotonic() + 0.05, False) == []
        wait_until(lambda: rounds.turn(0.0, NEVER, False) or len(served.told) > 1, "answers keep coming")


def test_other_users_send_before_one_is_left_to_the_loop(pairs: list[Pair]) -> None:
    rounds, pause = compiled_rounds(), Pause(0.1, PauseKind.RETRY)
    asking = Served(rounds, pairs[0], SEVEN_PLEASE, SEVEN_PLEASE)
    leaving = Served(rounds, pairs[1], SEVEN_PLEASE, pause)
    for each in (asking, leaving):
        each.answered()
    assert rounds.turn(None, NEVER, False) == [(leaving, pause)]
    assert asking.has_asked()


def test_partial_answer_is_awaited(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, SEVEN_PLEASE)
    for place in range(len(SEVEN)):
        assert served.told == []
        pairs[0].far.send(SEVEN[place : place + 1])
        assert rounds.turn(0.0, NEVER, False) == []
    assert [answer for answer, _, _ in served.told] == [7]


def test_partial_answer_does_not_change_a_turn(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served, other = (Served(rounds, pair, SEVEN_PLEASE, Pause(0.1, PauseKind.RETRY)) for pair in pairs[:2])
    pairs[0].far.send(SEVEN[:-1])
    assert rounds.turn(0.02, NEVER, False) == []
    pairs[0].far.send(SEVEN[-1:])
    pairs[1].far.send(SEVEN[:-1])
    assert rounds.turn(None, NEVER, False) == [(served, Pause(0.1, PauseKind.RETRY))]
    assert (served.told[0][0], other.told) == (7, [])


def test_a_turn_ends_when_its_time_is_over_though_parts_of_an_answer_keep_coming(pairs: list[Pair]) -> None:
    rounds, is_over = compiled_rounds(), threading.Event()
    served = Served(rounds, pairs[0], SEVEN_PLEASE)
    pairs[0].far.settimeout(0.01)

    def send_rows() -> None:
        while not is_over.is_set():
            with suppress(TimeoutError):
                pairs[0].far.send(row([int4(7)]))

    sender = threading.Thread(target=send_rows)
    sender.start()
    try:
        assert rounds.turn(None, time.monotonic() + 0.05, False) == []
    finally:
        is_over.set()
        sender.join()
    assert served.told == []


@pytest.mark.parametrize("action", [Pause(0.1, PauseKind.RETRY), Reconnect()])
def test_slow_actions_are_left_to_the_loop(pairs: list[Pair], action: Action) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, action)
    served.answered()
    assert rounds.turn(None, NEVER, False) == [(served, action)]


def test_thinking_user_continues_after_its_pause(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    long = Served(rounds, pairs[0], SEVEN_PLEASE, Pause(0.6, PauseKind.THINK), SEVEN_PLEASE, SEVEN_PLEASE)
    short = Served(rounds, pairs[1], SEVEN_PLEASE, Pause(0.3, PauseKind.THINK), Reconnect())
    for each in (long, short):
        each.answered()
    before = time.monotonic()
    assert rounds.turn(0.0, NEVER, False) == []
    for each in (long, short):
        assert each.connection.state == "thinking"
        assert before <= each.waits_since <= time.monotonic()

    long_ends = long.waits_since + 0.6
    assert rounds.turn(None, NEVER, False) == [(short, Reconnect())]
    assert (short.connection.state, short.waits_since) == ("working", NEVER)
    assert long.connection.state == "thinking" or time.monotonic() >= long_ends - 0.001
    wait_until(lambda: rounds.turn(0.1, NEVER, False) or long.has_asked(), "the other one goes on, too")
    assert (long.connection.state, long.waits_since) == ("working", NEVER)
    for each, seconds in ((long, 0.6), (short, 0.3)):
        assert each.told[1][:2] == (None, None)
        assert each.told[1][2] >= seconds - 0.0005, "a pause ends at the nearest millisecond"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 20).map(lambda ms: ms / 1_000), min_size=1, max_size=30))
def test_users_continue_in_the_order_of_their_pauses(pauses: list[float]) -> None:
    rounds, went_on = compiled_rounds(), []

    class Thinking(Served):
        def _script(self, *actions: Action) -> Script:
            yield from super()._script(*actions)
            went_on.append(self)
            yield Reconnect()

    with ExitStack() as ended:
        ended.callback(rounds.close)
        users = []
        for seconds in pauses:
            pair = Pair()
            ended.callback(pair.close)
            users.append(Thinking(rounds, pair, SEVEN_PLEASE, Pause(seconds + 0.001, PauseKind.THINK)))
            users[-1].answered()
            rounds.turn(0.0, NEVER, False)
        due = {id(user): user.waits_since + (seconds + 0.001) for user, seconds in zip(users, pauses, strict=True)}
        in_time = all(user.waits_since != NEVER for user in users)
        while len(went_on) < len(users):
            rounds.turn(None, NEVER, False)
        if in_time:
            ends = [due[id(user)] for user in went_on]
            assert ends == sorted(ends)


def test_stopping_loop_gets_thinking_users_with_their_pauses(pairs: list[Pair]) -> None:
    rounds, pause = compiled_rounds(), Pause(3_600.0, PauseKind.THINK)
    served = Served(rounds, pairs[0], SEVEN_PLEASE, pause)
    served.answered()
    assert rounds.turn(0.0, NEVER, False) == []
    assert rounds.turn(None, NEVER, True) == [(served, pause)]
    assert rounds.turn(0.0, NEVER, True) == []


def test_user_removed_while_thinking_is_served_by_the_loop(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, Pause(0.5, PauseKind.THINK), SEVEN_PLEASE)
    served.answered()
    assert rounds.turn(0.0, NEVER, False) == []
    rounds.remove(served.pair.fileno, served)
    assert rounds.turn(None, NEVER, False) == [(served, SEVEN_PLEASE)]


def test_user_without_state_attribute_is_accepted(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, Pause(0.01, PauseKind.THINK))
    del served.connection
    served.answered()
    ((who, said),) = rounds.turn(None, NEVER, False)
    assert who is served
    assert isinstance(said, AttributeError)


def test_closed_rounds_release_thinking_users(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, Pause(3_600.0, PauseKind.THINK))
    served.answered()
    rounds.turn(0.0, NEVER, False)
    gone = weakref.ref(served)
    served.script.close()
    rounds.close()
    del served
    gc.collect()
    assert gone() is None


def test_no_order_is_begun_while_the_loop_is_stopping(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    pause = Pause(0.0, PauseKind.THINK)
    served = Served(rounds, pairs[0], SEVEN_PLEASE, pause, SEVEN_PLEASE)
    served.answered()
    assert rounds.turn(None, NEVER, True) == [(served, pause)]
    assert not served.has_asked()


@pytest.mark.parametrize(
    ("answer", "following", "expected"),
    [
        (SEVEN, [], StopIteration),
        (SEVEN, [Call("eight", ())], KeyError),
        (SEVEN, [Call("seven", (1,))], TypeError),
        (READY, [SEVEN_PLEASE], IndexError),
    ],
    ids=["the script ends", "an unknown verb", "an argument too many", "an answer without a row"],
)
def test_end_of_a_script_is_left_to_the_loop(
    pairs: list[Pair], answer: bytes, following: list[Action], expected: type[Exception]
) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, *following)
    pairs[0].far.send(answer)
    ((who, said),) = rounds.turn(None, NEVER, False)
    assert who is served
    assert isinstance(said, expected)


@pytest.mark.parametrize("said", [told(b"E", {"C": "40P01", "M": "deadlock"}), told(b"N", {"V": "WARNING", "M": "!"})])
def test_an_error_or_a_warning_is_left_to_the_loop_which_reads_it(pairs: list[Pair], said: bytes) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE, SEVEN_PLEASE)
    pairs[0].far.send(said + SEVEN)
    assert rounds.turn(None, NEVER, False) == [(served, None)]
    assert served.told == []
    answer = served.exchange.receive()
    assert answer is not None
    assert answer.ntuples == 1


@pytest.mark.parametrize("nonsense", [b"", b"nonsense"])
def test_a_lost_connection_is_left_to_the_loop_which_reads_it(pairs: list[Pair], nonsense: bytes) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], SEVEN_PLEASE)
    pairs[0].far.send(nonsense)
    pairs[0].far.close()
    assert rounds.turn(None, NEVER, False) == [(served, None)]
    with pytest.raises(ConnectionError):
        served.exchange.receive()
    assert served.exchange.sent_at == NEVER


def test_a_question_that_cannot_be_sent_is_left_to_the_loop_as_a_lost_connection(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    crowd = [Served(rounds, pair, *[SEVEN_PLEASE] * 2) for pair in pairs[:2]]
    for each in crowd:
        each.answered()
    until = crowd[1].busy_until = time.monotonic() + 0.5
    rounds.turn(None, until, False)
    crowd[1].exchange.close()

    assert rounds.turn(0.0, NEVER, False) == [(crowd[1], None)]
    assert crowd[1].exchange.sent_at < NEVER
    with pytest.raises(ConnectionError):
        crowd[1].exchange.receive()


def test_a_question_that_finds_no_room_is_sent_whole_and_the_others_after_it(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    crowd = [
        Served(rounds, pair, SEVEN_PLEASE, following)
        for pair, following in zip(pairs[:2], [LONG, SEVEN_PLEASE], strict=True)
    ]
    for each in crowd:
        each.answered()
    came: list[bytes] = []

    def read() -> None:
        while sum(map(len, came)) < LONG_BYTES:
            came.append(pairs[0].far.recv(65_536))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while reader.is_alive():
        assert rounds.turn(0.01, NEVER, False) == []
    assert b"".join(came).count(b"x") == LONG_BYTES
    assert crowd[1].has_asked()
    assert all(each.exchange.sent_at < time.monotonic() for each in crowd)


def test_when_time_is_up_the_others_wait_for_the_next_round(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    crowd = [Served(rounds, pair, *[SEVEN_PLEASE] * 4) for pair in pairs]

    def served_one_by_one() -> list[int]:
        for each in crowd:
            each.answered()
        served = []
        for _ in crowd:
            rounds.turn(0.0, time.monotonic(), False)
            served.append(sum(len(each.told) for each in crowd))
        rounds.turn(0.0, NEVER, False)
        assert all(each.has_asked() for each in crowd)
        return served

    assert served_one_by_one() == [1, 2, 3]
    # There is room for their next answers now, which are taken from the sockets at once.
    assert served_one_by_one() == [4, 5, 6]


def test_an_answer_that_time_was_not_left_for_is_nobodys_when_its_user_has_left(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    crowd = [Served(rounds, pair, *[SEVEN_PLEASE] * 4) for pair in pairs]
    for each in crowd:
        each.answered()
    rounds.turn(0.0, NEVER, False)
    for each in crowd:
        each.answered()
    rounds.turn(0.0, time.monotonic(), False)
    late = [each for each in crowd if len(each.told) == 1]
    assert len(late) == 2

    leaver, stayer = late
    rounds.remove(leaver.pair.fileno, leaver)
    rounds.add(leaver.pair.fileno, "somebody else")
    assert rounds.turn(0.0, NEVER, False) == []
    assert (len(leaver.told), len(stayer.told)) == (1, 2)


@pytest.mark.parametrize("leaves", [False, True])
def test_a_question_that_time_was_not_left_for_is_sent_next_unless_its_user_has_left(
    pairs: list[Pair], leaves: bool
) -> None:
    rounds = compiled_rounds()
    crowd = [Served(rounds, pair, *[SEVEN_PLEASE] * 2) for pair in pairs[:2]]
    for each in crowd:
        each.answered()
    until = crowd[1].busy_until = time.monotonic() + 0.5
    assert rounds.turn(None, until, False) == []
    assert [len(each.told) for each in crowd] == [1, 1]
    assert [each.has_asked() for each in crowd] == [True, False]

    if leaves:
        rounds.remove(crowd[1].pair.fileno, crowd[1])
    rounds.turn(0.0, NEVER, False)
    assert crowd[1].has_asked() is not leaves


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux stamps what arrives")
def test_waiting_time_of_answers_is_measured_separately() -> None:
    rounds, pair = compiled_rounds(), Pair(tcp_pair)
    served = Served(rounds, pair, *[SEVEN_PLEASE] * 10_000)
    assert rounds.answers_waited is None

    def is_stamped() -> bool:
        served.answered()
        rounds.turn(0.0, NEVER, False)
        return rounds.answers_waited is not None

    wait_until(is_stamped, "what arrives is stamped")
    before, asked = rounds.answers_waited, served.exchange.sent_at
    served.answered()
    answered = time.monotonic()
    while time.monotonic() < answered + 0.2:
        time.sleep(0.01)
    rounds.turn(0.0, NEVER, False)

    assert before is not None
    assert rounds.answers_waited is not None
    assert rounds.answers_waited - before >= 0.2
    assert served.told[-1][2] < answered - asked + 0.1
    pair.close()


def test_removed_users_are_released(pairs: list[Pair]) -> None:
    rounds = compiled_rounds()
    served = Served(rounds, pairs[0], *[SEVEN_PLEASE] * 200)
    held: list[Any] = [served, served.script, served.exchange, CALLS]
    before = [sys.getrefcount(each) for each in held]
    for _ in range(100):
        served.answered()
        rounds.turn(0.0, NEVER, False)
    assert len(served.told) == 100
    assert [sys.getrefcount(each) for each in held] == before
    rounds.remove(pairs[0].fileno, served)
    rounds.close()
    assert [sys.getrefcount(each) for each in held] == [count - 1 for count in before]
