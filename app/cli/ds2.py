"""`spindle ds2`: a drop-in replacement for DVD Store 2's drivers, with their parameters and their output."""

import click

from app.cli.context import Context, pass_context
from app.cli.problems import print_notice
from engine.errors import BadInput
from engine.workload.registry import DVD_STORE

_DEFAULT_REPORT_SECONDS = 10


@click.command("ds2", context_settings={"ignore_unknown_options": True})
@click.argument("parameters", nargs=-1, type=click.UNPROCESSED, metavar="--name=value …")
@pass_context
def ds2_command(context: Context, parameters: tuple[str, ...]) -> int:
    """Run DVD Store 2's parameters and print its lines of output.

    \b
    target          host, host:port or URL; several split by ; [localhost]
    n_threads       users of each target [1]       ramp_rate    users per second [10]
    warmup_time     minutes [1]                    run_time     minutes, 0 until Ctrl-C [0]
    think_time      SECONDS, as in DS2 [0]         db_size      10MB, 1GB … [10MB]
    pct_newcustomers [20]   n_searches [3]   search_batch_size [5]   n_line_items [5]
    database_name [ds2]     report_rate  seconds between lines [10]
    config_file     a file of such lines, name=value

    Targets without a scheme are PostgreSQL's; the others are URLs, such as mssql://sa@db1/ds2. `spindle build` makes
    their stores. The run is kept in the library like any other, and the output can be imported by `spindle library
    import`.

    \b
    Example:
      spindle ds2 --target="db1;db2" --n_threads=32 --run_time=30 --db_size=1GB
    """
    from app.cli.conducting import RunOptions, conduct
    from app.cli.ds2_output import Ds2Output
    from engine.workloads.driver_files import driver_files_of

    files = driver_files_of(DVD_STORE)
    given = files.parse_arguments(parameters)
    report_seconds = _report_seconds(given.pop("report_rate", None))
    found = files.plan_of(given)
    context.secrets.update(found.secrets)
    for warning in found.warnings:
        print_notice(warning)
    output = Ds2Output(found.plan, given, report_seconds)
    return conduct(context, found.plan, RunOptions(reset=False, quiet=True), done=output.final, sinks=(output,))


def _report_seconds(text: str | None) -> int:
    if text is None:
        return _DEFAULT_REPORT_SECONDS
    if not text.isdecimal() or int(text) < 1:
        raise BadInput(f"DS2 parameter report_rate is '{text}'; give a whole number of seconds from 1.")
    return int(text)
