"""`spindle configuration`: what runs are measured on, what it costs, and what it draws."""

from dataclasses import replace
from pathlib import Path

import click
from rich.table import Table

from app.cli.configuration_text import configuration_text
from app.cli.context import Context, pass_context
from app.cli.input_text import read_utf8
from app.cli.options import INPUT_FILE, complete_machine, complete_run
from app.cli.problems import COMPLETED, print_notice
from app.cli.terminal import one_line, output_width, print_json, print_table
from app.cli.text_page import plain_table
from engine.analysis.comparing.configuration import Configuration, factor_of, read_configuration, read_items, watts_of
from engine.analysis.comparing.economics import money_text
from engine.analysis.host.power import power_figures
from engine.errors import BadInput
from engine.figure_text import whole
from engine.library.library import Library
from engine.machines.inventory import read_inventory

_name_argument = click.argument("name", metavar="NAME")
_runs_argument = click.argument("references", metavar="[RUN...]", nargs=-1, shell_complete=complete_run)
_sets_option = click.option("--set", "set_names", multiple=True, metavar="SET", help="A run set. Repeatable.")


@click.group("configuration")
def configuration_command() -> None:
    """What runs are measured on: a bill of materials, watts, and the factors that results are compared by.

    A configuration is saved once and used by many runs and run sets. NAME is its name, or the beginning of just one.

    \b
    Examples:
      spindle configuration set 'R630, SSD' bill.csv --watts server=390/180 --factor storage=SSD
      spindle configuration use R630 --set 'SSD, 20 ms'
      spindle run --configuration R630 --repeat 3 --minutes 30
    """


@configuration_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of configurations.")
@pass_context
def list_command(context: Context, as_json: bool) -> int:
    """List the configurations: cost, watts and factors of each."""
    with context.open_library() as library:
        found = library.configurations.all()
    if as_json:
        print_json([each.to_dict() for each in found])
    elif found:
        print_table(_table(found))
    else:
        print_notice("the library holds no configuration; create one with: spindle configuration set")
    return COMPLETED


@configuration_command.command("show")
@_name_argument
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--toml", "as_toml", is_flag=True, help="As TOML, which `set` reads back.")
@pass_context
def show_command(context: Context, name: str, as_json: bool, as_toml: bool) -> int:
    """Show NAME: its bill, watts and factors.

    The bill and the watts have their sums; what uses it is named.
    """
    with context.open_library() as library:
        found = library.configurations.get(name)
        use = library.configurations.use(name)
    if as_json:
        print_json(found.to_dict() | {"used_by_sets": use.set_names, "used_by_runs": use.run_ids})
    elif as_toml:
        import tomli_w

        print(tomli_w.dumps(found.to_dict()), end="")
    else:
        print(configuration_text(found, use, output_width()))
    return COMPLETED


@configuration_command.command("set")
@_name_argument
@click.argument("path", type=INPUT_FILE, required=False, metavar="[FILE.toml|FILE.csv]")
@click.option("--currency", metavar="SIGN", help="$, €, £, ¥ or a code such as USD.")
@click.option(
    "--watts", "watts", multiple=True, metavar="DEVICE=ACTIVE/IDLE", help="Such as server=390/180. Repeatable."
)
@click.option(
    "--machine",
    "machines",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_machine,
    help="A machine of the inventory that it consists of; its runs read it. Repeatable.",
)
@click.option("--factor", "factors", multiple=True, metavar="NAME=VALUE", help="Such as processors=2. Repeatable.")
@click.option("--note", metavar="TEXT", help="A note to keep with it.")
@pass_context
def set_command(
    context: Context,
    name: str,
    path: Path | None,
    currency: str | None,
    watts: tuple[str, ...],
    machines: tuple[str, ...],
    factors: tuple[str, ...],
    note: str | None,
) -> int:
    """Save the configuration NAME, or change it.

    A CSV with the columns name, count and price (of one) is its bill of materials; a TOML file is all of it. The
    options go over what is there: watts by device, factors by name, all machines.

    \b
      currency = "$"
      machines = ["db1"]
      [[items]]
      name = "SSD 1.6 TB"
      count = 8
      price = "1374.36"
      [[watts]]
      device = "server"
      active = 390
      idle = 180
      [factors]
      storage = "SSD"
    """
    with context.open_library() as library:
        found = _begin_with(library, name, path)
        if currency is not None:
            found = replace(found, currency=currency)
        if note is not None:
            found = replace(found, note=note)
        if machines:
            inventory = read_inventory(context.places.machines)
            found = replace(found, machines=tuple(inventory.machine(each).name for each in machines))
        by_device = {each.device: each for each in (*found.watts, *map(watts_of, watts))}
        found = replace(
            found, watts=tuple(by_device.values()), factors=dict(found.factors) | dict(map(factor_of, factors))
        )
        saved = library.configurations.save(found)
        use = library.configurations.use(saved.name)
    print(configuration_text(saved, use, output_width()))
    return COMPLETED


