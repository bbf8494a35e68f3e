"""Rows with a name that the user chose: sets, configurations, references.

Names are compared without regard to case.
"""

import difflib
import re
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert, select, update

from engine.errors import BadInput, Remedy, RemedyKind, UnknownName

_LONGEST = 120


def names_of(connection: Connection, table: Table) -> dict[str, int]:
    """The names of a table's rows and their keys, in alphabetical order."""
    found: dict[str, int] = {row.name: row.key for row in connection.execute(select(table.c.name, table.c.key))}
    return {name: found[name] for name in sorted(found, key=lambda name: (name.casefold(), name))}


def key_of_name(connection: Connection, table: Table, reference: str, *, what: str, listed: RemedyKind) -> int:
    """The key of the row that ``reference`` names: by its name or an unambiguous prefix.

    Raises ``UnknownName`` that names the nearest name, the candidates, or what lists all of them (``listed``).
    """
    names = names_of(connection, table)
    return names[resolve_name(names, reference, what=what, listed=listed)]


def resolve_name(names: Collection[str], reference: str, *, what: str, listed: RemedyKind) -> str:
    """The full name that ``reference`` stands for, found as by ``key_of_name``."""
    wanted = reference.strip().casefold()
    same = [name for name in names if name.casefold() == wanted]
    meant = same or [name for name in names if wanted and name.casefold().startswith(wanted)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        shown = ", ".join(f"'{name}'" for name in meant[:4]) + (" …" if len(meant) > 4 else "")
        raise UnknownName(f"{what} '{reference}' can mean {len(meant)}: {shown}; give more of the name.")
    near = difflib.get_close_matches(reference, names, n=2, cutoff=0.5)
    missing = f"{what} '{reference}' is not in the library"
    if near:
        offered = " or ".join(f"'{name}'" for name in near)
        raise UnknownName(f"{missing}; did you mean {offered}.")
    raise UnknownName(missing, remedy=Remedy(kind=listed))


def checked_name(name: str, *, what: str) -> str:
    """The name without surrounding space. Raises ``BadInput`` for an invalid one."""
    name = name.strip()
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise BadInput(f"name of the {what} is {name!r}; give one of 1 to {_LONGEST} printable characters.")
    return name


def put_row(
    connection: Connection, table: Table, name: str, content: Mapping[str, Any], *, overwrite: bool = True
) -> bool:
    """Store the content of a row under its name, instead of an earlier one's with ``overwrite``; whether it did."""
    values = {"name": name, "content": content}
    key = next((key for each, key in names_of(connection, table).items() if each.casefold() == name.casefold()), None)
    if key is None:
        connection.execute(insert(table).values(values))
    elif overwrite:
        connection.execute(update(table).where(table.c.key == key).values(values))
    return key is None or overwrite


def free_name(connection: Connection, table: Table, name: str, *, what: str, excluded: int | None = None) -> str:
    """A checked name that no row has, except the one with the key ``excluded``. Raises ``BadInput`` when it is
    taken."""
    name = checked_name(name, what=what)
    for other, key in names_of(connection, table).items():
        if other.casefold() == name.casefold() and key != excluded:
            raise BadInput(f"name of the {what} is '{name}', which is already in use; give another name.")
    return name


def numbered_name(connection: Connection, table: Table, name: str, *, what: str) -> str:
    """The name, or ``name 2``, ``name 3`` … when it is taken. Raises ``BadInput``."""
    name = " ".join(re.sub(r"[^\S ]+", " ", name).split())[: _LONGEST - 6].rstrip()
    taken = {each.casefold() for each in names_of(connection, table)}
    number, found = 1, name
    while found.casefold() in taken:
        number += 1
        found = f"{name} {number}"
    return checked_name(found, what=what)
