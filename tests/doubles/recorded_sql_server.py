"""A recorded SQL Server: plays pyodbc's connect and cursor by the text of each batch, and keeps what was sent to it.

It replaces answers that only a SQL Server can give, and tests nothing of ODBC, which is tested on real servers. Its
error messages are written as pyodbc writes those of Microsoft's driver.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyodbc

_CLASSES = {
    "08": pyodbc.OperationalError,
    "HY": pyodbc.OperationalError,
    "23": pyodbc.IntegrityError,
    "42": pyodbc.ProgrammingError,
}
Rows = Sequence[Sequence[Any]]


class NamedRow(tuple[Any, ...]):
    """A row whose columns have names, as those of pyodbc's rows have."""

    cursor_description: tuple[tuple[str], ...]

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> "NamedRow":
        row = cls(columns.values())
        row.cursor_description = tuple((name,) for name in columns)
        return row


def odbc_error(*records: tuple[str, int, str], function: str = "SQLExecDirectW") -> pyodbc.Error:
    """An error of these records, SQLSTATE, native number and text, in pyodbc's own form."""
    first, *others = (
        f"[{sqlstate}] [Microsoft][ODBC Driver 18 for SQL Server][SQL Server]{text} ({native})"
        for sqlstate, native, text in records
    )
    message = "; ".join([f"{first} ({function})", *others])
    sqlstate = records[0][0]
    return _CLASSES.get(sqlstate[:2], pyodbc.Error)(sqlstate, message)


@dataclass(frozen=True)
class Answer:
    """What the server says to a batch: row sets and row counts (``None``) in their order, then perhaps an error.

    With ``dies`` the connection is gone with it.
    """

    pattern: re.Pattern[str]
    results: tuple[Rows | None, ...]
    error: pyodbc.Error | None
    dies: bool


@dataclass(frozen=True)
class Sent:
    """A batch with its values as it came, and the time-out that its cursor was made with."""

    statement: str
    values: tuple[Any, ...]
    timeout_seconds: int


@dataclass
class RecordedSqlServer:
    """Gives the configured answers; a batch without one fails the test."""

    connection_strings: list[str] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    connections: list["RecordedConnection"] = field(default_factory=list)
    refusal: pyodbc.Error | None = None
    _answers: list[Answer] = field(default_factory=list)

    def answers(
        self, pattern: str, *results: Rows | None, error: pyodbc.Error | None = None, dies: bool = False
    ) -> None:
        """Say this to batches that hold the pattern; what is said last goes before what was said earlier."""
        compiled = re.compile(pattern, re.DOTALL | re.IGNORECASE)
        self._answers.insert(0, Answer(compiled, results, error, dies))

    def connect(self, connection_string: str, **_options: Any) -> "RecordedConnection":
        """In place of ``pyodbc.connect``."""
        self.connection_strings.append(connection_string)
        if self.refusal is not None:
            raise self.refusal
        self.connections.append(RecordedConnection(self))
        return self.connections[-1]

    def statements(self) -> list[str]:
        return [sent.statement for sent in self.sent]

    def answer(self, sent: Sent) -> Answer:
        self.sent.append(sent)
        for answer in self._answers:
            if answer.pattern.search(sent.statement):
                return answer
        raise AssertionError(f"nobody told the recorded server what to say to: {sent.statement}")


class RecordedConnection:
    """In place of a ``pyodbc.Connection``."""

    def __init__(self, server: RecordedSqlServer) -> None:
        self.server = server
        self.timeout = 0
        self.autocommit = True
        self.closed = False
        self.dead = False

    def cursor(self) -> "RecordedCursor":
        self.check()
        return RecordedCursor(self)

    def execute(self, statement: str, *values: Any) -> "RecordedCursor":
        return self.cursor().execute(statement, *values)

    def getinfo(self, what: int) -> str:
        assert what == pyodbc.SQL_DRIVER_NAME, "nothing else of the driver is known"
        return "libmsodbcsql-18.3.so.2.1"

    def close(self) -> None:
        self.closed = True

    def commit(self) -> None:
        self.check()

    def rollback(self) -> None:
        self.check()

    def check(self) -> None:
        if self.closed:
            raise pyodbc.ProgrammingError("Attempt to use a closed connection.")
        if self.dead:
            raise odbc_error(("08S01", 0, "Communication link failure"))


class RecordedCursor:
    """In place of a ``pyodbc.Cursor``: its results come one after the other, and the error when they are over.

    With NOCOUNT on, as every session has it, no statement says how many rows it was about.
    """

    rowcount = -1
    messages: tuple[tuple[str, str], ...] = ()

    def __init__(self, connection: RecordedConnection) -> None:
        self.connection = connection
        self.timeout_seconds = connection.timeout
        self._answer = Answer(re.compile(""), (), None, False)
        self._at = 0

    def execute(self, statement: str, *values: Any) -> "RecordedCursor":
        self.connection.check()
        sent = Sent(statement, tuple(values), self.timeout_seconds)
        self._answer, self._at = self.connection.server.answer(sent), 0
        self._fail_when_over()
        return self

    @property
    def description(self) -> tuple[Any, ...] | None:
        rows = self._rows()
        if rows is None:
            return None
        columns = len(rows[0]) if rows else 1
        return tuple((f"column{number}", object, None, None, None, None, True) for number in range(columns))

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows = self._rows()
        if rows is None:
            raise pyodbc.ProgrammingError("No results.  Previous SQL was not a query.")
        return [row if isinstance(row, NamedRow) else tuple(row) for row in rows]

    def fetchmany(self, count: int) -> list[tuple[Any, ...]]:
        return self.fetchall()[:count]

    def nextset(self) -> bool:
        self._at += 1
        self._fail_when_over()
        return self._at < len(self._answer.results)

    def cancel(self) -> None:
        """Nothing of a recording takes long enough to be cancelled."""

    def close(self) -> None:
        self._answer = Answer(re.compile(""), (), None, False)

    def _rows(self) -> Rows | None:
        return self._answer.results[self._at] if self._at < len(self._answer.results) else None

    def _fail_when_over(self) -> None:
        if self._answer.error is None or self._at < len(self._answer.results):
            return
        self.connection.dead = self.connection.dead or self._answer.dies
        raise self._answer.error
