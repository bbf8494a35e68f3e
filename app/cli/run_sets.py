"""`spindle set`: runs of one plan as one result, with their median run."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from app.cli.context import Context, pass_context
from app.cli.options import complete_run
from app.cli.problems import COMPLETED, print_notice
from app.cli.rate_column import RateColumn
from app.cli.terminal import one_line, output_width, print_json, print_table
from app.cli.text_page import plain_table
from engine.figure_text import UNKNOWN, decimal

if TYPE_CHECKING:
    from engine.analysis.comparing.run_set import RunSet
    from engine.library.library import Library

_set_argument = click.argument("reference", metavar="SET")
_runs_argument = click.argument("references", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)


@click.group("set")
def set_command() -> None:
    """Run sets: runs of the same plan, of which the median run is quoted.

    SET is a set's name, or the beginning of just one; capitals don't matter. RUN is a run's id, the beginning of one,
    or `last`. A run is in at most one set. `spindle run --repeat 3` makes a set of three runs.

    \b
    Examples:
      spindle set make 'SSD, 20 ms' 20261121-05 20261121-06 last
      spindle set show SSD --json | jq .median
    """


@set_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of sets with their runs.")
@pass_context
def list_command(context: Context, as_json: bool) -> int:
    """List the sets, the newest first.

    Of each the runs, the headline rate (OPM, NOPM) of its median run, and the spread from the worst to the best.
    """
    from engine.analysis.comparing.run_set import set_runs
    from engine.analysis.comparing.run_sets import set_figures
    from engine.analysis.headline import headline_of
    from engine.report.sets.result import set_result

    with context.open_library() as library:
        sets = [(run_set, library.sets.records(run_set.name)) for run_set in library.sets.all()]
    if as_json:
        print_json([set_result(run_set, records) for run_set, records in sets])
        return COMPLETED
    if not sets:
        print_notice("the library has no run set; make one with: spindle run --repeat 3, or spindle set make")
        return COMPLETED
    headlines = [headline_of(records[0].plan.workload) if records else None for _, records in sets]
    metric = RateColumn(each for each in headlines if each is not None)
    numbers, texts = ("runs", f"median {metric.title}", "spread %"), ("set", "measured on")
    table = plain_table(("made", "set", *numbers, "measured on"), numbers=numbers, folding=texts)
    for (run_set, records), headline in zip(sets, headlines, strict=True):
        figures = set_figures(set_runs(records))
        table.add_row(
            run_set.made_at.astimezone().strftime("%Y-%m-%d %H:%M"),
            one_line(run_set.name),
            str(len(records)),
            UNKNOWN
            if figures.median.run is None or headline is None
            else metric.text(headline, figures.median.run.headline_rate),
            decimal(figures.spread_pct),
            one_line(run_set.configuration),
        )
    print_table(table)
    return COMPLETED


@set_command.command("show")
@_set_argument
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_context
def show_command(context: Context, reference: str, as_json: bool) -> int:
    """Show SET: its runs, and which is the median run.

    Best, worst and spread, what limits the runs that count, which runs are left out and why, and the clients of the
    median run.
    """
    from app.cli.set_text import set_text
    from app.library.judgement import warnings_of_set
    from engine.report.sets.result import set_result

    with context.open_library() as library:
        run_set = library.sets.get(reference)
        records = library.sets.records(run_set.name)
        warnings = [] if as_json else warnings_of_set(library, records)
    if as_json:
        print_json(set_result(run_set, records))
    else:
        print(set_text(run_set, records, output_width(), warnings=warnings))
    return COMPLETED


@set_command.command("make")
@click.argument("name")
@click.argument("references", metavar="[RUN...]", nargs=-1, shell_complete=complete_run)
@click.option("--note", default="", metavar="TEXT", help="A note to keep with the set.")
@pass_context
def make_command(context: Context, name: str, references: tuple[str, ...], note: str) -> int:
    """Make the set NAME of runs, in this order."""
    with context.open_library() as library:
        made = library.sets.make(name, _run_ids(library, references), note=note)
        _say_differences(library, made)
    return COMPLETED


@set_command.command("add")
@_set_argument
@_runs_argument
@pass_context
def add_command(context: Context, reference: str, references: tuple[str, ...]) -> int:
    """Add runs at the end of SET."""
    with context.open_library() as library:
        grown = library.sets.add(reference, _run_ids(library, references))
        _say_differences(library, grown)
    return COMPLETED


@set_command.command("remove")
@_set_argument
@_runs_argument
@pass_context
def remove_command(context: Context, reference: str, references: tuple[str, ...]) -> int:
    """Take runs out of SET; they stay in the library."""
    with context.open_library() as library:
        library.sets.remove(reference, _run_ids(library, references))
    return COMPLETED


@set_command.command("rename")
@_set_argument
@click.argument("name")
@pass_context
def rename_command(context: Context, reference: str, name: str) -> int:
    """Give SET another name."""
    with context.open_library() as library:
        library.sets.rename(reference, name)
    return COMPLETED


@set_command.command("note")
@_set_argument
@click.argument("text")
@pass_context
def note_command(context: Context, reference: str, text: str) -> int:
    """Set the note of SET; an empty one removes it."""
    with context.open_library() as library:
        library.sets.set_note(reference, text)
    return COMPLETED


@set_command.command("delete")
@_set_argument
@pass_context
def delete_command(context: Context, reference: str) -> int:
    """Dissolve SET; its runs stay in the library."""
    with context.open_library() as library:
        gone = library.sets.delete(reference)
    again = " ".join(["spindle set make", repr(gone.name), *gone.run_ids])
    print_notice(f"deleted set '{gone.name}'; its runs are kept. To recreate it: {again}")
    return COMPLETED


def _run_ids(library: "Library", references: Iterable[str]) -> list[str]:
    return [library.run(each).run_id for each in references]


def _say_differences(library: "Library", run_set: "RunSet") -> None:
    from engine.analysis.comparing.run_set import difference_warning

    if warning := difference_warning(library.sets.records(run_set.name)):
        print_notice(warning)
