"""The transaction log of a store's database before and after a run, and the warning that it will not last for one."""

from dataclasses import dataclass

from engine.databases.mssql.running import query_if_permitted
from engine.databases.mssql.scripts import identifier
from engine.databases.odbc.connection import OdbcConnection
from engine.figure_text import whole

# An order takes some kilobytes of log: as much as a few hundred thousand of them write.
_LITTLE_FREE_MB = 4096
_LOG_BACKUP = "LOG_BACKUP"
_LOG = """\
SELECT d.recovery_model_desc, d.log_reuse_wait_desc,
    (SELECT SUM(CAST(f.size AS bigint)) / 128 FROM sys.database_files AS f WHERE f.type = 1),
    (SELECT SUM(CAST(FILEPROPERTY(f.name, 'SpaceUsed') AS bigint)) / 128 FROM sys.database_files AS f WHERE f.type = 1)
FROM sys.databases AS d WHERE d.database_id = DB_ID()
"""
_CHAIN = "SELECT COUNT(last_log_backup_lsn) FROM sys.database_recovery_status WHERE database_id = DB_ID()"


@dataclass(frozen=True, kw_only=True)
class LogSpace:
    """``waits_for`` is what keeps the log from being used again, in SQL Server's words; ``has_chain``: it is kept until
    a log backup. Sizes are ``None`` where this user may not see them.
    """

    recovery_model: str
    waits_for: str
    has_chain: bool
    size_mb: int | None
    used_mb: int | None

    def measures(self) -> dict[str, str]:
        known = {
            "log size (MB)": self.size_mb,
            "log used (MB)": self.used_mb,
            "log is kept for": self.waits_for,
            "log backup chain": "yes" if self.has_chain else "no",
        }
        return {name: str(value) for name, value in known.items() if value is not None}

    def warning(self, database: str) -> str:
        """One sentence on a log that may fill during a run; empty where there is no reason."""
        if self.recovery_model == "SIMPLE" or not self.has_chain or self.size_mb is None or self.used_mb is None:
            return ""
        free_mb = max(0, self.size_mb - self.used_mb)
        if free_mb >= _LITTLE_FREE_MB:
            return ""
        name = identifier(database)
        return (
            f"The log of database '{database}' has {whole(free_mb)} MB of {whole(self.size_mb)} MB free and is kept"
            f" until a log backup ({self.recovery_model} recovery): when a run fills it, it grows while all commits"
            f" wait, and where it can't, purchases end with error 9002; back it up before the run, or where nobody"
            f" needs it: ALTER DATABASE {name} SET RECOVERY SIMPLE"
        )


def log_space(connection: OdbcConnection) -> LogSpace | None:
    """The log of the connection's database; ``None`` where this user may not look."""
    rows = query_if_permitted(connection, _LOG)
    if not rows:
        return None
    model, waits_for, size_mb, used_mb = rows[0]
    chain = query_if_permitted(connection, _CHAIN)
    return LogSpace(
        recovery_model=str(model),
        waits_for=str(waits_for),
        has_chain=waits_for == _LOG_BACKUP or bool(chain and chain[0][0]),
        size_mb=None if size_mb is None else int(size_mb),
        used_mb=None if used_mb is None else int(used_mb),
    )
