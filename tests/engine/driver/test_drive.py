from collections.abc import Callable, Iterator

import pytest

from engine.driver import drive as drive_module
from engine.driver.drive import Drive
from engine.driver.timebase import NEVER
from engine.driver.user_loop import UserLoop
from tests.engine.driver.user_contract import no_loop_is_left
from tests.waiting import wait_until

MakeDrive = Callable[[bool], Drive]


@pytest.fixture
def drive_of() -> Iterator[MakeDrive]:
    """Makes a drive that may have two loops, of users who are polled or not."""
    drives: list[Drive] = []
    faults: list[Exception] = []

    def made(polled: bool) -> Drive:
        drives.append(Drive(polled=polled, report_fault=faults.append, loops=2))
        return drives[-1]

    yield made
    for drive in drives:
        drive.start(NEVER, lambda: NEVER)
    wait_until(no_loop_is_left, "loops without a user end")
    assert faults == []


def loops_of(drive: Drive) -> list[UserLoop | None]:
    """Of four users."""
    return [drive.next_loop() for _ in range(4)]


def test_neighbours_are_driven_by_different_loops(drive_of: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive_module, "are_compiled", lambda: True)
    drive = drive_of(True)
    one, other, *others = loops_of(drive)
    assert one is not None
    assert other is not None
    assert one is not other
    assert others == [one, other]
    assert drive.usable_processors == 2


def test_pure_python_orders_use_one_loop(drive_of: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive_module, "are_compiled", lambda: False)
    drive = drive_of(True)
    one, *others = loops_of(drive)
    assert one is not None
    assert others == [one] * 3
    assert drive.usable_processors == 1


def test_users_with_threads_of_their_own_have_no_loop(drive_of: MakeDrive) -> None:
    drive = drive_of(False)
    assert loops_of(drive) == [None] * 4
    assert not drive.has_loop
    assert drive.usable_processors == 1
