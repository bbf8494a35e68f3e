"""Finds what a name on the command line or in a request means: a run, or a set of runs."""

from typing import TYPE_CHECKING

from engine.analysis.comparing.run_set import RunSet
from engine.errors import UserError
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


def find_run_or_set(library: "Library", name: str) -> RunRecord | RunSet:
    """The set with that name, in any case; else the run; else the set whose name begins so. Raises ``UserError``."""
    wanted = name.strip().casefold()
    found = next((each for each in library.sets.all() if each.name.casefold() == wanted), None)
    if found is not None:
        return found
    try:
        return library.run(name)
    except UserError as no_run:
        try:
            return library.sets.get(name)
        except UserError:
            raise no_run from None
