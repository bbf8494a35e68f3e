"""`spindle library export` and `import`: runs to files, and a DVD Store 2 driver's output as a run."""

from pathlib import Path

import click

from app.cli.context import Context, pass_context
from app.cli.options import INPUT_FILE, OUTPUT_FILE, run_argument
from app.cli.result_files import STANDARD_OUTPUT, opened, refuse_unwritable, write_results
from app.library_jobs import import_ds2_log
from app.problems import COMPLETED
from app.result_text import result_text
from app.terminal import output_width
from engine.dvdstore.ds2_parameters import ds2_config_of
from engine.errors import BadInput
from engine.plan_file import write_plan_file


@click.command("export")
@run_argument
@click.option("--json", "json_path", type=OUTPUT_FILE, metavar="FILE|-", help="Result, plan, environment and events.")
@click.option("--csv", "csv_path", type=OUTPUT_FILE, metavar="FILE|-", help="A row per client and second.")
@click.option(
    "--ds2-config", "ds2_path", type=OUTPUT_FILE, metavar="FILE|-", help="The plan for DVD Store 2's drivers."
)
@click.option("--plan", "plan_path", type=INPUT_FILE, metavar="FILE", help="The plan for spindle run; a new file.")
@pass_context
def export_command(
    context: Context,
    reference: str,
    json_path: str | None,
    csv_path: str | None,
    ds2_path: str | None,
    plan_path: Path | None,
) -> int:
    """Write RUN (an id, the beginning of one, or `last`), or its plan, to files; `-` is standard output.

    \b
    Examples:
      spindle library export last --json - | jq .opm
      spindle library export last --plan again.toml && spindle run again.toml
    """
    if not any((json_path, csv_path, ds2_path, plan_path)):
        raise BadInput("export has nothing to write; add --json, --csv, --ds2-config or --plan with a file.")
    if plan_path is not None and str(plan_path) == STANDARD_OUTPUT:
        raise BadInput("--plan can't write to standard output; give a new file.")
    refuse_unwritable(json_path, csv_path, ds2_path)
    with context.open_library() as library:
        record = library.run(reference)
        write_results(library, record, json_path, csv_path)
    if ds2_path is not None:
        text = ds2_config_of(record.plan)
        with opened(ds2_path) as file:
            file.write(text)
    if plan_path is not None:
        write_plan_file(plan_path, record.plan)
    return COMPLETED


@click.command("import")
@click.argument("log", type=INPUT_FILE, metavar="LOG")
@click.option("--name", metavar="TEXT", help="The run's name. [default: the file's]")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag to find it by. Repeatable.")
@pass_context
def import_command(context: Context, log: Path, name: str | None, tags: tuple[str, ...]) -> int:
    """Take LOG, a DVD Store 2 driver's own output, in as a run: its et= … opm= … lines and the Final ones.

    The output of `spindle ds2` is read as well. What DVD Store does not print, such as percentiles, stays unknown.
    """
    with context.open_library() as library:
        record = import_ds2_log(library, log, name=name, tags=tags)
        print(result_text(record, output_width()))
    return COMPLETED