@configuration_command.command("use")
@_name_argument
@_runs_argument
@_sets_option
@pass_context
def use_command(context: Context, name: str, references: tuple[str, ...], set_names: tuple[str, ...]) -> int:
    """Say what was measured on NAME.

    RUN is an id, the beginning of one, or `last`. A run's own configuration goes before its set's.
    """
    with context.open_library() as library:
        _point(library, library.configurations.get(name).name, references, set_names)
    return COMPLETED


@configuration_command.command("clear")
@_runs_argument
@_sets_option
@pass_context
def clear_command(context: Context, references: tuple[str, ...], set_names: tuple[str, ...]) -> int:
    """Take back what `use` said of runs or run sets."""
    with context.open_library() as library:
        _point(library, "", references, set_names)
    return COMPLETED


@configuration_command.command("rename")
@_name_argument
@click.argument("new_name", metavar="NEW")
@pass_context
def rename_command(context: Context, name: str, new_name: str) -> int:
    """Give NAME another name; what uses it still does."""
    with context.open_library() as library:
        library.configurations.rename(name, new_name)
    return COMPLETED


@configuration_command.command("delete")
@_name_argument
@click.option("--in-use", is_flag=True, help="Delete it even if runs or sets use it.")
@pass_context
def delete_command(context: Context, name: str, in_use: bool) -> int:
    """Delete NAME for good."""
    with context.open_library() as library:
        library.configurations.delete(name, in_use=in_use)
    return COMPLETED


def _begin_with(library: Library, name: str, path: Path | None) -> Configuration:
    """The configuration of exactly that name, updated from the file."""
    if path is not None and path.suffix.casefold() == ".toml":
        return read_configuration(read_utf8(path), str(path), name=name)
    known = {each.name.casefold(): each for each in library.configurations.all()}
    found = known.get(name.strip().casefold(), Configuration(name=name))
    if path is None:
        return found
    if path.suffix.casefold() != ".csv":
        raise BadInput(f"{path} is neither a .toml nor a .csv file; give one of these.")
    return replace(found, items=read_items(read_utf8(path), str(path)))


def _point(library: Library, name: str, references: tuple[str, ...], set_names: tuple[str, ...]) -> None:
    if not references and not set_names:
        raise BadInput("neither a run nor a set was named; give a RUN, or --set with a run set's name.")
    run_ids = [library.run(each).run_id for each in references]
    sets = [library.sets.get(each).name for each in set_names]
    library.configurations.point_runs(run_ids, name)
    for each in sets:
        library.sets.set_configuration(each, name)


def _table(found: list[Configuration]) -> Table:
    numbers, texts = ("items", "cost", "active W", "idle W"), ("configuration", "factors")
    table = plain_table(("configuration", *numbers, "factors"), numbers=numbers, folding=texts)
    for each in found:
        power = power_figures(each.watts, None)
        table.add_row(
            one_line(each.name),
            str(len(each.items)),
            money_text(each.bill().total if each.items else None, each.currency),
            whole(power.active_watts),
            whole(power.idle_watts),
            one_line(", ".join(f"{name} = {value}" for name, value in each.factors.items())),
        )
    return table
