"""Loads blocks of generated rows into SQL Server: as arrays of parameters, or as files for BULK INSERT.

Used by the build. Rows are sent with pyodbc's ``fast_executemany``, an array of parameters in one go, which Microsoft's
driver alone can do; FreeTDS is sent as many rows in one statement as its parameters allow. It prepares each statement
again, with the types of the parameters, and the server has a plan for it only if these are the same; so they are those
of the columns, where pyodbc would take the length of each text. Files are in BULK INSERT's
character format, tab and line feed, and hold the columns in the table's own order.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyodbc

from engine.databases.definition import Table
from engine.databases.mssql.files import bulk_file
from engine.databases.mssql.running import commit, set_autocommit
from engine.databases.mssql.scripts import DBO, Sql, literal
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import TargetError, UserError
from engine.target.store_layout import joined
from engine.workload.rows.block import Block
from engine.workload.rows.columns import Column, Kind

_MOST_PARAMETERS = 2_000  # SQL Server takes 2,100 with a statement
_MOST_ROWS_OF_VALUES = 1_000
_LONGEST_VARCHAR = 8_000  # longer texts are those of varchar(max)
_BULK_FILE_BYTES = 64 * 1024 * 1024
_DECIMAL_PLACES = {Kind.MONEY: 2, Kind.RATE: 4}
_MARKERS = {
    Kind.MONEY: "CAST(? AS bigint) / CAST(100 AS numeric(12, 2))",
    Kind.RATE: "CAST(? AS int) / CAST(10000 AS numeric(9, 4))",
}
_MICROSOFTS_DRIVER = "msodbcsql"
_CANT_READ_FILE = ("4860", "4861", "4862")  # not there, not opened, not read
_MAY_NOT_LOAD = "4834"  # the user may not use the bulk load statement

Count = Callable[[int, int], None]
"""Called with the numbers of rows and bytes loaded."""


@dataclass(frozen=True, kw_only=True)
class BulkFolder:
    """One folder as the server and as this machine see it; files of rows carry the database's name."""

    on_server: str
    here: Path
    database: str


@dataclass(frozen=True, kw_only=True)
class Destination:
    """What rows are loaded into: a table by its name, in a schema."""

    name: str
    table: Table
    schema: Sql = DBO

    @property
    def place(self) -> str:
        return f"{self.schema}.{self.name}"


def send(
    connection: OdbcConnection,
    into: Destination,
    blocks: Iterable[Block],
    cancelled: Callable[[], bool],
    count: Count,
) -> None:
    """Insert the blocks over the connection, a transaction each; raises ``TargetError`` or ``Cancelled``."""
    cursor = connection.cursor()
    by_arrays = _MICROSOFTS_DRIVER in str(connection.raw.getinfo(pyodbc.SQL_DRIVER_NAME)).lower()
    if into.table.identity:
        connection.execute(cursor, f"SET IDENTITY_INSERT {into.place} ON")
    set_autocommit(connection, on=False)
    for block in blocks:
        rows = rows_of(block, into.table.columns)
        with cancelling(connection, cancelled):
            if by_arrays:
                cursor.fast_executemany = True
                connection.execute_many(cursor, insert_statement(into), rows)
            else:
                _send_in_statements(connection, cursor, into, rows)
            commit(connection)
        count(block.rows, value_bytes(block, into.table.columns))


def load_files(
    connection: OdbcConnection,
    into: Destination,
    blocks: Iterable[Block],
    folder: BulkFolder,
    cancelled: Callable[[], bool],
    count: Count,
) -> None:
    """Write the blocks into files of the folder and have the server read them, one after the other.

    No file stays. Raises ``UserError`` when this machine can't write there or the server can't read it,
    ``TargetError`` or ``Cancelled``.
    """
    for number, (data, rows) in enumerate(_file_contents(blocks, into.table.columns), start=1):
        name = bulk_file(folder.database, into.name, number)
        path = folder.here / name
        try:
            path.write_bytes(data)
            with cancelling(connection, cancelled):
                connection.query(bulk_insert(into, joined(folder.on_server, name)))
        except OSError as error:
            raise UserError(
                f"the bulk folder '{folder.here}' can't be written ({error.strerror or error}); choose one that"
                " this machine can write to, or leave the bulk folder empty."
            ) from error
        except TargetError as error:
            if error.code in _CANT_READ_FILE:
                raise UserError(
                    f"SQL Server can't read the bulk folder '{folder.on_server}' ({error}); give its account read"
                    " access, or leave the bulk folder empty."
                ) from error
            if error.code == _MAY_NOT_LOAD:
                raise UserError(
                    "SQL Server lets this user load no files from the bulk folder: that takes the right ADMINISTER BULK"
                    " OPERATIONS (ALTER SERVER ROLE bulkadmin ADD MEMBER …), and on Linux membership in sysadmin; have"
                    " it granted, or leave the bulk folder empty."
                ) from error
            raise
        finally:
            path.unlink(missing_ok=True)
        count(rows, len(data))


def insert_statement(into: Destination, rows: int = 1) -> str:
    """One row, or several, of all of a table's columns; amounts are given in cents, rates in ten-thousandths."""
    columns = into.table.columns
    names = ", ".join(column.name for column in columns)
    row = f"({', '.join(_MARKERS.get(column.kind, '?') for column in columns)})"
    values = ", ".join([row] * rows)
    return f"INSERT INTO {into.place} WITH (TABLOCK) ({names}) VALUES {values}"  # noqa: S608 - our names


