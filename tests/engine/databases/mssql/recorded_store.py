"""A recorded SQL Server that remembers which databases and which store it holds: for building, resetting, dropping.

It knows no T-SQL: it goes by the words of the few batches that change what it holds, and says nothing to all others.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyodbc

from tests.doubles.recorded_sql_server import (
    NamedRow,
    RecordedConnection,
    RecordedCursor,
    RecordedSqlServer,
    odbc_error,
)

SALT = bytes(range(16))
COUNTS = {"customers": 2_000, "orders": 1_200, "order_lines": 6_000, "products": 1_000}
_MARKED = r"^SELECT OBJECT_ID\(N'dbo.spindle_store', N'U'\)$"
_IS_THERE = r"^SELECT SCHEMA_ID\(\?\)$"
_WORDS = r"^SELECT OBJECT_ID\(N'\w+.product_words'"
_RECORD = r"^SELECT \* FROM dbo.spindle_store"
Batch = tuple[str, str]


class RecordedStore(RecordedSqlServer):
    """``log`` has each batch with the database that it was sent to, and each commit and rollback."""

    def __init__(self) -> None:
        super().__init__()
        self.databases = {"master"}
        self.refused_users: set[str] = set()
        self.log: list[Batch] = []
        self.rows: dict[str, list[Sequence[Any]]] = {}
        self.salts: list[bytes] = []
        self._schemas: set[str] = set()
        self._made_database = False
        self.driver_name = "libmsodbcsql-18.3.so.2.1"
        self.answers("", None)
        self.answers(r"^SELECT CONVERT.*DB_NAME\(\), 'Updateability'", [("READ_WRITE",)])
        self.answers(r"^SELECT CONVERT.*'ServerName'\)\)$", [("SRV1\\PROD",)])
        self.answers("ProductMajorVersion", [(16,)])
        self.answers("IsFullTextInstalled", [(1,)])
        self.answers(_WORDS, [(None,)])
        self.answers("InstanceDefaultDataPath", [("/var/opt/mssql/data/", "/var/opt/mssql/log", None, 1)])
        self.answers("^SELECT recovery_model_desc FROM", [("FULL",)])
        self.answers("sys.database_mirroring", [(0,)])
        self.answers("FROM sys.filegroups", [("PRIMARY", 1)])
        self.answers("TableFulltextPopulateStatus", [(0, 0, 0, 1_000, 0, 1)])
        self.answers(r"FROM sys.objects AS o WHERE o.is_ms_shipped", [(0,)])
        self.answers(r"^SELECT TOP \(1\) CASE", [])
        self.answers("FROM sys.databases AS d\nINNER JOIN sys.availability_replicas AS own", [])
        self.answers(_IS_THERE, [(None,)])
        self.answers("HAS_PERMS_BY_NAME.*'CONTROL'", [(1,)])
        self.answers("HAS_PERMS_BY_NAME.*'VIEW SERVER STATE'", [(0,)])
        self.answers("HAS_PERMS_BY_NAME.*'ALTER ANY LOGIN'", [(0, 0, 0)])
        self.answers(r"^SELECT COALESCE\(MAX\(orderid\)", [(COUNTS["orders"],)])
        self.answers(r"^SELECT COALESCE\(MAX\(customerid\)", [(COUNTS["customers"],)])
        self.hold(None)

    def hold(
        self,
        state: str | None,
        *,
        made_database: bool = True,
        backup_file: str | None = None,
        was_complete: bool | None = None,
        **columns: object,
    ) -> None:
        """Hold a store of 1MB in this state from now on; ``None``: hold none. ``columns`` are others of its record."""
        self._was_complete = state == "complete" if was_complete is None else was_complete
        self.answers(_MARKED, [(None if state is None else 581577110,)])
        if state is not None:
            row = {
                "format": 2,
                "state": state,
                "workload": "dvdstore",
                "scale": "1MB",
                "seed": 7,
                "counts": json.dumps(COUNTS) if self._was_complete else "{}",
                "made_database": made_database,
                "salt": SALT,
                "backup_file": backup_file,
            }
            self.answers(_RECORD, [NamedRow.of(row | columns)])

    def permit_accounts(self) -> None:
        """Let accounts be made from now on; none is there."""
        self.answers("'ALTER ANY LOGIN'", [(1, 1, 0)])
        self.answers("^SELECT PWDCOMPARE", [])
        self.answers("^SELECT COUNT.* FROM sys.server_principals", [(0,)])

    @property
    def granted(self) -> list[str]:
        """The procedures that accounts were allowed to execute, in order."""
        return [
            name for _, text in self.sent_like("^GRANT EXECUTE") for name in re.findall(r"OBJECT::dbo\.(\w+)", text)
        ]

    def hold_first_format(self, state: str, columns: Mapping[str, Any]) -> None:
        """Hold a store whose record is of format 1."""
        row = {"state": state, "seed": 7, "made_database": True, "salt": SALT, "backup_file": None, **columns}
        self.answers(_MARKED, [(581577110,)])
        self.answers(_RECORD, [NamedRow.of(row)])

    def connect(self, connection_string: str, **_options: Any) -> "StoreConnection":
        self.connection_strings.append(connection_string)
        found = re.search(r"Database=\{?([^;}]*)", connection_string)
        assert found is not None
        if found[1] not in self.databases:
            raise odbc_error(("42000", 4060, f'Cannot open database "{found[1]}" requested by the login.'))
        if any(f"UID={user};" in connection_string for user in self.refused_users):
            raise odbc_error(("28000", 18456, "Login failed."))
        connection = StoreConnection(self, found[1])
        self.connections.append(connection)
        return connection

    def take(self, database: str, statement: str, values: Sequence[Any]) -> None:
        """Keep what was sent, and what it does to what is held."""
        self.log.append((database, statement))
        if created := re.match(r"(?:CREATE|RESTORE) DATABASE \[(\w+)\]", statement):
            self.databases.add(created[1])
        if dropped := re.match(r"DROP DATABASE \[(\w+)\]", statement):
            self.databases.discard(dropped[1])
            self.hold(None)
        if noted := re.match(r"INSERT INTO (\w+)\.spindle_store", statement):
            self._made_database = bool(values[5])
            self.salts.append(values[6])
            if noted[1] == "dbo":
                self.hold("building", made_database=self._made_database)
        if schema := re.match(r"(CREATE|DROP) SCHEMA (\w+)", statement):
            (self._schemas.add if schema[1] == "CREATE" else self._schemas.discard)(schema[2])
            self.answers(_IS_THERE, [(5 if self._schemas else None,)])
        if "SET state = 'complete'" in statement:
            self.hold("complete", made_database=self._made_database)
        if statement == "UPDATE dbo.spindle_store SET state = 'building'":
            self.hold("building", made_database=self._made_database, was_complete=self._was_complete)
        if statement.startswith("DROP TABLE IF EXISTS dbo.spindle_store"):
            self.hold(None)

    def sent_like(self, pattern: str) -> list[Batch]:
        """What was sent of this kind, in its order, with the database that it was sent to."""
        return [(database, text) for database, text in self.log if re.search(pattern, text, re.DOTALL)]

    def places(self, *patterns: str) -> list[int]:
        """When each of these was first sent."""
        return [
            next(place for place, (_, text) in enumerate(self.log) if re.search(pattern, text, re.DOTALL))
            for pattern in patterns
        ]


class StoreConnection(RecordedConnection):
    """A connection to one database of the recorded server."""

    def __init__(self, server: RecordedStore, database: str) -> None:
        super().__init__(server)
        self.store_server = server
        self.database = database

    def cursor(self) -> "StoreCursor":
        self.check()
        return StoreCursor(self)

    def getinfo(self, what: int) -> str:
        assert what == pyodbc.SQL_DRIVER_NAME
        return self.store_server.driver_name

    def commit(self) -> None:
        super().commit()
        self.store_server.log.append((self.database, "COMMIT"))

    def rollback(self) -> None:
        super().rollback()
        self.store_server.log.append((self.database, "ROLLBACK"))


class StoreCursor(RecordedCursor):
    """A cursor that takes arrays of rows too."""

    def __init__(self, connection: StoreConnection) -> None:
        super().__init__(connection)
        self.store_connection = connection
        self.fast_executemany = False

    def execute(self, statement: str, *values: Any) -> "RecordedCursor":
        connection = self.store_connection
        connection.store_server.take(connection.database, statement, values)
        return super().execute(statement, *values)

    def setinputsizes(self, types: Sequence[tuple[int, int, int]]) -> None:
        """What is recorded has no types."""

    def executemany(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        assert self.fast_executemany, "row by row would take for ever"
        connection = self.store_connection
        connection.check()
        connection.store_server.log.append((connection.database, statement))
        table = re.match(r"INSERT INTO \w+\.(\w+)", statement)
        assert table is not None
        connection.store_server.rows.setdefault(table[1], []).extend(rows)
