"""The files of a store on a SQL Server and their initial sizes: an argument of builds, edited in a form.

Folders are those of the server, on Windows or Linux; an empty one is the server's default. A plain type.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Self

from engine.errors import BadInput

MOST_FILES = 8
FREE_SHARE = 0.40
LARGEST_DATA_FILE_MB = 16 * 1024 * 1024
LARGEST_LOG_MB = 2 * 1024 * 1024
_MB = 1024 * 1024
_LEAST_FILEGROUP_MB = 16
_LEAST_LOG_MB = 256
_SEVERAL_FILES_FROM_MB = 10 * 1024
_SEVERAL_FILES = 4
_LONGEST_FOLDER = 200
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\/]+[\\/][^\\/]+")
_NOT_IN_WINDOWS = re.compile(r'[<>"|?*]')


@dataclass(frozen=True, kw_only=True)
class FilegroupLayout:
    """A filegroup's files: their folder, their number (1 to 8), and their total size in MB of 2**20 bytes."""

    folder: str = ""
    files: int = 1
    size_mb: int = _LEAST_FILEGROUP_MB

    @property
    def file_mb(self) -> int:
        """The initial size of each file."""
        return math.ceil(self.size_mb / self.files)


@dataclass(frozen=True, kw_only=True)
class LogLayout:
    """The transaction log's folder, and its size in MB; SQL Server does not benefit from a second log file."""

    folder: str = ""
    size_mb: int = _LEAST_LOG_MB


@dataclass(frozen=True, kw_only=True)
class StoreLayout:
    """The files of a store's database, and the folders for building and resetting it.

    ``backup_folder`` is where the server keeps a backup of the pristine store, which makes resets fast; empty: there is
    no backup, and a reset deletes the added rows. ``bulk_folder`` is a folder as the server sees it,
    ``bulk_folder_here`` the same one on this machine: BULK INSERT loads from it; empty: rows are sent.
    """

    customers: FilegroupLayout = field(default_factory=FilegroupLayout)
    orders: FilegroupLayout = field(default_factory=FilegroupLayout)
    indexes: FilegroupLayout = field(default_factory=FilegroupLayout)
    misc: FilegroupLayout = field(default_factory=FilegroupLayout)
    log: LogLayout = field(default_factory=LogLayout)
    backup_folder: str = ""
    bulk_folder: str = ""
    bulk_folder_here: str = ""

    def __post_init__(self) -> None:
        for name, group in self.filegroups.items():
            _check_filegroup(name, group)
        _check_size("the log", self.log.size_mb, LARGEST_LOG_MB)
        for what, folder in self._server_folders():
            _check_folder(what, folder)
        styles = {is_windows_path(folder) for _, folder in self._server_folders() if folder}
        if len(styles) > 1:
            raise BadInput(
                "the layout mixes Windows and Linux folders; write all of them in the form of the server's system."
            )
        if bool(self.bulk_folder) != bool(self.bulk_folder_here):
            raise BadInput(
                "the bulk folder is given for only one of server and this machine; give the same folder as each of them"
                " sees it, or leave both empty."
            )
        _check_printable("the bulk folder on this machine", self.bulk_folder_here)

    @property
    def filegroups(self) -> dict[str, FilegroupLayout]:
        """The filegroups by their names."""
        return {"customers": self.customers, "orders": self.orders, "indexes": self.indexes, "misc": self.misc}

    @property
    def total_mb(self) -> int:
        """The initial size of data files and log."""
        return sum(group.files * group.file_mb for group in self.filegroups.values()) + self.log.size_mb

    @classmethod
    def for_bytes(cls, *, customers: int, orders: int, indexes: int, misc: int) -> Self:
        """A layout in the server's default folders: the estimated bytes of each filegroup plus 40 % free space, so that
        no file grows during a test; the log has 40 % of the data, since it is not truncated during a run.
        """
        log_mb = max(_LEAST_LOG_MB, math.ceil(FREE_SHARE * (customers + orders + indexes + misc) / _MB))
        return cls(
            customers=_filegroup_for(customers),
            orders=_filegroup_for(orders),
            indexes=_filegroup_for(indexes),
            misc=_filegroup_for(misc),
            log=LogLayout(size_mb=min(log_mb, LARGEST_LOG_MB)),
        )

    def _server_folders(self) -> list[tuple[str, str]]:
        """All folders on the server, with their descriptions."""
        return [
            *((f"the folder of filegroup {name}", group.folder) for name, group in self.filegroups.items()),
            ("the log's folder", self.log.folder),
            ("the backup folder", self.backup_folder),
            ("the bulk folder on the server", self.bulk_folder),
        ]


def is_windows_path(folder: str) -> bool:
    """Whether a folder is that of a Windows server: with a drive letter, or on a share."""
    return _WINDOWS.match(folder) is not None


def joined(folder: str, file: str) -> str:
    """The path of a file in a folder of the server, with the server's separator."""
    if not is_windows_path(folder):
        return f"{folder.rstrip('/')}/{file}"
    stripped = folder.rstrip("\\/")
    return f"{stripped}\\{file}"


def _filegroup_for(size_bytes: int) -> FilegroupLayout:
    size_mb = max(_LEAST_FILEGROUP_MB, math.ceil((1 + FREE_SHARE) * size_bytes / _MB))
    return FilegroupLayout(size_mb=size_mb, files=_SEVERAL_FILES if size_mb >= _SEVERAL_FILES_FROM_MB else 1)


def _check_filegroup(name: str, group: FilegroupLayout) -> None:
    if not 1 <= group.files <= MOST_FILES:
        raise BadInput(f"filegroup {name} has {group.files} files; give 1 to {MOST_FILES}.")
    _check_size(f"filegroup {name}", group.size_mb, group.files * LARGEST_DATA_FILE_MB)
    if group.size_mb < group.files:
        raise BadInput(f"filegroup {name} has {group.size_mb} MiB for {group.files} files; give at least 1 MiB a file.")


def _check_size(what: str, size_mb: int, most_mb: int) -> None:
    if not 1 <= size_mb <= most_mb:
        raise BadInput(f"{what} has {size_mb} MiB; give 1 to {most_mb} MiB.")


def _check_folder(what: str, folder: str) -> None:
    if not folder:
        return
    _check_printable(what, folder)
    if len(folder) > _LONGEST_FOLDER:
        raise BadInput(f"{what} has {len(folder)} characters; give a path of at most {_LONGEST_FOLDER}.")
    if is_windows_path(folder):
        if _NOT_IN_WINDOWS.search(folder) or ":" in folder[2:]:
            raise BadInput(
                f"{what} is '{folder}', which is not a valid Windows path; leave out <, >, \", |, ?, * and :."
            )
    elif not folder.startswith("/"):
        raise BadInput(
            f"{what} is '{folder}'; give a full path on the server, such as D:\\data or /var/opt/mssql/data."
        )


def _check_printable(what: str, value: str) -> None:
    if not value.isprintable():
        raise BadInput(f"{what} is {value!r}; give a path without control characters.")