def bulk_insert(into: Destination, path: str) -> str:
    """The statement that reads a file of rows, as the server sees it."""
    order = ", ".join(into.table.order)
    options = [
        "DATAFILETYPE = 'char'", "FIELDTERMINATOR = '\\t'", "ROWTERMINATOR = '0x0a'", "KEEPIDENTITY", "KEEPNULLS",
        "TABLOCK", "MAXERRORS = 0", *([f"ORDER ({order})"] if order else []),
    ]  # fmt: skip
    return f"BULK INSERT {into.place} FROM {_plain_literal(path)} WITH ({', '.join(options)})"


def rows_of(block: Block, columns: Sequence[Column]) -> list[tuple[Any, ...]]:
    """The rows of a block as plain values: whole numbers (amounts in cents, rates in ten-thousandths), dates, moments,
    texts; ``None`` for a missing value."""
    return list(zip(*(_plain_values(column, block.columns[column.name]) for column in columns), strict=True))


def text_of(block: Block, columns: Sequence[Column]) -> bytes:
    """The rows of a block in character format; an empty field is a missing value."""
    texts = [_texts(column, block.columns[column.name]) for column in columns]
    return b"".join(b"\t".join(row) + b"\n" for row in zip(*texts, strict=True))


def value_bytes(block: Block, columns: Sequence[Column]) -> int:
    """The bytes that the values of a block take, whatever a protocol puts around them."""
    size = 0
    for column in columns:
        if column.kind is Kind.TEXT:
            size += int(np.strings.str_len(block.columns[column.name]).sum())
        else:
            size += column.width * block.rows
    return size


def _file_contents(blocks: Iterable[Block], columns: Sequence[Column]) -> Iterator[tuple[bytes, int]]:
    """The contents of files of a fair size, each with its rows."""
    pieces: list[bytes] = []
    rows = 0
    for block in blocks:
        pieces.append(text_of(block, columns))
        rows += block.rows
        if sum(map(len, pieces)) >= _BULK_FILE_BYTES:
            yield b"".join(pieces), rows
            pieces, rows = [], 0
    if rows:
        yield b"".join(pieces), rows


def _send_in_statements(connection: OdbcConnection, cursor: pyodbc.Cursor, into: Destination, rows: list[Any]) -> None:
    types = [_parameter_type(column) for column in into.table.columns]
    at_once = min(_MOST_ROWS_OF_VALUES, _MOST_PARAMETERS // len(types))
    for first in range(0, len(rows), at_once):
        some = rows[first : first + at_once]
        cursor.setinputsizes(types * len(some))
        connection.execute(cursor, insert_statement(into, len(some)), *itertools.chain.from_iterable(some))


def _parameter_type(column: Column) -> tuple[int, int, int]:
    """The ODBC type of a column's parameters, with its size and decimal digits."""
    match column.kind:
        case Kind.TEXT if column.width > _LONGEST_VARCHAR:
            return pyodbc.SQL_LONGVARCHAR, column.width, 0
        case Kind.TEXT:
            return pyodbc.SQL_VARCHAR, column.width, 0
        case Kind.DATE:
            return pyodbc.SQL_TYPE_DATE, 10, 0
        case Kind.TIMESTAMP:
            return pyodbc.SQL_TYPE_TIMESTAMP, 19, 0
        case Kind.MONEY:
            return pyodbc.SQL_BIGINT, 0, 0
        case _:
            return (
                (pyodbc.SQL_BIGINT if column.width == 8 and column.kind is Kind.INTEGER else pyodbc.SQL_INTEGER),
                0,
                0,
            )


def _plain_values(column: Column, values: np.ndarray) -> list[Any]:
    if column.kind is Kind.TEXT:
        return [text or None for text in values.astype(np.str_).tolist()]
    found: list[Any] = values.tolist()  # NumPy makes None of NaT
    return [value or None for value in found] if column.is_zero_missing else found


def _plain_literal(text: str) -> str:
    """A literal without the N, which BULK INSERT's grammar does not have for its file."""
    return literal(text).removeprefix("N")


def _texts(column: Column, values: np.ndarray) -> list[bytes]:
    match column.kind:
        case Kind.TEXT:
            texts = values
        case Kind.MONEY | Kind.RATE:
            texts = _decimals(values, _DECIMAL_PLACES[column.kind])
        case Kind.DATE:
            texts = np.datetime_as_string(values, unit="D").astype("S10")
        case Kind.TIMESTAMP:
            texts = np.where(np.isnat(values), b"", np.datetime_as_string(values, unit="s").astype("S19"))
        case _:
            digits = values.astype("S20")
            texts = np.where(values == 0, b"", digits) if column.is_zero_missing else digits
    found: list[bytes] = texts.tolist()
    return found


def _decimals(values: np.ndarray, places: int) -> np.ndarray:
    """Whole numbers of the last of so many decimal places, such as cents, as decimal numbers."""
    whole, rest = np.divmod(np.abs(values), 10**places)
    signs = np.where(values < 0, b"-", b"")
    digits = np.strings.zfill(rest.astype(f"S{places}"), places)
    return np.strings.add(np.strings.add(signs, whole.astype("S20")), np.strings.add(b".", digits))
