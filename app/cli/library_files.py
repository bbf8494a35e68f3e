"""`spindle library export` and `import`: runs to files, and runs from a DVD Store 2 driver's output or another
library."""

from pathlib import Path

import click

from app.cli.context import Context, pass_context
from app.cli.input_text import is_library_file
from app.cli.options import INPUT_FILE, OUTPUT_FILE, run_argument
from app.cli.problems import COMPLETED, print_notice
from app.cli.result_files import STANDARD_OUTPUT, opened, refuse_unwritable, write_results
from app.cli.result_text import result_text
from app.cli.terminal import output_width
from app.library.jobs import import_library, import_result
from engine.errors import BadInput
from engine.plan.file import write_plan_file
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import driver_files_of


@click.command("export")
@run_argument
@click.option("--json", "json_path", type=OUTPUT_FILE, metavar="FILE|-", help="Result, plan, environment and events.")
@click.option("--csv", "csv_path", type=OUTPUT_FILE, metavar="FILE|-", help="A row per client and second.")
@click.option(
    "--ds2-config",
    "ds2_path",
    type=OUTPUT_FILE,
    metavar="FILE|-",
    help="The plan for DVD Store 2's drivers; minutes rounded up.",
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
        text = driver_files_of(DVD_STORE).file_of(record.plan)
        with opened(ds2_path) as file:
            file.write(text)
    if plan_path is not None:
        write_plan_file(plan_path, record.plan)
    return COMPLETED


@click.command("import")
@click.argument("file", type=INPUT_FILE, metavar="FILE")
@click.option("--name", metavar="TEXT", help="The run's name. [default: the file's]")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag to find it by. Repeatable.")
@pass_context
def import_command(context: Context, file: Path, name: str | None, tags: tuple[str, ...]) -> int:
    """Take the runs of FILE in: of a DVD Store 2 driver's own output, its et= … opm= … lines and the Final ones.

    The output of `spindle ds2` is read as well. What DVD Store does not print, such as percentiles, stays unknown.

    Results of storage are read from what SQLIO, diskspd (as text, or with -Rxml) or fio (--output-format=json) printed.

    Or FILE is a library: that of a run that was kept elsewhere because the library had no room for it
    (spindle-rescue-….sqlite, which is also imported automatically when there is room again), or another one.
    """
    with context.open_library() as library:
        if is_library_file(file):
            records = import_library(library, file, name=name, tags=tags)
        else:
            records = [import_result(library, file, name=name, tags=tags)]
        for record in records:
            print(result_text(record, output_width()))
    if not records:
        print_notice(f"all runs of {file} are in the library already.")
    return COMPLETED
