"""What the statements of a reset or a build do, in words, to be shown as progress.

Used by the stores and their builds of every DBMS.
"""

import re
from collections.abc import Mapping

from engine.databases.definition import Table

Tables = Mapping[str, Table]
_DOING = {"remove": "removing", "restore": "restoring", "undo": "undoing"}
"""What a procedure of a reset does, by how its name begins."""


def reset_step(statement: str, tables: Tables) -> str:
    """What a statement of a reset does: ``removing added orders``."""
    if called := re.match(r"(?:CALL|EXECUTE) (?:dbo\.)?([a-z]+)_(\w+)", statement):
        return f"{_DOING.get(called[1], called[1])} {called[2].replace('_', ' ')}"
    first, title = statement.split(maxsplit=1)[0].upper(), subject_of(statement, tables)
    if first in ("LOCK", "SELECT"):
        return "waiting for open transactions"
    if not title:
        return "recording the reset"
    if first in ("ALTER", "DBCC"):
        return f"restarting the numbers of {title}"
    is_added = first in ("DELETE", "TRUNCATE") and not _is_restored(statement, tables)
    return f"removing added {title}" if is_added else f"restoring the {title}"


def _is_restored(statement: str, tables: Tables) -> bool:
    """Whether the statement's table has a copy of itself as it was built."""
    found = _names(tables).search(statement)
    return found is not None and f"{found[1]}_pristine" in tables


def indexing_step(doing: str, statement: str, tables: Tables) -> str:
    """What a build does and the table that its statement is about: ``indexing: order lines``."""
    title = subject_of(statement, tables)
    return f"{doing}: {title}" if title else doing


def subject_of(statement: str, tables: Tables) -> str:
    """What the first of the store's tables in a statement contains; empty if it names none."""
    found = _names(tables).search(statement)
    return tables[found[1]].title if found is not None else ""


def _names(tables: Tables) -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(tables)})\b")
