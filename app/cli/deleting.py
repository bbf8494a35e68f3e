"""The stores that a build must delete first for lack of room or rights: confirmed by typing the databases' names.

Called by `spindle build --replace`.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.conduct.store_work import PlannedReplacement
    from engine.target.target import Target


def confirm_deletions(
    replacements: "Sequence[PlannedReplacement]", stores: "Sequence[Target]", names: Sequence[str]
) -> "list[Target]":
    """The stores to delete first: those in ``names``, and those that have to be, confirmed at a prompt.

    Raises ``BadInput`` for a name that is none of the stores', and for a deletion that was not confirmed.
    """
    known = {planned.database for planned in stores}
    for name in names:
        if name not in known:
            raise BadInput(f"--delete-first is '{name}', which is no database of these targets.")
    deleted = []
    for each in replacements:
        name = each.planned.database
        if name not in names and each.replacement.must_delete_first:
            _ask(each.sentence, name)
        elif name not in names:
            continue
        deleted.append(each.planned)
    return deleted


def _ask(sentence: str, name: str) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(f"{sentence} To delete it first, add: --delete-first {name}")
    typed: str = click.prompt(f"{sentence} Type {name} to delete it first", default="", show_default=False, err=True)
    if typed.strip() != name:
        raise BadInput(f"'{typed.strip()}' is not '{name}'; nothing was deleted.")
