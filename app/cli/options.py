"""Options and arguments that commands share, with their shell completions."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.preferences import with_library_folder
from engine.errors import UserError
from engine.machines.inventory import read_inventory
from engine.parameters.parameter import Choice, Flag, Number, Parameter, Whole
from engine.parameters.typed_text import read_number, read_whole
from engine.places import Places, find_places
from engine.plan.parameters import COMMON
from engine.secrets import WEBHOOK_VARIABLE

if TYPE_CHECKING:
    from engine.library.library import Library

_COMPLETED_RUNS = 50
_Function = TypeVar("_Function", bound=Callable[..., Any])
INPUT_FILE = click.Path(path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, allow_dash=True)


def complete_run(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the ids of the newest runs; the library is neither created nor changed for it."""
    return _complete_ids(context, incomplete, deleted=False)


def complete_deleted_run(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the ids of deleted runs."""
    return _complete_ids(context, incomplete, deleted=True)


def complete_machine(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the names of the inventory's machines."""
    try:
        names = read_inventory(_places(context).machines).names
    except UserError:
        return []
    return [each for each in names if each.startswith(incomplete)]


def complete_campaign(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions: the names of campaigns."""
    return _known(context, lambda library: [each.name for each in library.campaigns.all()], incomplete)


def _complete_ids(context: click.Context, incomplete: str, *, deleted: bool) -> list[str]:
    def ids(library: "Library") -> list[str]:
        return ["last", *(record.run_id for record in library.runs(limit=_COMPLETED_RUNS, deleted=deleted))]

    return _known(context, ids, incomplete)


def _known(context: click.Context, read: "Callable[[Library], list[str]]", incomplete: str) -> list[str]:
    """What is read from the library and begins so; the library is neither created nor changed for it."""
    places = _places(context)
    if not places.library.exists():
        return []
    from engine.library.library import Library

    library = Library.open_read_only_if_current(places.library)
    if library is None:
        return []
    try:
        with library:
            known = read(library)
    except UserError:
        return []
    return [each for each in known if each.startswith(incomplete)]


def _places(context: click.Context) -> Places:
    home = context.find_root().params.get("home")
    return with_library_folder(find_places(Path(home) if home else None))


class _Reads(click.ParamType[Any, Any]):
    """A value that a function reads from the option's name and the text; it raises ``BadInput`` that begins with the
    name."""

    name = "number"

    def __init__(self, read: Callable[[str, str], Any]) -> None:
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        return self._read(_typed_name(param), value)


def _typed_name(param: click.Parameter | None) -> str:
    """``--rate`` for an option, and the words in the help for an argument."""
    if param is None:
        return "value"
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def reads(read: Callable[[str, str], Any]) -> click.ParamType[Any, Any]:
    """The type of an option that a function reads from the option's name and the text; it raises ``BadInput``."""
    return _Reads(read)


def whole_between(least: int, most: int) -> click.ParamType[Any, Any]:
    """The type of an option that takes a whole number between limits."""
    limits = Whole(least, most)
    return _Reads(lambda name, text: limits.checked(name, limits.read(name, text)))


NUMBER = _Reads(lambda name, text: float(read_number(name, text)))
WHOLE = _Reads(read_whole)
notify_option = click.option(
    "--notify-url",
    metavar="URL",
    envvar=WEBHOOK_VARIABLE,
    show_envvar=True,
    help="When it is over, post its name, state and result as JSON to this URL, such as the webhook of a chat tool. The"
    " URL is kept nowhere.",
)


def parameter_option(parameter: Parameter, **changes: Any) -> Callable[[_Function], _Function]:
    """The option of a plan's parameter, under its key; ``None`` when it is not given. ``changes`` are click's."""
    spellings = [f"--{name}" for name in (parameter.option_name, *parameter.aliases)]
    if isinstance(parameter.type, Flag):
        spellings = [f"{spelling}/--no-{spelling.removeprefix('--')}" for spelling in spellings]
        settings: dict[str, Any] = {"default": None}
    else:
        settings = {
            "type": _Reads(parameter.type.read) if isinstance(parameter.type, Whole | Number) else None,
            "metavar": parameter.metavar,
            "multiple": parameter.type.is_list,
            "shell_complete": _completing(parameter),
        }
    return click.option(*spellings, parameter.key, **settings | {"help": help_of(parameter)} | changes)


def help_of(parameter: Parameter) -> str:
    """What the help says of a parameter's option."""
    repeatable = " Repeatable." if parameter.type.is_list else ""
    default = parameter.default_help
    if not default and isinstance(parameter.type, Choice):
        default = parameter.default
    elif not default and isinstance(parameter.default, int | float) and not isinstance(parameter.type, Flag):
        default = f"{parameter.default:g} {parameter.unit}".rstrip()
    return f"{parameter.help}{repeatable}" + (f" [default: {default}]" if default else "")


def _completing(parameter: Parameter) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """The usual values of a parameter, for a shell."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        choices = parameter.type.texts if isinstance(parameter.type, Choice) else parameter.examples
        return [each for each in choices if each.lower().startswith(incomplete.lower())]

    return complete


target_option = click.option(
    "--target",
    "urls",
    multiple=True,
    metavar="URL",
    help="postgresql://user@host:port/database, or mariadb://, mysql://, mssql://; with several hosts that may answer:"
    " user@host1,host2/database; a named SQL Server instance: user@host%5Cinstance/database. Repeatable."
    " [default: the embedded server]",
)
databases_option = parameter_option(COMMON["databases"])
run_argument = click.argument("reference", metavar="RUN", shell_complete=complete_run)
