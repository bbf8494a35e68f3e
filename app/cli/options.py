"""Options and arguments that commands share, with their shell completions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from engine.errors import BadInput, UserError
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.typed_text import duration_of

_SIZES = ("10MB", "100MB", "1GB", "10GB", "40GB", "100GB")
_COMPLETED_RUNS = 50
_Function = TypeVar("_Function", bound=Callable[..., Any])
INPUT_FILE = click.Path(path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, allow_dash=True)


def complete_size(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the usual sizes of a store."""
    return [size for size in _SIZES if size.startswith(incomplete.upper())]


def complete_run(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the ids of the newest runs; the library is neither created nor changed for it."""
    return _complete_ids(context, incomplete, deleted=False)


def complete_deleted_run(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the ids of deleted runs."""
    return _complete_ids(context, incomplete, deleted=True)


def _complete_ids(context: click.Context, incomplete: str, *, deleted: bool) -> list[str]:
    home = context.find_root().params.get("home")
    places = find_places(Path(home) if home else None)
    if not places.library.exists():
        return []
    from engine.library.library import Library

    library = Library.open_read_only_if_current(places.library)
    if library is None:
        return []
    try:
        with library:
            known = ["last", *(record.run_id for record in library.runs(limit=_COMPLETED_RUNS, deleted=deleted))]
    except UserError:
        return []
    return [each for each in known if each.startswith(incomplete)]


def plan_option(
    spelling: str, field: str, metavar: str, text: str, *, alias: str = ""
) -> Callable[[_Function], _Function]:
    """An option for a number of the plan, with the plan's type and default."""
    default = RunPlan.__dataclass_fields__[field].default
    spellings = (spelling, alias) if alias else (spelling,)
    return click.option(*spellings, field, type=type(default), metavar=metavar, help=f"{text} [default: {default:g}]")


class _Minutes(click.ParamType[float, Any]):
    name = "minutes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            return float(value)
        except ValueError:
            pass
        try:
            return duration_of(value) / 60
        except BadInput:
            self.fail(f"'{value}' is not a time; give minutes such as 30, or 90s, or 1:30", param, ctx)


MINUTES = _Minutes()


def minutes_option(spelling: str, field: str, text: str) -> Callable[[_Function], _Function]:
    """An option for a duration of the plan in minutes, written as ``30``, ``0.5``, ``90s`` or ``1:30``."""
    default = RunPlan.__dataclass_fields__[field].default
    return click.option(spelling, field, type=MINUTES, metavar="MIN", help=f"{text} [default: {default:g}]")


target_option = click.option(
    "--target",
    "urls",
    multiple=True,
    metavar="URL",
    help="postgresql://user@host:port/database, or mariadb://, mysql://, mssql://; with several hosts that may answer:"
    " user@host1,host2/database; a named SQL Server instance: user@host%5Cinstance/database. Repeatable."
    " [default: the embedded server]",
)
databases_option = click.option(
    "--databases",
    type=int,
    metavar="N",
    help="Stores on each target; more than one are database_1 … database_N. [default: 1]",
)
size_option = click.option(
    "--db-size",
    metavar="SIZE",
    shell_complete=complete_size,
    help="A whole number with MB or GB: 10MB, 100MB, 1GB, 40GB, 100GB; 1000MB is not 1GB.",
)
run_argument = click.argument("reference", metavar="RUN", shell_complete=complete_run)
