"""`spindle machine watts`: measures what machines take while they are idle."""

from dataclasses import replace

import click
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.options import complete_machine
from app.cli.problems import COMPLETED, print_notice
from app.cli.terminal import print_json, print_table, progress_shown
from app.cli.text_page import plain_table
from engine.analysis.host.idle_watts import IdleWatts, total_watts, with_idle_watts
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, decimal, whole
from engine.machines.inventory import read_inventory


@click.command("watts")
@click.option(
    "--machine",
    "names",
    multiple=True,
    required=True,
    metavar="NAME",
    shell_complete=complete_machine,
    help="A machine of the inventory with a meter. Repeatable: the server, and its external storage.",
)
@click.option("--minutes", type=float, default=5.0, show_default=True, help="For how long.")
@click.option("--configuration", metavar="NAME", help="Save the means as the idle watts of this configuration.")
@click.option("--run", "run", metavar="RUN", help="Save them in the configuration that this run was measured on.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@pass_context
def watts_command(
    context: Context, names: tuple[str, ...], minutes: float, configuration: str | None, run: str | None, as_json: bool
) -> int:
    """Measure what idle machines take, in watts.

    It tells the mean of each, the spread and the number of readings. Each machine is read by the best of its accesses:
    a serial meter, else SNMP, a Prometheus rule named Power, Redfish or IPMI. Ctrl-C ends it, and nothing is saved.

    \b
    Examples:
      spindle machine watts --machine server --machine storage
      spindle machine watts --machine db1 --minutes 10 --configuration 'R630, SSD'
    """
    from engine.conduct.idle_watts import measure_idle_watts
    from engine.secrets import find_secret

    if not 0 < minutes <= 24 * 60:
        raise BadInput(f"minutes is {minutes:g}; give a number above 0, at most 1440.")
    inventory = read_inventory(context.places.machines)
    machines = [inventory.machine(each) for each in dict.fromkeys(names)]
    name = _configuration_name(context, configuration, run)
    with progress_shown("") as (report_progress, flag):
        measured = measure_idle_watts(
            machines, find_secret, 60 * minutes, report_progress=report_progress, cancelled=flag.is_set
        )
    if as_json:
        print_json([each.to_dict() for each in measured])
    else:
        print_table(_table(measured))
    if name:
        with context.open_library() as library:
            found = library.configurations.get(name)
            library.configurations.save(replace(found, watts=with_idle_watts(found.watts, measured)))
        print_notice(f"saved as the idle watts of configuration '{name}'.")
    return COMPLETED


def _configuration_name(context: Context, configuration: str | None, run: str | None) -> str:
    """The configuration that the watts are for, which has to be there before anything is measured; or empty."""
    if configuration is None and run is None:
        return ""
    if configuration is not None and run is not None:
        raise BadInput("both --configuration and --run are given; give one of them.")
    with context.open_library() as library:
        if configuration is not None:
            return library.configurations.get(configuration).name
        assert run is not None
        run_id = library.run(run).run_id
        found = library.configurations.of_run(run_id)
        if found is None:
            raise BadInput(
                f"run {run_id} has no configuration; say on what it was measured (spindle configuration use), or give"
                " --configuration."
            )
        return found.name


def _table(measured: tuple[IdleWatts, ...]) -> Table:
    numbers = ("idle W", "lowest", "highest", "deviation", "readings")
    table = plain_table(("device", *numbers, "read by"), numbers=numbers, folding=("device", "read by"))
    for each in measured:
        watts = (each.mean_watts, each.lowest_watts, each.highest_watts, each.deviation_watts)
        source = f"{each.source} (slow averages)" if each.is_average else each.source
        table.add_row(each.device, *(decimal(value, 1) for value in watts), whole(each.readings), source)
    if len(measured) > 1:
        table.add_row("together", decimal(total_watts(measured), 1), *[UNKNOWN] * 4, "")
    return table
