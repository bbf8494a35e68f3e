"""The database that a store is built in: made when it is missing, of the files that a layout says, and how it logs."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from engine.databases.database import Timeouts
from engine.databases.mssql.closed_database import login_of, reason_closed, who
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.errors import CANT_OPEN
from engine.databases.mssql.files import creation, filegroups_in
from engine.databases.mssql.replicas import alone, is_copied
from engine.databases.mssql.running import one, query_if_permitted
from engine.databases.mssql.scripts import Sql, identifier
from engine.databases.mssql.substitutes import BuildNotes, is_refused, own_files, own_logging, own_options
from engine.databases.odbc.admin import opened
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import TargetError, UserError
from engine.secrets import Secret
from engine.target.store_layout import StoreLayout
from engine.target.target import Host, Target

_OLDEST_MAJOR = 13  # SQL Server 2016
_IN_USE = "3702"
_EXISTS = "1801"
_MODEL_IN_USE = "1807"  # another database is being made at this moment
_OWN_DATABASES = ("master", "model", "msdb", "tempdb")
_MODEL_SECONDS = 60.0
# Of managed servers: the statement's options, or files and filegroups, are not supported.
_NO_FILES = ("40508", "40517", "41901", "41918")
_LEAVE_SECONDS = 5.0
_CHECK_EVERY_SECONDS = 0.2
# Properties come as sql_variant, which not every driver can read.
_SERVER = "SELECT CAST(SERVERPROPERTY('ProductMajorVersion') AS int)"
_PLACE = """\
SELECT
    CAST(SERVERPROPERTY('InstanceDefaultDataPath') AS nvarchar(400)),
    CAST(SERVERPROPERTY('InstanceDefaultLogPath') AS nvarchar(400)),
    (SELECT d.state_desc FROM sys.databases AS d WHERE d.name = ?),
    HAS_PERMS_BY_NAME(NULL, NULL, 'CREATE ANY DATABASE')
"""
_LOGGING = "SELECT recovery_model_desc FROM sys.databases WHERE database_id = DB_ID()"
_FILEGROUPS = "SELECT name, CAST(is_default AS int) FROM sys.filegroups WHERE type = 'FG'"


def ensure_database(
    target: Target, secret: Secret | None, timeouts: Timeouts, layout: StoreLayout, notes: BuildNotes
) -> bool:
    """Make the target's database when it is missing; whether it was. One that is there keeps its files.

    Raises ``UserError`` when the server is too old, when the user may not make it, or when it is one of the server's
    own; ``notes`` are added to where the server refuses the layout's files, or an option.
    """
    if target.database.lower() in _OWN_DATABASES:
        raise UserError(
            f"Database '{target.database}' is SQL Server's own, and no place for a store; name another in the target."
        )
    try:
        with opened(SqlServerDialect(), target, secret, timeouts) as connection:
            _check_server(connection)
            return False
    except TargetError as error:
        if error.code not in CANT_OPEN:
            raise
    master = target.with_maintenance_database()
    with opened(SqlServerDialect(), master, secret, timeouts) as connection:
        _check_server(connection)
        data_folder, log_folder, status, may_create = one(connection, _PLACE, target.database)
        if status is not None:
            raise UserError(reason_closed(target, str(status), may_open=False))
        if not may_create:
            raise UserError(
                f"Database '{target.database}' does not exist, and {who(target)} may not create it; have it created"
                f" for that account, or grant the right with: ALTER SERVER ROLE dbcreator ADD MEMBER {login_of(target)}"
            )
        _check_folders(layout, data_folder, log_folder)
        try:
            create, options = creation(
                target.database, layout, data_folder=data_folder or "", log_folder=log_folder or ""
            )
            _create(connection, target, create, notes)
        except TargetError as error:
            if error.code != _EXISTS:
                raise
            return False  # created concurrently by another client
        try:
            connection.query(options)
        except TargetError as error:
            if not is_refused(error):
                raise
            notes.add(own_options(error))
    return True


def _create(connection: OdbcConnection, target: Target, create: str, notes: BuildNotes) -> None:
    """SQL Server copies the model to one new database at a time: if another is being created, try again.

    A managed server lays the files out by itself, and says so.
    """
    until = time.monotonic() + _MODEL_SECONDS
    while True:
        try:
            connection.query(create)
        except TargetError as error:
            if error.code in _NO_FILES:
                notes.add(own_files(error))
                create = f"CREATE DATABASE {identifier(target.database)}"
            elif error.code != _MODEL_IN_USE or time.monotonic() > until:
                raise
            else:
                time.sleep(_CHECK_EVERY_SECONDS)
        else:
            return


def drop_database(target: Target, host: Host, secret: Secret | None, timeouts: Timeouts) -> bool:
    """Drop the target's database on one server; false when others stay connected to it.

    Our own last connection may take a moment to be gone on the server.
    """
    until = time.monotonic() + _LEAVE_SECONDS
    while True:
        with opened(SqlServerDialect(), alone(target, host), secret, timeouts) as connection:
            try:
                connection.query(f"DROP DATABASE {identifier(target.database)}")
            except TargetError as error:
                if error.code != _IN_USE:
                    raise
            else:
                return True
        if time.monotonic() > until:
            return False
        time.sleep(_CHECK_EVERY_SECONDS)


def store_filegroups(connection: OdbcConnection) -> Mapping[str, Sql]:
    """The filegroup for each of a layout's, in the connection's database."""
    rows = query_if_permitted(connection, _FILEGROUPS) or []
    default = next((str(name) for name, is_default in rows if is_default), "PRIMARY")
    return filegroups_in({str(name) for name, _ in rows}, default)


@contextmanager
def bulk_logged(
    target: Target, secret: Secret | None, timeouts: Timeouts, *, made_database: bool, notes: BuildNotes
) -> Iterator[None]:
    """The database logs bulk work in brief inside, and everything afterwards.

    It stays as it is in an availability group or with a mirror, which take nothing but full logging; and a database in
    simple logging that somebody else has made. It does so too where this user may not change it, which is noted.
    """
    with opened(SqlServerDialect(), target, secret, timeouts) as connection:
        (model,) = one(connection, _LOGGING)
        keeps_its_logging = is_copied(connection, target.database)
    if keeps_its_logging or (model == "SIMPLE" and not made_database):
        yield
        return
    try:
        _set_recovery(target, secret, timeouts, "BULK_LOGGED")
    except TargetError as error:
        if not is_refused(error):
            raise
        notes.add(own_logging(error))
        yield
        return
    try:
        yield
    except BaseException:
        with suppress(TargetError):  # what went wrong before is what counts
            _set_recovery(target, secret, timeouts, "FULL")
        raise
    _set_recovery(target, secret, timeouts, "FULL")


def _set_recovery(target: Target, secret: Secret | None, timeouts: Timeouts, model: str) -> None:
    with opened(SqlServerDialect(), target, secret, timeouts) as connection:
        connection.query(f"ALTER DATABASE CURRENT SET RECOVERY {model}")


def _check_server(connection: OdbcConnection) -> None:
    (major,) = one(connection, _SERVER)
    if int(major or 0) < _OLDEST_MAJOR:
        raise UserError(f"The server is SQL Server of version {major}; Spindle builds a store on 2016 (13) or newer.")


def _check_folders(layout: StoreLayout, data_folder: str | None, log_folder: str | None) -> None:
    needs_data = any(not group.folder for group in layout.filegroups.values())
    if (needs_data and not data_folder) or (not layout.log.folder and not log_folder):
        raise UserError(
            "The server does not report its default folders; give a folder for each filegroup and for the log."
        )
