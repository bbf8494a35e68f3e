"""What tests of whole runs share: a sink that keeps what it gets, and the end of the runs that a test has begun."""

from collections.abc import Iterator

import pytest

from engine.driver import child_process
from engine.driver.run import Run
from tests.engine.driver.runs import OVER_SECONDS, USERS_THERE, Gathering
from tests.waiting import wait_until


@pytest.fixture(autouse=True)
def ends_of_processes_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that stands still, how a process ended is known later than a run waits for it."""
    monkeypatch.setattr(child_process, "_EXIT_SECONDS", 60.0)
    monkeypatch.setattr(child_process, "_KILL_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def no_user_of_an_earlier_test_is_left(request: pytest.FixtureRequest) -> None:
    """What the server still did for a client that was killed would be counted as this test's."""
    if "built_store" in request.fixturenames:
        store = request.getfixturevalue("built_store")
        wait_until(lambda: store.count(USERS_THERE) == 0, "no user is left")


@pytest.fixture
def sink() -> Gathering:
    return Gathering()


@pytest.fixture
def ended() -> Iterator[list[Run]]:
    """The runs that are put in are ended after the test, however it went."""
    runs: list[Run] = []
    yield runs
    for run in runs:
        run.stop_now()
        run.wait(OVER_SECONDS)
