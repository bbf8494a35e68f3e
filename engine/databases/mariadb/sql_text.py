"""SQL scripts of MariaDB cut into statements, and names as they are written in them."""

import re

import resources

_BODY_END = re.compile(r"^//$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)


def script(name: str) -> str:
    """A script of MariaDB's own, for the tables that every store has."""
    return resources.read_text("sql", "mariadb", f"{name}.sql")


def statements(text: str, **values: int) -> list[str]:
    """The statements of a script that holds no procedure's body; ``{name}`` in them becomes a value."""
    pieces = _COMMENT.sub("", text).split(";")
    return [each.strip().format(**values) if values else each.strip() for each in pieces if each.strip()]


def bodies(text: str) -> list[str]:
    """The statements of a script of procedures and triggers, each of which ends with a line of only ``//``.

    Without the comments: MariaDB's driver takes a body for several statements unless the text begins with CREATE.
    """
    return [each.strip() for each in _BODY_END.split(_COMMENT.sub("", text)) if each.strip()]


def translated(query: str) -> str:
    """A query in the words that all DBMSs share as MariaDB and MySQL have them: another name for a type in a cast."""
    return query.replace(" AS bigint)", " AS signed)")


def quoted(name: str) -> str:
    """A name as an identifier."""
    return f"`{name.replace('`', '``')}`"


def literal(text: str) -> str:
    """A text as a literal, for statements that take no parameters."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
