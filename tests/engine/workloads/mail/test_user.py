from random import Random
from typing import Any

import pytest

from engine.errors import ErrorClass, TargetError
from engine.workload.actions import Call, Pause, Reconnect
from engine.workload.schedule import Delay
from engine.workloads.mail.profiles import LOADSIM_SIZES, PROFILES, mean_bytes
from engine.workloads.mail.sizing import built_sizes
from engine.workloads.mail.user import MailUser


class Counts:
    """A tally that keeps everything."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.tasks: list[float] = []
        self.errors: list[TargetError] = []
        self.acknowledgements: list[tuple[int, int, int]] = []
        self.doubts: list[tuple[int, int]] = []

    def step(self, step: str, seconds: float) -> None:
        self.steps.append(step)

    def transaction(self, transaction: str, seconds: float, *, rolled_back: bool) -> None:
        self.tasks.append(seconds)

    def delayed(self, delay: Delay) -> None: ...

    def retry(self) -> None: ...

    def error(self, error: TargetError) -> None:
        self.errors.append(error)

    def acknowledged(self, number: int, key: int, check: int) -> None:
        self.acknowledgements.append((number, key, check))

    def in_doubt(self, key: int, check: int) -> None:
        self.doubts.append((key, check))


def answer(call: Call) -> Any:
    return {"check": [5, 6], "read": 6, "move": 6, "append": None, "send": ("",) * 100}[call.name]


def drive(user: MailUser, tally: Counts, tasks: int, fail: str = "") -> list[Call]:
    """Drive a user for so many tasks; the first call of the name ``fail`` is lost after it was sent."""
    calls: list[Call] = []
    script = user.script()
    action = next(script)
    while len(tally.tasks) < tasks:
        outcome: tuple[Any, TargetError | None, float] = (None, None, 0.001)
        if isinstance(action, Call):
            calls.append(action)
            if action.name == fail:
                fail = ""
                outcome = (None, TargetError(ErrorClass.CONNECTION_LOST, "lost", usable=False), 0.001)
            else:
                result = answer(action)
                outcome = (result[: len(action.arguments[0])] if action.name == "send" else result, None, 0.001)
        else:
            assert isinstance(action, Pause | Reconnect)
        action = script.send(outcome)
    return calls


def test_tasks_and_recipients_are_as_the_source_has_them() -> None:
    tally = Counts()
    calls = drive(MailUser(PROFILES["loadsim_average"], 500, 3, Random(1), tally), tally, 6_000)
    tasks = PROFILES["loadsim_average"].tasks
    for name, often in tasks.items():
        assert tally.steps.count(name) == pytest.approx(6_000 * often / sum(tasks.values()), rel=0.2)
    sent = [call.arguments[0] for call in calls if call.name == "send"]
    assert sum(map(len, sent)) / len(sent) == pytest.approx(4.7, rel=0.1)


def test_every_copy_of_a_message_has_a_number_of_its_own() -> None:
    tally = Counts()
    calls = drive(MailUser(PROFILES["heavy"], 50, 3, Random(2), tally), tally, 500)
    numbers = [number for number, _, _ in tally.acknowledgements]
    assert len(set(numbers)) == len(numbers) == sum(len(call.arguments[0]) for call in calls if call.name == "send")
    assert {key for _, key, _ in tally.acknowledgements} == {4}


def test_a_message_whose_answer_is_lost_is_in_doubt_for_each_recipient() -> None:
    tally = Counts()
    calls = drive(MailUser(PROFILES["heavy"], 50, 0, Random(3), tally), tally, 200, fail="send")
    lost = next(call for call in calls if call.name == "send")
    assert len(tally.doubts) == len(lost.arguments[0])
    assert len(tally.errors) == 1


@pytest.mark.parametrize(
    ("profile", "sent", "received"),
    [
        ("light", 20, 50),
        ("average", 30, 75),
        ("heavy", 40, 100),
        ("large", 60, 150),
        ("exchange_50", 10, 40),
        ("exchange_200", 40, 160),
    ],
)
def test_users_send_and_receive_as_many_messages_as_the_source_says(profile: str, sent: int, received: int) -> None:
    day = PROFILES[profile]
    assert day.tasks["send"] + day.tasks["reply"] == sent
    assert day.tasks["send"] * day.recipients + day.tasks["reply"] == received


def test_mailboxes_of_a_seed_are_the_same_and_filled_to_their_size() -> None:
    sizes = list(built_sizes("3x1MB", 7, 2))
    assert sizes == list(built_sizes("3x1MB", 7, 2))
    assert sizes != list(built_sizes("3x1MB", 7, 1))
    assert sum(sizes) == pytest.approx(1_000_000, rel=0.01)
    assert sum(sizes) / len(sizes) == pytest.approx(mean_bytes(LOADSIM_SIZES), rel=0.3)
