"""The options of `spindle build` for SQL Server's files: their meaning, and when they are refused."""

from typing import Any

import click
import pytest
from click.testing import CliRunner

from app.cli.layout_options import layout_of, layout_options
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.target.target import MARIADB, MSSQL, Host, Target
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.wholesale.bindings.mssql.store import STORE as WHOLESALE
from tests.app.conftest import Spindle

SIZE = DbSize(10, "GB")
STORES = (Target(kind=MSSQL, hosts=(Host("db1", 1433),)),)
PLAN = RunPlan(targets=STORES, parameters={"db_size": SIZE})


def _given(*arguments: str) -> dict[str, Any]:
    """The values with which a command of these options is called."""
    taken: dict[str, Any] = {}
    command = click.command()(layout_options(lambda **values: taken.update(values)))
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return taken


def test_without_options_the_database_is_left_to_the_build() -> None:
    assert layout_of(PLAN, _given()) is None


def test_every_option_has_its_place_in_the_layout() -> None:
    layout = layout_of(
        PLAN,
        _given(
            *("--files-per-filegroup", "4"),
            *("--data-folder", r"D:\data"),
            *("--index-folder", r"I:\index"),
            *("--log-folder", r"E:\log"),
            *("--backup-folder", r"F:\backup"),
            *("--bulk-folder", r"\\nas\bulk"),
            *("--bulk-folder-here", "/mnt/bulk"),
        ),
    )
    assert layout is not None
    suggested = layout_for(SIZE)
    found = {name: (group.files, group.folder) for name, group in layout.filegroups.items()}
    data = (4, r"D:\data")
    assert found == {"customers": data, "orders": data, "misc": data, "indexes": (4, r"I:\index")}
    assert [group.size_mb for group in layout.filegroups.values()] == [
        group.size_mb for group in suggested.filegroups.values()
    ]
    assert (layout.log.folder, layout.log.size_mb) == (r"E:\log", suggested.log.size_mb)
    assert (layout.backup_folder, layout.bulk_folder, layout.bulk_folder_here) == (
        r"F:\backup",
        r"\\nas\bulk",
        "/mnt/bulk",
    )


def test_indexes_default_to_the_data_filegroup() -> None:
    layout = layout_of(PLAN, _given("--data-folder", "/data"))
    assert layout is not None
    assert layout.indexes.folder == "/data"
    assert layout.customers.files == layout_for(SIZE).customers.files


def test_files_of_wholesale_have_room_for_its_warehouses() -> None:
    plan = RunPlan(targets=STORES, workload="wholesale", parameters={"warehouses": 100})
    layout = layout_of(plan, _given("--backup-folder", "/backup"))
    assert layout is not None
    assert layout.backup_folder == "/backup"
    assert layout.filegroups == WHOLESALE.layout("100W").filegroups


def test_layout_options_are_rejected_for_other_databases() -> None:
    plan = PLAN.changed({"targets": (*STORES, Target(kind=MARIADB, hosts=(Host("db2", 3306),)))})
    with pytest.raises(BadInput, match=r"--log-folder: the files are chosen on SQL Server only, not on mariadb"):
        layout_of(plan, _given("--log-folder", "/log"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "mssql://db1/ds2", "--files-per-filegroup", "9"), "give 1 to 8"),
        (("--target", "mssql://db1/ds2", "--bulk-folder", "/x"), "for only one of server and this machine"),
        (("--data-folder", "/x"), "the files are chosen on SQL Server only, not on embedded"),
    ],
)
def test_build_refuses_a_wrong_layout_before_it_connects(
    spindle: Spindle, arguments: tuple[str, ...], words: str
) -> None:
    outcome = spindle("build", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
