import hashlib
import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from engine.errors import UserError
from engine.library import opening
from engine.library.library import Library
from engine.library.opening import prepare_library_file
from tests.engine.library.examples import a_finished_record, some_samples

OPEN_AND_SAY_WHAT_WAS_TOLD = """
import sys
from pathlib import Path
from engine.library.library import Library
with Library.open(Path(sys.argv[1]), notify=print) as library:
    library.runs()
"""
WRITE_INTO_THE_WAL_AND_DIE = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE alembic_version SET version_num = '9999'")
connection.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""


def digests(folder):
    """What is in the folder's files; the -shm is left out, which only says who has the file open."""
    files = (each for each in folder.iterdir() if each.suffix != ".lock" and not each.name.endswith("-shm"))
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def test_a_library_that_is_up_to_date_opens_without_alembic_and_numpy(library, path):
    library.close()
    loaded = (
        "import sys\n" + OPEN_AND_SAY_WHAT_WAS_TOLD + "print([n for n in ('alembic', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", loaded, path], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_an_empty_file_becomes_a_library(path, told):
    path.parent.mkdir()
    path.touch()
    with Library.open(path, notify=told.append) as library:
        assert library.runs() == []
    assert told == []


@pytest.mark.skipif(sys.platform == "win32", reason="nothing there dies of SIGKILL")
def test_a_newer_library_is_refused_and_left_as_it_is(library, path, told):
    library.add_imported(a_finished_record(), some_samples(), [])
    library.close()
    subprocess.run([sys.executable, "-c", WRITE_INTO_THE_WAL_AND_DIE, path], check=False, timeout=60)
    before = digests(path.parent)
    assert f"{path.name}-wal" in before
    with pytest.raises(UserError, match=r"library\.sqlite needs the newer Spindle that wrote it \(version 9999 .*\.$"):
        Library.open(path, notify=told.append)
    assert digests(path.parent) == before
    assert told == []


def test_another_programs_database_is_refused(path, told):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (title TEXT)")
    before = digests(path.parent)
    with pytest.raises(UserError, match="is another program's database; choose another home folder"):
        Library.open(path, notify=told.append)
    assert digests(path.parent) == before


def garbage(path):
    path.write_bytes(random.Random(1).randbytes(50_000))


def truncated(path):
    os.truncate(path, path.stat().st_size // 2)


def scribbled(path):
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 64)


@pytest.mark.parametrize("damage", [garbage, truncated, scribbled])
def test_a_damaged_library_is_set_aside_and_a_new_one_begun(library, path, told, damage):
    library.add_imported(a_finished_record(), some_samples(seconds=500), [])
    library.close()
    damage(path)
    content = path.read_bytes()
    with Library.open(path, notify=told.append) as new:
        assert new.runs() == []
    (aside,) = path.parent.glob("library.corrupt-*.sqlite")
    assert aside.read_bytes() == content
    assert len(told) == 1
    assert f"it is kept as {aside.name}, and a new one was started." in told[0]


def test_damaged_library_is_renamed_with_its_wal_to_a_free_name(path, told, monkeypatch):
    monkeypatch.setattr(opening, "datetime", StoppedClock)
    path.parent.mkdir()
    for content in (b"one damaged file", b"another damaged file"):
        path.write_bytes(content)
        path.with_name("library.sqlite-wal").write_bytes(b"wal of " + content)
        prepare_library_file(path, notify=told.append)
    name = "library.corrupt-20260101T120000Z"
    kept = {each.name: each.read_bytes() for each in path.parent.glob("*corrupt*[!m]")}
    assert kept == {
        f"{name}.sqlite": b"one damaged file",
        f"{name}.sqlite-wal": b"wal of one damaged file",
        f"{name}-2.sqlite": b"another damaged file",
        f"{name}-2.sqlite-wal": b"wal of another damaged file",
    }


class StoppedClock(opening.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 1, 1, 12, 0, 0, tzinfo=tz)


def test_damaged_library_is_renamed_by_one_of_several_processes(path):
    path.parent.mkdir()
    garbage(path)
    command = [sys.executable, "-c", OPEN_AND_SAY_WHAT_WAS_TOLD, path]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len("".join(said).splitlines()) == 1
    assert len(list(path.parent.glob("library.corrupt-*.sqlite"))) == 1


@pytest.mark.parametrize("moment", ["_look", "_has_content"])
def test_library_renamed_while_it_is_opened_is_created_again(path, told, monkeypatch, moment):
    path.parent.mkdir()
    garbage(path)
    original = getattr(opening, moment)

    def looked_at_too_late(*arguments):
        if path.exists():
            path.rename(path.with_name("set-aside-by-another-process"))
        return original(*arguments)

    monkeypatch.setattr(opening, moment, looked_at_too_late)
    monkeypatch.setattr(opening, "QUICK_CHECK_BYTES", 0)
    Library.open(path, notify=told.append).close()
    assert told == []


def outdated(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0004'")
        connection.commit()


@pytest.mark.parametrize("change", [os.remove, garbage, scribbled, outdated])
def test_read_only_opening_skips_missing_old_and_damaged_libraries(library, path, change):
    library.add_imported(a_finished_record(), some_samples(seconds=500), [])
    library.close()
    change(path)
    before = digests(path.parent)
    assert Library.open_read_only_if_current(path) is None
    path.with_name("library.sqlite-wal").unlink(missing_ok=True)  # an empty one, which a reader can't but leave
    assert digests(path.parent) == before


def test_read_only_opening_sees_later_writes_and_writes_nothing(library, path):
    record = a_finished_record()
    run_id = record.run_id
    library.add_imported(record, some_samples(), [])
    with Library.open_read_only_if_current(path) as looked_into:
        assert [each.run_id for each in looked_into.runs(text=run_id.upper())] == [run_id]
        library.rename(run_id, "renamed")
        assert looked_into.run(run_id).name == "renamed"
        with pytest.raises(UserError, match=r"library\.sqlite can't be written"):
            looked_into.rename(run_id, "never")


def test_file_in_place_of_the_folder_is_a_user_error(path, told):
    path.parent.write_text("in the way")
    with pytest.raises(UserError, match=r"library\.sqlite can't be written \(.*\); choose another home folder"):
        Library.open(path, notify=told.append)
    assert path.parent.read_text() == "in the way"


def test_folder_in_place_of_the_file_is_a_user_error(path, told):
    path.mkdir(parents=True)
    with pytest.raises(UserError, match=r"library\.sqlite can't be written \(it is a folder\); choose"):
        Library.open(path, notify=told.append)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder_is_a_user_error(library, path, told):
    library.close()
    path.parent.chmod(0o500)
    try:
        with pytest.raises(UserError, match=r"can't be written \(permission denied\); choose another home folder"):
            Library.open(path, notify=told.append)
    finally:
        path.parent.chmod(0o700)


def test_is_current_does_not_check_a_large_library(library, path, monkeypatch):
    record = a_finished_record()
    library.add_imported(record, some_samples(seconds=50), [])
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0
    monkeypatch.setattr(opening, "QUICK_CHECK_BYTES", 0)
    looked: list[object] = []
    monkeypatch.setattr(opening, "_quick_check", looked.append)
    with Library.open_read_only_if_current(path) as looked_into:
        assert [run.run_id for run in looked_into.runs()] == [record.run_id]
    assert looked == []
    prepare_library_file(path, notify=pytest.fail)
    assert len(looked) == 1, "what a crash may have left is looked through when the library is used"
