"""Scripts of T-SQL, cut into batches at GO, with what differs by database put in.

Those in ``resources/sql/mssql`` are SQL Server's own, for every workload.
A script's ``$(name)`` stands for a piece of T-SQL: an identifier or a literal, escaped here and nowhere else, since a
name of a database, a file or a login can't be a parameter of a statement.
"""

import re
from typing import NewType

import resources
from engine.errors import BadInput

Sql = NewType("Sql", str)
"""A piece of T-SQL that is safe to be put into a statement."""

DBO = Sql("dbo")
"""The schema in which a store is used."""

LONGEST_IDENTIFIER = 128
_BATCH_END = re.compile(r"^[ \t]*GO[ \t]*$", re.IGNORECASE | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\$\((\w+)\)")
_COMMENT_LINE = re.compile(r"^--.*\n?", re.MULTILINE)


def script(name: str) -> str:
    return resources.read_text("sql", "mssql", f"{name}.sql")


def batches(name: str, /, **values: Sql) -> list[str]:
    """The batches of a script of SQL Server's own; see ``batches_of``."""
    return batches_of(script(name), **values)


def batches_of(text: str, /, **values: Sql) -> list[str]:
    """The batches of a script, its comments before and between the statements left out.

    Raises ``KeyError`` for a placeholder without a value.
    """
    # The values are put in once it is cut: a name may hold what looks like a batch's end, or like a placeholder.
    pieces = (_COMMENT_LINE.sub("", piece).strip() for piece in _BATCH_END.split(text))
    return [_PLACEHOLDER.sub(lambda match: values[match[1]], piece) for piece in pieces if piece]


def identifier(name: str) -> Sql:
    """A name in brackets; raises ``BadInput`` for one that can't be SQL Server's."""
    if not 1 <= len(name.encode("utf-16-le")) // 2 <= LONGEST_IDENTIFIER or "\0" in name:
        raise BadInput(f"the name {name!r} has {len(name)} characters; SQL Server accepts 1 to {LONGEST_IDENTIFIER}.")
    return Sql(f"[{name.replace(']', ']]')}]")


def literal(text: str) -> Sql:
    """A Unicode text in quotes; raises ``BadInput`` for a NUL, which ends a statement."""
    if "\0" in text:
        raise BadInput(f"the text {text!r} has a NUL in it; leave it out.")
    escaped = text.replace("'", "''")
    return Sql(f"N'{escaped}'")


def binary(value: bytes) -> Sql:
    """Bytes as a hexadecimal constant."""
    return Sql(f"0x{value.hex()}")


def number(value: int) -> Sql:
    return Sql(str(int(value)))


def listed(*pieces: Sql) -> Sql:
    """Pieces with commas between them."""
    return Sql(", ".join(pieces))
