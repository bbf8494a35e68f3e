"""The files of a store's database in T-SQL: the file list of CREATE DATABASE, and which filegroups a store can use."""

import re
from collections.abc import Mapping

from engine.databases.mssql.scripts import Sql, batches, identifier, listed, literal
from engine.target.store_layout import FilegroupLayout, StoreLayout, joined

FILEGROUPS = ("customers", "orders", "indexes", "misc")
_PREFIX = "spindle_"
_LEAST_GROWTH_MB = 64
_GROWTH_PARTS = 10
_FIT_FOR_A_FILE = re.compile(r"[^\w.\-]", re.ASCII)


def filegroup_name(name: str) -> str:
    """What a filegroup of a layout is called in the database."""
    return f"{_PREFIX}{name}"


def creation(database: str, layout: StoreLayout, *, data_folder: str, log_folder: str) -> list[str]:
    """The batches that make a database of these files; the two folders are the server's own defaults."""
    return batches(
        "database", database=identifier(database), files=_file_list(database, layout, data_folder, log_folder)
    )


def filegroups_in(present: set[str], default: str) -> Mapping[str, Sql]:
    """Where each of the store's filegroups is in a database: in the one made for it, else in the database's default."""
    return {
        name: identifier(filegroup_name(name) if filegroup_name(name) in present else default) for name in FILEGROUPS
    }


def backup_path(folder: str, server: str, database: str) -> str:
    """The file that the backup of a database's pristine store is kept in; servers may share a folder."""
    return joined(folder, f"{_file_stem(server)}_{_file_stem(database)}_spindle.bak")


def bulk_file(database: str, table: str, number: int) -> str:
    """The name of a file of rows in the bulk folder."""
    return f"{_file_stem(database)}_{table}_{number}.dat"


def _file_list(database: str, layout: StoreLayout, data_folder: str, log_folder: str) -> Sql:
    stem = _file_stem(database)
    primary_folder = layout.misc.folder or data_folder
    # Without a size it begins as large as the server's model database, which is the least that it may have.
    primary = _file_spec("primary", joined(primary_folder, f"{stem}.mdf"))
    groups = [
        Sql(f"FILEGROUP {identifier(filegroup_name(name))} {_group_files(stem, name, group, data_folder)}")
        for name, group in layout.filegroups.items()
    ]
    log = _file_spec("log", joined(layout.log.folder or log_folder, f"{stem}_log.ldf"), layout.log.size_mb)
    return Sql(f"ON PRIMARY {listed(primary, *groups)} LOG ON {log}")


def _group_files(stem: str, name: str, group: FilegroupLayout, data_folder: str) -> Sql:
    folder = group.folder or data_folder
    return listed(
        *(
            _file_spec(f"{name}_{number}", joined(folder, f"{stem}_{name}_{number}.ndf"), group.file_mb)
            for number in range(1, group.files + 1)
        )
    )


def _file_spec(logical_name: str, path: str, size_mb: int = 0) -> Sql:
    size = f", SIZE = {size_mb}MB" if size_mb else ""
    growth_mb = max(_LEAST_GROWTH_MB, size_mb // _GROWTH_PARTS)
    return Sql(f"(NAME = {literal(logical_name)}, FILENAME = {literal(path)}{size}, FILEGROWTH = {growth_mb}MB)")


def _file_stem(database: str) -> str:
    """The database's name as part of a file's, on any system."""
    return _FIT_FOR_A_FILE.sub("_", database)
