"""Writing a ledger when the disk is full, slow or failing."""

import errno
import mmap
import os
import threading
from pathlib import Path
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audit import ledger as ledger_module
from engine.audit.ledger import NO_NUMBER, RECORD, WINDOW_BYTES, End, Ledger, packed_header
from engine.audit.ledger_files import join_overflows, ledger_path, remove_ledgers
from engine.audit.ledger_reading import read_ledger
from engine.audit.notes import PlainNotes
from engine.files import disk_space
from engine.files.disk_space import SPARE_VARIABLE
from engine.telemetry.event import EventCode
from tests.engine.audit.ledgers import MOMENT, NUMBER
from tests.small_disk import small_disk

WRITTEN = EventCode.LEDGER_WRITTEN, "the ledger is written again"
HEADER_BYTES = len(packed_header("a-run", 1))


@pytest.fixture(autouse=True, params=["compiled", "plain"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How notes are kept until they are written."""
    if request.param == "plain":
        monkeypatch.setattr(ledger_module, "new_notes", PlainNotes)
    else:
        pytest.importorskip("engine.audit._notes", reason="set up without a C compiler")
    return str(request.param)


class Disk:
    """Stands in for ``os.write`` and takes no more than ``room`` bytes; it allocates none beforehand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 10**9
        self._write = os.write
        monkeypatch.setattr(ledger_module.os, "write", self)
        monkeypatch.delattr(ledger_module.os, "posix_fallocate", raising=False)

    def __call__(self, file: int, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        size = self._write(file, data[: self.room])
        self.room -= size
        return size


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for what has no room in its own place."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv(SPARE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@given(noted=st.lists(st.tuples(MOMENT, NUMBER, NUMBER, NUMBER, st.booleans()), max_size=30), flushes=st.integers(1, 5))
def test_ledger_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    noted: list[tuple[int, int, int, int, bool]],
    flushes: int,
) -> None:
    path = tmp_path_factory.mktemp("a") / "a-run" / "client-65535.ledger"
    ledger = Ledger(str(path), 65_535)
    for number, (moment_ms, order, customer, net_cents, is_in_doubt) in enumerate(noted):
        if is_in_doubt:
            ledger.note(moment_ms, NO_NUMBER, customer, net_cents)
        else:
            ledger.note(moment_ms, order, customer, net_cents)
        if number % flushes == 0:
            assert ledger.flush() is None
    assert ledger.close(7, End.COMPLETE) is None

    content = read_ledger(path, "a-run", 65_535)
    assert content.is_complete
    assert content.acknowledged.tolist() == [each[:4] for each in noted if not each[4]]
    assert content.in_doubt.tolist() == [(each[0], 0, *each[2:4]) for each in noted if each[4]]


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room in a file can't be allocated beforehand")
def test_ledger_records_are_in_the_file_before_flush(tmp_path: Path) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.flush()
    noted = [(number, number, 7, 100 + number) for number in range(1, WINDOW_BYTES // RECORD.size // 2)]
    for record in noted:
        ledger.note(*record)
    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == noted
    assert (content.end, content.has_room, content.torn) == (None, True, 0)
    assert ledger.close(9_999, End.COMPLETE) is None
    assert path.stat().st_size == len(packed_header("a-run", 1)) + (len(noted) + 1) * RECORD.size


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room in a file can't be allocated beforehand")
def test_ledger_window_grows_when_it_is_full(tmp_path: Path) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.flush()
    in_a_second = 2 * WINDOW_BYTES // RECORD.size
    for first in (1, 1 + in_a_second):
        for number in range(first, first + in_a_second):
            ledger.note(number, number, 7, 100)
        in_file = len(read_ledger(path, "a-run", 1).acknowledged)
        assert ledger.flush() is None
    assert in_file == 2 * in_a_second, "of the second second, all was in the file before it was flushed"
    assert ledger.close(9_999, End.COMPLETE) is None
    assert read_ledger(path, "a-run", 1).acknowledged["number"].tolist() == list(range(1, 2 * in_a_second + 1))


@pytest.mark.parametrize("end", End)
def test_ledger_end_has_its_reason(tmp_path: Path, end: End) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.note(1, 1, 1, 1)
    ledger.close(2, end)
    content = read_ledger(path, "a-run", 1)
    assert (content.end, content.is_complete) == (end, end is End.COMPLETE)
    assert content.acknowledged.tolist() == [(1, 1, 1, 1)]


def test_ledger_of_a_client_stopped_at_once_has_its_reason_and_last_orders(tmp_path: Path) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.flush()
    ledger.note(1, 1, 1, 1)
    ledger.cut(2)
    ledger.note(3, 2, 1, 1)
    ledger.flush()
    content = read_ledger(path, "a-run", 1)
    assert content.end is End.CUT
    assert content.acknowledged["number"].tolist() == [1, 2]


def test_full_disk_loses_no_record(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=2) as disk:
        path = disk.path / "a-run" / "client-1.ledger"
        ledger = Ledger(str(path), 1)
        ledger.flush()
        disk.fill()
        said = []
        for number in range(1, 2 * WINDOW_BYTES // RECORD.size):
            ledger.note(number, number, 7, 100)
            if number % 1_000 == 0:
                said.append(ledger.flush())
        (told,) = filter(None, said)
        assert told == (
            EventCode.LEDGER_UNWRITTEN,
            "the ledger can't be written (No space left on device); it is kept in memory and tried again",
        )
        disk.make_room()
        assert ledger.flush() == WRITTEN
        ledger.note(number + 1, number + 1, 7, 100)
        assert len(read_ledger(path, "a-run", 1).acknowledged) == number + 1
        assert ledger.close(9_999, End.COMPLETE) is None
        content = read_ledger(path, "a-run", 1)
        assert content.acknowledged["number"].tolist() == list(range(1, number + 2))
        assert content.is_complete


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room in a file can't be allocated beforehand")
def test_disk_error_in_the_mapped_window_does_not_end_the_client(tmp_path: Path, way: str) -> None:
    if way == "plain":
        pytest.skip("without a C compiler nobody sees a failing page before the process ends of it")
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.flush()
    os.truncate(path, mmap.PAGESIZE)  # what the system does when it can't keep its word: there is no page to write to
    for number in range(1, 1_001):
        ledger.note(number, number, 7, 100)
    assert len(read_ledger(path, "a-run", 1).acknowledged) == (mmap.PAGESIZE - HEADER_BYTES) // RECORD.size
    assert ledger.close(9_999, End.COMPLETE) is None
    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged["number"].tolist() == list(range(1, 1_001))
    assert content.is_complete


@pytest.mark.parametrize("room", [0, 5, len(packed_header("a-run", 1)), len(packed_header("a-run", 1)) + 31])
def test_unwritten_records_go_to_an_overflow_file_and_are_merged(
    tmp_path: Path, disk: Disk, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    library = tmp_path / "library.sqlite"
    path = ledger_path(library, "a-run", 1)
    ledger = Ledger(str(path), 1)
    noted = [(number, 10 + number, 20, 30) for number in range(1, 4)]
    for record in noted:
        ledger.note(*record)
    disk.room = room
    ledger.flush()
    said = ledger.close(9, End.COMPLETE)
    (rest,) = elsewhere.iterdir()
    assert said == (EventCode.LEDGER_KEPT_ELSEWHERE, f"what the ledger lacks is kept in {rest}")
    assert rest.stat().st_mode & 0o077 == 0
    assert path.stat().st_size == room

    for _ in range(2):
        content = read_ledger(path, "a-run", 1)
        assert content.acknowledged.tolist() == noted
        assert (content.is_complete, content.torn) == (True, 0)
        disk.room = 10**9
        join_overflows(library)
        assert list(elsewhere.iterdir()) == []
    assert path.stat().st_size == len(packed_header("a-run", 1)) + 4 * RECORD.size


def test_disk_that_stays_full_loses_no_record(tmp_path: Path, elsewhere: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=2) as disk:
        library = disk.path / "library.sqlite"
        path = ledger_path(library, "a-run", 1)
        ledger = Ledger(str(path), 1)
        ledger.flush()
        noted = list(range(1, 3 * WINDOW_BYTES // RECORD.size))
        for number in noted:
            if number == noted[-1] // 2:
                disk.fill()
            if number % 1_000 == 0:
                ledger.flush()
            ledger.note(number, number, 7, 100)
        assert ledger.close(9_999, End.COMPLETE) == (EventCode.LEDGER_KEPT_ELSEWHERE, ANY)
        for _ in range(2):
            content = read_ledger(path, "a-run", 1)
            assert content.acknowledged["number"].tolist() == noted
            assert content.is_complete
            join_overflows(library)
            assert len(list(elsewhere.iterdir())) == 1, "there is no room yet"
        disk.make_room()
        join_overflows(library)
        assert list(elsewhere.iterdir()) == []
        assert read_ledger(path, "a-run", 1).acknowledged["number"].tolist() == noted


def test_records_without_space_are_reported_as_lost(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space, "spare_folders", list)
    path = tmp_path / "ledgers" / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.flush()
    disk.room = 0
    ledger.note(1, 1, 1, 1)
    news = ledger.close(9, End.COMPLETE)
    assert news == (EventCode.LEDGER_LOST, "what the ledger lacks is lost: there is no room for it anywhere")
    assert read_ledger(path, "a-run", 1).end is None


def test_removing_a_ledger_removes_its_overflow(tmp_path: Path, disk: Disk, elsewhere: Path) -> None:
    library = tmp_path / "library.sqlite"
    for run_id in ("a-run", "b-run"):
        ledger = Ledger(str(ledger_path(library, run_id, 1)), 1)
        disk.room = 0
        ledger.note(1, 1, 1, 1)
        ledger.close(9, End.COMPLETE)
    remove_ledgers(library, "a-run")
    assert ["b-run" in each.name for each in elsewhere.iterdir()] == [True]


def test_concurrent_records_survive_flushing(tmp_path: Path) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)

    def user(number: int) -> None:
        for order in range(2_000):
            ledger.note(order, 2_000 * number + order + 1, number + 1, 100)

    users = [threading.Thread(target=user, args=(number,)) for number in range(4)]
    for thread in users:
        thread.start()
    while any(thread.is_alive() for thread in users):
        ledger.flush()
    ledger.close(0, End.COMPLETE)

    assert sorted(read_ledger(path, "a-run", 1).acknowledged["number"].tolist()) == list(range(1, 8_001))


def test_full_disk_is_reported_once_and_records_are_written_later(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.note(1, 10, 20, 30)
    disk.room = len(packed_header("a-run", 1)) + 7
    assert ledger.flush() == (
        EventCode.LEDGER_UNWRITTEN,
        "the ledger can't be written (No space left on device); it is kept in memory and tried again",
    )
    ledger.note(2, 11, 21, 31)
    assert ledger.flush() is None
    assert path.stat().st_size == len(packed_header("a-run", 1)) + 7
    disk.room = 10**6
    assert ledger.flush() == WRITTEN
    assert ledger.close(3, End.COMPLETE) is None

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == [(1, 10, 20, 30), (2, 11, 21, 31)]
    assert content.is_complete


def test_full_disk_buffer_is_limited(tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "MOST_HELD_BYTES", 20 * RECORD.size)
    path = tmp_path / "a-run" / "client-1.ledger"
    ledger = Ledger(str(path), 1)
    ledger.note(1, 1, 1, 1)
    ledger.flush()
    disk.room = 0
    for order in range(2, 30):
        ledger.note(order, order, 1, 1)
    assert ledger.flush() == (
        EventCode.LEDGER_GIVEN_UP,
        "the ledger is given up (No space left on device); the audit will lack what is ordered from now on",
    )
    disk.room = 10**6
    ledger.note(31, 31, 1, 1)
    assert ledger.flush() is None
    assert ledger.close(32, End.COMPLETE) is None

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged["number"].tolist() == [1]
    assert not content.is_complete


def test_ledger_is_written_once_its_folder_can_be_created(tmp_path: Path) -> None:
    (tmp_path / "a-run").write_text("in the way")
    ledger = Ledger(str(tmp_path / "a-run" / "client-1.ledger"), 1)
    ledger.note(1, 1, 1, 1)
    assert ledger.flush() is not None
    (tmp_path / "a-run").unlink()
    assert ledger.flush() == WRITTEN
    ledger.close(1, End.COMPLETE)
    assert len(read_ledger(tmp_path / "a-run" / "client-1.ledger", "a-run", 1).acknowledged) == 1


def test_a_ledger_never_writes_over_another_runs(tmp_path: Path) -> None:
    first = Ledger(str(tmp_path / "a-run" / "client-1.ledger"), 1)
    first.note(1, 1, 1, 1)
    first.close(1, End.COMPLETE)
    second = Ledger(str(tmp_path / "a-run" / "client-1.ledger"), 1)
    news = second.close(1, End.COMPLETE)
    assert news is not None
    assert "File exists" in news.text
    assert len(read_ledger(tmp_path / "a-run" / "client-1.ledger", "a-run", 1).acknowledged) == 1


def test_only_its_owner_may_read_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "a-run" / "client-1.ledger"
    Ledger(str(path), 1).close(1, End.COMPLETE)
    assert path.stat().st_mode & 0o077 == 0
