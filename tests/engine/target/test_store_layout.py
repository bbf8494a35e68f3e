import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.target.store_layout import (
    MOST_FILES,
    FilegroupLayout,
    LogLayout,
    StoreLayout,
    is_windows_path,
    joined,
)
from engine.workloads.dvdstore.estimate import estimate
from engine.workloads.dvdstore.layout import FILEGROUP_TABLES, layout_for
from engine.workloads.dvdstore.schema import TABLES
from engine.workloads.dvdstore.sizing import DbSize

_MB = 1024 * 1024
_SIZES = st.builds(DbSize, st.integers(1, 1_000), st.sampled_from(["MB", "GB"]))


@given(size=_SIZES)
def test_a_layout_for_a_size_has_forty_per_cent_free_in_every_filegroup(size: DbSize) -> None:
    tables = {table.table: table for table in estimate(size).tables}
    layout = layout_for(size)
    for name, held in FILEGROUP_TABLES.items():
        data_mb = sum(tables[table].data_bytes for table in held) / _MB
        assert layout.filegroups[name].size_mb >= 1.4 * data_mb
    assert layout.indexes.size_mb >= 1.4 * estimate(size).index_bytes / _MB
    assert layout.total_mb >= 1.4 * estimate(size).total_bytes / _MB
    assert layout.log.size_mb >= 0.4 * estimate(size).total_bytes / _MB


def test_every_table_lies_in_one_filegroup() -> None:
    assert sorted(table for held in FILEGROUP_TABLES.values() for table in held) == sorted(TABLES)


def test_a_large_filegroup_begins_with_several_files_and_a_small_one_with_one() -> None:
    small, large = layout_for(DbSize(10, "MB")), layout_for(DbSize(100, "GB"))
    assert {group.files for group in small.filegroups.values()} == {1}
    assert large.customers.files > 1


@given(size_mb=st.integers(8, 100_000), files=st.integers(1, MOST_FILES))
def test_a_filegroups_files_hold_no_less_than_it_should(size_mb: int, files: int) -> None:
    group = FilegroupLayout(size_mb=size_mb, files=files)
    assert size_mb <= group.files * group.file_mb < size_mb + files
    assert group.file_mb == math.ceil(size_mb / files)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({"customers": FilegroupLayout(files=0)}, "filegroup customers has 0 files; give 1 to 8"),
        ({"orders": FilegroupLayout(files=9)}, "filegroup orders has 9 files; give 1 to 8"),
        ({"misc": FilegroupLayout(size_mb=0)}, "filegroup misc has 0 MiB; give 1 to"),
        ({"misc": FilegroupLayout(size_mb=3, files=4)}, "filegroup misc has 3 MiB for 4 files; give at least 1 MiB"),
        ({"log": LogLayout(size_mb=3_000_000)}, "the log has 3000000 MiB; give 1 to 2097152 MiB"),
        ({"indexes": FilegroupLayout(folder="data")}, "filegroup indexes is 'data'; give a full path on the server"),
        ({"log": LogLayout(folder="D:\\lo|gs")}, "the log's folder is 'D:.*', which is not a valid Windows path"),
        ({"backup_folder": "D:\\a:b"}, "the backup folder is 'D:.*', which is not a valid Windows path"),
        ({"backup_folder": "/a\nb"}, "the backup folder is '/a.*without control characters"),
        ({"backup_folder": "/" + 300 * "a"}, "the backup folder has 301 characters"),
        ({"backup_folder": "/b", "log": LogLayout(folder="D:\\logs")}, "mixes Windows and Linux folders"),
        ({"bulk_folder": "/bulk"}, "the bulk folder is given for only one of server and this machine"),
        ({"bulk_folder_here": "/bulk"}, "the bulk folder is given for only one of server and this machine"),
    ],
)
def test_impossible_layout_is_rejected(layout: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        replace(StoreLayout(), **layout)  # type: ignore[arg-type]


def test_folders_of_either_system_are_taken() -> None:
    for folder in ("D:\\data", "d:/data", "\\\\nas\\share", "\\\\nas\\share\\data\\", "/var/opt/mssql/data", "/"):
        layout = StoreLayout(backup_folder=folder, bulk_folder=folder, bulk_folder_here="/mnt/bulk")
        assert layout.backup_folder == folder


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("D:\\data", "D:\\data\\a.mdf"),
        ("D:\\", "D:\\a.mdf"),
        ("d:/data/", "d:/data\\a.mdf"),
        ("\\\\nas\\share\\", "\\\\nas\\share\\a.mdf"),
        ("/var/opt/mssql/data/", "/var/opt/mssql/data/a.mdf"),
        ("/", "/a.mdf"),
    ],
)
def test_a_file_in_a_folder_is_written_as_the_server_writes_it(folder: str, path: str) -> None:
    assert joined(folder, "a.mdf") == path
    assert is_windows_path(folder) is not folder.startswith("/")
