"""The checks of a file before it is written, on real files of this machine."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.services.storage.checks import FileFacts, check_place, check_room, facts_of, remarks_on
from engine.services.storage.place import Place

HERE = Place()
GOOD = FileFacts(has_folder=True, is_writable=True, free_bytes=10**9, filesystem="ext2/ext3")


def test_a_file_is_seen_with_its_size_and_the_blocks_that_it_has(tmp_path: Path) -> None:
    written, sparse = tmp_path / "written file", tmp_path / "sparse"
    written.write_bytes(os.urandom(1_000_000))
    with sparse.open("wb") as file:
        file.truncate(1_000_000)
    found, hollow = facts_of(HERE, str(written)), facts_of(HERE, str(sparse))
    assert (found.size_bytes, found.is_device, found.database) == (1_000_000, False, "")
    assert found.allocated_bytes >= 1_000_000
    assert (hollow.size_bytes, hollow.allocated_bytes) == (1_000_000, 0)
    assert found.free_bytes > 0


def test_a_device_and_a_missing_folder_are_seen(tmp_path: Path) -> None:
    assert facts_of(HERE, "/dev/null").is_device
    assert not facts_of(HERE, str(tmp_path / "none" / "f")).has_folder
    assert facts_of(HERE, str(tmp_path)).is_other


@pytest.mark.parametrize(
    ("marker", "product"), [("PG_VERSION", "PostgreSQL"), ("ibdata1", "MariaDB or MySQL"), ("master.mdf", "SQL Server")]
)
def test_a_data_directory_is_known_from_below_it(tmp_path: Path, marker: str, product: str) -> None:
    (tmp_path / marker).touch()
    (tmp_path / "base").mkdir()
    found = facts_of(HERE, str(tmp_path / "base" / "f"))
    assert (found.product, found.database) == (product, str(tmp_path.resolve()))


def test_a_folder_of_write_ahead_logs_on_a_disk_of_its_own_is_postgresqls(tmp_path: Path) -> None:
    (tmp_path / "archive_status").mkdir()
    assert facts_of(HERE, str(tmp_path / "f")).product == "PostgreSQL"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (FileFacts(has_folder=False), "does not exist; give the path of a file in one that does"),
        (replace(GOOD, is_device=True), r"is a device.*add \?device=f to the target"),
        (replace(GOOD, is_other=True), "neither a file nor a device"),
        (
            replace(GOOD, database="/pg", product="PostgreSQL", is_running=True),
            "in /pg, the data directory of PostgreSQL.*running",
        ),
        (replace(GOOD, is_writable=False), "can't be written to"),
    ],
)
def test_what_must_not_be_written_is_refused(facts: FileFacts, words: str) -> None:
    with pytest.raises(UserError, match=words):
        check_place(facts, HERE, "/data/f")


def test_a_device_is_taken_when_its_name_was_typed() -> None:
    check_place(replace(GOOD, is_device=True), HERE, "/dev/sdb", device="sdb")
    with pytest.raises(UserError, match="is a device"):
        check_place(replace(GOOD, is_device=True), HERE, "/dev/sdb", device="sda")


def test_a_stopped_databases_directory_is_taken() -> None:
    check_place(replace(GOOD, database="/pg", product="PostgreSQL"), HERE, "/pg/f")


def test_a_fifth_of_the_file_has_to_stay_free_and_an_old_file_counts_as_room() -> None:
    mb = 1024 * 1024
    check_room(replace(GOOD, free_bytes=120 * mb), HERE, "/data/f", 100)
    with pytest.raises(UserError, match=r"a file of 100 MB needs 120 MB of room.*has 119 MB"):
        check_room(replace(GOOD, free_bytes=119 * mb), HERE, "/data/f", 100)
    check_room(replace(GOOD, free_bytes=20 * mb, allocated_bytes=100 * mb), HERE, "/data/f", 100)


def test_file_systems_that_mislead_are_remarked_on() -> None:
    assert "in memory" in remarks_on(replace(GOOD, filesystem="tmpfs"))[0]
    assert "copy on write" in remarks_on(replace(GOOD, filesystem="btrfs"))[0]
    assert remarks_on(GOOD) == ()


def test_a_program_ends_when_its_input_is_closed() -> None:
    with HERE.start(["sleep", "600"]) as program:
        assert program.poll() is None
        assert program.stdin is not None
        program.stdin.close()
        assert program.wait(60) != 0
