"""The published results of a library: those that come with Spindle and the user's own: ``Library.references``."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, Engine, delete, select

from engine.analysis.comparing.references import Reference, find_reference, shipped_references
from engine.errors import BadInput, Remedy, RemedyKind, UserError
from engine.library.connecting import read_transaction, write_transaction
from engine.library.names import checked_name, key_of_name, names_of, put_row, resolve_name
from engine.library.tables import own_references

_WHAT = "reference"


class References:
    """Published results by name, in any case.

    Those that come with Spindle are read-only. Every method raises ``UserError`` when the file can't be read or
    written.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[Reference]:
        """Those that come with Spindle, then the user's in alphabetical order."""
        with read_transaction(self._engine) as connection:
            own = [_read(connection, key) for key in names_of(connection, own_references).values()]
        return [*shipped_references(), *own]

    def get(self, name: str) -> Reference:
        """The reference with that name or unambiguous prefix. Raises ``UserError``."""
        found = {each.name: each for each in self.all()}
        return found[resolve_name(found, name, what=_WHAT, listed=RemedyKind.LIST_REFERENCES)]

    def add(self, references: Iterable[Reference], *, overwrite: bool = False) -> list[Reference]:
        """Store references in one transaction; with ``overwrite`` they replace those with the same names. Raises
        ``BadInput`` for a name that is taken or invalid."""
        with write_transaction(self._engine) as connection:
            return [_put(connection, each, overwrite=overwrite) for each in references]

    def remove(self, name: str) -> Reference:
        """Remove one of the user's references, and return it. Raises ``UserError`` for one that comes with Spindle."""
        if find_reference(shipped_references(), name) is not None:
            raise UserError(f"reference '{name}' comes with Spindle and can't be removed; only your own can.")
        with write_transaction(self._engine) as connection:
            key = key_of_name(connection, own_references, name, what=_WHAT, listed=RemedyKind.LIST_REFERENCES)
            removed = _read(connection, key)
            connection.execute(delete(own_references).where(own_references.c.key == key))
            return removed


def _read(connection: Connection, key: int) -> Reference:
    content = connection.execute(select(own_references.c.content).where(own_references.c.key == key)).scalar_one()
    return Reference.from_dict(content)


def _put(connection: Connection, reference: Reference, *, overwrite: bool) -> Reference:
    name = checked_name(reference.name, what=_WHAT)
    if find_reference(shipped_references(), name) is not None:
        raise BadInput(f"name of the reference is '{name}', which comes with Spindle; give another.")
    kept = replace(reference, name=name)
    if not put_row(connection, own_references, name, kept.to_dict(), overwrite=overwrite):
        raise BadInput(f"reference '{name}' is already there", remedy=Remedy(kind=RemedyKind.REPLACE_REFERENCE))
    return kept
