"""The backup of the pristine store, and the reset that restores it, also of a database in an availability group."""

from collections.abc import Callable
from contextlib import ExitStack, suppress

from engine.databases.database import Timeouts
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.files import backup_path
from engine.databases.mssql.replicas import GroupLeave, alone, group_of, is_copied
from engine.databases.mssql.running import query_if_permitted, run_all
from engine.databases.mssql.scripts import Sql, batches, identifier, listed, literal
from engine.databases.odbc.admin import cancelling, opened
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled, TargetError, UserError
from engine.secrets import Secret
from engine.target.target import Host, Target

_FILES = """\
SELECT f.name, f.physical_name FROM sys.master_files AS f WHERE f.database_id = DB_ID(?) ORDER BY f.file_id
"""
_MAY_RESTORE = """\
SELECT CASE
    WHEN IS_SRVROLEMEMBER('sysadmin') = 1 OR IS_SRVROLEMEMBER('dbcreator') = 1 OR d.owner_sid = SUSER_SID() THEN 1
    ELSE 0 END
FROM sys.databases AS d WHERE d.name = ?
"""
_NO_RIGHT = ("262", "3110", "5011")
_MAY_NOT_RESTORE = "this user may not restore the database: only its owner, dbcreator and sysadmin may"
_SERVER = "SELECT CONVERT(nvarchar(128), SERVERPROPERTY('ServerName'))"
_RECORD = "UPDATE dbo.spindle_store SET backup_file = ?"
# An audit of an earlier run must see that its orders were removed.
_RECORD_RESTORED = "UPDATE dbo.spindle_store SET backup_file = ?, built_at = SYSUTCDATETIME()"
# The backup holds the lease of the build that made it.
_RELEASE = "IF OBJECT_ID(N'dbo.spindle_lease', N'U') IS NOT NULL UPDATE dbo.spindle_lease SET token = ''"


def back_up(connection: OdbcConnection, database: str, folder: str, *, made_database: bool) -> None:
    """Back the complete store up into a folder of the server's, and record the file; raises ``TargetError``.

    It is a copy beside all other backups where somebody else has made the database, whose differential and log backups
    would build on it otherwise.
    """
    ((server,),) = connection.query(_SERVER)
    path = backup_path(folder, server, database)
    copy_only = Sql("" if made_database else ", COPY_ONLY")
    run_all(connection, batches("backup", database=identifier(database), file=literal(path), copy_only=copy_only))
    connection.query(_RECORD, path)


def restore(
    target: Target,
    host: Host,
    secret: Secret | None,
    timeouts: Timeouts,
    path: str,
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> None:
    """Restore the pristine store from its backup on the current primary.

    All connections to the database are closed. Raises ``UserError`` before anything is changed when the backup can't be
    read, or when restoring is impossible inside the database's availability group or with its mirror; ``Cancelled``
    until the restore itself begins, which can't be stopped half-way; ``TargetError``.
    """
    with ExitStack() as stack:
        connection = stack.enter_context(opened(SqlServerDialect(), alone(target, host), secret, timeouts))
        _check_rights(connection, target.database)
        _check_backup(connection, path, cancelled)
        group = group_of(connection, target.database)
        if group is None and is_copied(connection, target.database):
            raise UserError("the database has a mirror, or is in an availability group that this user may not see")
        leave = GroupLeave(connection, group, target.database) if group else None
        if leave is not None:
            leave.open(stack, target, secret, timeouts)
        if cancelled():
            raise Cancelled
        report_progress(Progress(doing="restoring the backup", share=0.1))
        copying = _progress_reporter(report_progress, "copying to the secondary replicas", 0.7)
        try:
            if leave is not None:
                leave.leave()
            _restore(connection, target.database, path)
        except (TargetError, UserError):
            if leave is not None:
                with suppress(TargetError):  # what went wrong before is what counts
                    leave.rejoin(copying)
            raise
        if leave is not None:
            leave.rejoin(copying)
    with opened(SqlServerDialect(), target, secret, timeouts) as store:
        store.query(_RELEASE)
        store.query(_RECORD_RESTORED, path)
    report_progress(Progress(doing="reset", share=1.0))


def _restore(connection: OdbcConnection, database: str, path: str) -> None:
    files = connection.query(_FILES, database)
    moves = listed(*(Sql(f"MOVE {literal(str(name))} TO {literal(str(place))}") for name, place in files))
    try:
        run_all(connection, batches("restore", database=identifier(database), file=literal(path), moves=moves))
    except TargetError as error:
        with suppress(TargetError):  # what went wrong before is what counts
            connection.query(f"ALTER DATABASE {identifier(database)} SET ONLINE")
        if error.code in _NO_RIGHT:
            raise UserError(_MAY_NOT_RESTORE) from error
        raise


def _check_rights(connection: OdbcConnection, database: str) -> None:
    """Check the right to restore before users are disconnected; db_owner does not count while it is offline."""
    rows = query_if_permitted(connection, _MAY_RESTORE, database)
    if rows and rows[0][0] == 0:
        raise UserError(_MAY_NOT_RESTORE)


def _check_backup(connection: OdbcConnection, path: str, cancelled: IsCancelled) -> None:
    """Read the backup's header: its file may be missing or truncated."""
    try:
        with cancelling(connection, cancelled):
            connection.query(f"RESTORE HEADERONLY FROM DISK = {literal(path)}")
    except TargetError as error:
        raise UserError(f"the backup {path} can't be read ({error})") from error


def _progress_reporter(report_progress: ReportProgress, doing: str, share: float) -> Callable[[], None]:
    def report_again() -> None:
        report_progress(Progress(doing=doing, share=share))

    return report_again
