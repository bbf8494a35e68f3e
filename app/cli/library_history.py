"""`spindle library history`: a figure of all runs of one plan, and the runs from which it changed."""

import click

from app.cli.context import Context, pass_context
from app.cli.options import run_argument
from app.cli.problems import COMPLETED
from app.cli.terminal import one_line, print_json, print_table
from app.cli.text_page import plain_table
from engine.analysis.verdicts.history import history_of
from engine.figure_text import signed_percent
from engine.record.record import RunState


@click.command("history")
@run_argument
@click.option(
    "--figure", default="", metavar="NAME", help="Such as p95; see spindle check --help. [default: the headline]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@pass_context
def history_command(context: Context, reference: str, figure: str, as_json: bool) -> int:
    """Show a figure of all completed runs with the plan of RUN, the oldest first, and the runs from which it changed.

    Change points are found by E-divisive with a permutation test (see "Checks and history" in the help): at most 1 of
    20 series without a change has one. Four runs on either side can be enough, fewer never are.
    """
    with context.open_library() as library:
        history = history_of(library.run(reference), library.runs(states=(RunState.COMPLETED,)), figure)
    if as_json:
        from engine.report.verdicts import history_result

        print_json(history_result(history))
        return COMPLETED
    number = f"{history.figure.label} {history.figure.unit}".rstrip()
    table = plain_table(
        ("started", "run", "name", "measured on", number, "change"), numbers=(number,), folding=("name", "measured on")
    )
    changes = {change.index: change for change in history.changes}
    for index, run in enumerate(history.runs):
        change = changes.get(index)
        table.add_row(
            run.started_at.astimezone().strftime("%Y-%m-%d %H:%M"),
            run.run_id,
            one_line(run.name),
            one_line(run.configuration),
            history.figure.text(run.value),
            "" if change is None else f"{signed_percent(change.change_pct)} from here on (p = {change.p_value:.3f})",
        )
    print_table(table)
    print("\n" + history.sentence)
    return COMPLETED
