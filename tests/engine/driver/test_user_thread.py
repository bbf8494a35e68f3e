"""A user on a thread of its own fulfils the contract."""

from collections.abc import Iterator

import pytest

from engine.driver.user_thread import UserThread
from tests.doubles.sessions import DoubleSession
from tests.engine.driver.user_contract import Cast, Stage, UserContract


def begun(cast: Cast) -> UserThread:
    user = UserThread(
        name="user-0",
        connection=cast.connection,
        script=cast.script,
        starts_at=cast.starts_at,
        call_seconds=cast.call_seconds,
        gate=cast.gate,
        stop=cast.stop,
    )
    user.start()
    return user


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(begun, DoubleSession)
    yield stage
    stage.leave()
    stage.user.cut("the test is over")


class TestUserThread(UserContract):
    """The contract, on a blocking session."""
