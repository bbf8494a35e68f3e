"""Libraries that can't be written, on real file systems that are full or read-only."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.library.library import Library
from engine.library.opening import sidecar_path
from tests.engine.library.examples import a_finished_record, some_events, some_samples
from tests.small_disk import SmallDisk, small_disk

WRITE_AND_DIE = """
import os, signal, sys
from pathlib import Path
from engine.library.library import Library
library = Library.open(Path(sys.argv[1]), notify=print)
library.rename(library.run("last").run_id, "renamed at last")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def library_path(disk: SmallDisk) -> Path:
    """A library with one run, left as by a process that ended."""
    path = disk.path / "home" / "library.sqlite"
    with Library.open(path, notify=pytest.fail) as library:
        library.add_imported(a_finished_record(), some_samples(), some_events())
    return path


def left_by_a_killed_process(path: Path) -> None:
    """Its last change is in the -wal file only, and the index of that is gone, as after a restart of the machine."""
    command = [sys.executable, "-c", WRITE_AND_DIE, str(path)]
    subprocess.run(command, check=False, timeout=60)
    sidecar_path(path, "-shm").unlink()
    assert sidecar_path(path, "-wal").stat().st_size > 0


def full(disk: SmallDisk) -> str:
    disk.fill()
    return "its disk is full"


def read_only(disk: SmallDisk) -> str:
    disk.make_read_only()
    return "its disk is read-only"


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("make", [full, read_only])
def test_unwritable_library_is_opened_read_only_with_the_reason(
    disk: SmallDisk, library_path: Path, make: object, *, is_killed: bool
) -> None:
    if is_killed:
        left_by_a_killed_process(library_path)
    told: list[str] = []
    reason = make(disk)  # type: ignore[operator]
    before = set(library_path.parent.iterdir())
    with Library.open(library_path, notify=told.append) as library:
        assert told == [f"the library {library_path} is open for reading only: {reason}."]
        assert library.read_only == reason
        (record,) = library.runs(text="BEFORE" if not is_killed else "AT LAST")
        assert list(library.samples(record.run_id)) == some_samples()
        assert library.events(record.run_id) == some_events()
        with pytest.raises(UserError, match=rf"library\.sqlite is open for reading only: {reason}\."):
            library.rename(record.run_id, "never")
        with pytest.raises(UserError, match="open for reading only"):
            library.start_run(a_finished_record(after_seconds=60), notify=pytest.fail)
    with Library.open(library_path, notify=told.append) as again:
        assert len(again.runs()) == 1
    left = {each for each in library_path.parent.iterdir() if each.stat().st_size}
    assert left - before <= {sidecar_path(library_path, "-shm")}


@pytest.mark.parametrize("is_killed", [False, True])
def test_several_threads_read_a_library_on_a_full_disk(disk: SmallDisk, library_path: Path, *, is_killed: bool) -> None:
    if is_killed:
        left_by_a_killed_process(library_path)
    disk.fill()
    counts: list[int] = []
    with Library.open(library_path, notify=[].append) as library:
        run_id = library.run("last").run_id
        threads = [threading.Thread(target=lambda: counts.append(len(list(library.samples(run_id))))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts == [len(some_samples())] * 4


def test_library_is_writable_after_space_was_freed(disk: SmallDisk, library_path: Path) -> None:
    left_by_a_killed_process(library_path)
    disk.fill()
    Library.open(library_path, notify=[].append).close()
    disk.make_room()
    with Library.open(library_path, notify=pytest.fail) as library:
        assert library.read_only == ""
        library.rename(library.run("last").run_id, "again")
    with Library.open(library_path, notify=pytest.fail) as library:
        assert library.run("last").name == "again"


def test_a_library_that_another_process_has_open_is_read_on_a_full_disk(disk: SmallDisk, library_path: Path) -> None:
    with Library.open(library_path, notify=pytest.fail) as first:
        assert len(first.runs()) == 1
        disk.fill()
        told: list[str] = []
        with Library.open(library_path, notify=told.append) as second:
            assert told == [f"the library {library_path} is open for reading only: its disk is full."]
            assert len(second.runs()) == 1
            with pytest.raises(UserError, match=r"open for reading only: its disk is full\."):
                second.set_note(second.run("last").run_id, "short")
        with pytest.raises(UserError, match="no space left on its disk"):
            first.set_note(first.run("last").run_id, "long" * 100_000)


@pytest.mark.parametrize("make", [full, read_only])
def test_read_only_opening_creates_no_library(disk: SmallDisk, make: object) -> None:
    make(disk)  # type: ignore[operator]
    with pytest.raises(UserError, match=r"library\.sqlite "):
        Library.open(disk.path / "library.sqlite", notify=pytest.fail)


def test_a_damaged_or_newer_library_on_a_read_only_disk_is_refused(disk: SmallDisk, library_path: Path) -> None:
    library_path.write_bytes(b"no database" * 1_000)
    disk.make_read_only()
    with pytest.raises(UserError, match="can't be written"):
        Library.open(library_path, notify=pytest.fail)


def test_copy_without_space_names_the_disk(
    disk: SmallDisk, library_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_by_a_killed_process(library_path)
    disk.make_read_only()
    with small_disk(tmp_path / "temporary", megabytes=1) as temporary:
        temporary.fill()
        monkeypatch.setattr("tempfile.tempdir", str(temporary.path))
        with pytest.raises(UserError, match=r"no room for a copy in .*temporary .*TMPDIR"):
            Library.open(library_path, notify=pytest.fail)
        assert [each.name for each in temporary.path.iterdir()] == ["ballast"]
