"""`spindle library list` and `show`: runs as tables and text, or as JSON."""

import sys
from typing import TYPE_CHECKING

import click
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.options import run_argument, whole_between
from app.cli.problems import COMPLETED, print_notice
from app.cli.rate_column import RateColumn
from app.cli.terminal import one_line, output_width, print_json, print_table
from app.cli.text_page import plain_table
from engine.analysis.headline import headline_of
from engine.audit.ledger_files import ledger_bytes
from engine.errors import BadInput
from engine.figure_text import UNKNOWN, decimal, spaced
from engine.record.record import RunRecord, RunState, split_reference
from engine.report.run_listing import RunListing

if TYPE_CHECKING:
    from engine.analysis.recovery.settings import RecoverySettings

_ROOMY = 130
_NARROW = 100
_NUMBERS = ("size", "users", "think\nms", "p95\nms")
_FLEXIBLE = ("name", "databases", "tags")
_LEFT_OUT_WHEN_NARROW = ("started", "databases", "tags")


@click.command("list")
@click.option("--text", default="", metavar="TEXT", help="Only runs with this in id, name, note, label or tag.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only runs with this tag. Repeatable: with all.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice([state.value for state in RunState]),
    help="Only runs in this state. Repeatable: in any.",
)
@click.option("--set", "set_name", metavar="SET", help="Only the runs of this run set.")
@click.option("--campaign", default="", metavar="NAME", help="Only the runs of this campaign.")
@click.option("--tree", is_flag=True, help="List campaigns, run sets and runs as a tree.")
@click.option("--deleted", is_flag=True, help="List the deleted runs instead, which `restore` restores.")
@click.option("--limit", type=whole_between(1, 10**9), metavar="N", help="At most N runs, the newest.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of results.")
@pass_context
def list_command(
    context: Context,
    text: str,
    tags: tuple[str, ...],
    states: tuple[str, ...],
    set_name: str | None,
    campaign: str,
    tree: bool,
    deleted: bool,
    limit: int | None,
    as_json: bool,
) -> int:
    """List runs, the newest first.

    Users are clients × users of each, of storage clients × threads; the headline rate (OPM, NOPM) and p95 (service
    time of what it counts, milliseconds) are those of the measured time.
    """
    with context.open_library() as library:
        run_set = "" if set_name is None else library.sets.get(set_name).name
        chosen = tuple(RunState(state) for state in states)
        of_campaign = library.campaigns.get(campaign).name if campaign else ""
        records = library.runs(
            text=text,
            tags=tags,
            states=chosen,
            run_set=run_set,
            campaign=of_campaign,
            deleted=deleted,
            limit=limit,
        )
    if as_json:
        from engine.report.result import result

        print_json([result(record) | _deletion(record) for record in records])
    elif records and tree:
        from app.cli.library_tree import tree_lines

        print("\n".join(tree_lines(records)))
    elif records:
        print_table(_table(records))
        for record in records:
            if record.plan.is_mixed:
                print(f"{record.run_id}: {spaced(RunListing.of(record).loads_sentence)}")
    else:
        print_notice(_nothing_found(filtered=bool(text or tags or states or set_name or campaign), deleted=deleted))
    return COMPLETED


@click.command("show")
@run_argument
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--judge",
    "judged_by",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Judge the faults by this instead, such as threshold_pct=90 or baseline_seconds=120; the names are those in"
    " the JSON under settings. Repeatable.",
)
@pass_context
def show_command(context: Context, reference: str, as_json: bool, judged_by: tuple[str, ...]) -> int:
    """Show RUN (an id, the beginning of one, or `last`): result, plan, servers, events, faults and audit."""
    settings = _recovery_settings(judged_by)
    with context.open_library() as library:
        record = library.run(reference)
        events = library.events(record.run_id)
        size = ledger_bytes(library.path, split_reference(record.run_id)[0])
        if as_json:
            from app.library.documents import write_run_json

            write_run_json(sys.stdout, library, record, settings)
            return COMPLETED
        from app.cli.run_text import loads_text
        from app.library.machines import machines_text

        parts = [*loads_text(library, record, output_width(), settings), machines_text(library, record)]
    from app.cli.result_text import details_text

    parts.append(details_text(record, events, ledger_bytes=size))
    print("\n\n".join(filter(None, parts)))
    return COMPLETED


def _recovery_settings(judged_by: tuple[str, ...]) -> "RecoverySettings":
    """The settings by which faults are judged; raises ``BadInput`` for an invalid name or number."""
    from engine.analysis.recovery.settings import RecoverySettings

    plain: dict[str, object] = {}
    for text in judged_by:
        name, _, number = text.partition("=")
        try:
            plain[name.strip()] = int(number) if name.strip().endswith("_seconds") else float(number)
        except ValueError:
            raise BadInput(f"--judge is '{text}'; write it as NAME=NUMBER, such as threshold_pct=90.") from None
    return RecoverySettings.from_dict(plain)


def _table(records: list[RunRecord]) -> Table:
    """Fits the terminal: a narrow one gets fewer columns, and long names are wrapped."""
    width = output_width()
    roomy = width is None or width >= _ROOMY
    metric = RateColumn(headline_of(record.plan.workload) for record in records)
    rows = [_cells(record, metric, roomy=roomy) for record in records]
    columns = [name for name in rows[0] if roomy or (width or 0) >= _NARROW or name not in _LEFT_OUT_WHEN_NARROW]
    table = plain_table(columns, numbers=(*_NUMBERS, metric.title), folding=_FLEXIBLE, gap=2 if roomy else 1)
    for row in rows:
        table.add_row(*(row[name] for name in columns))
    return table


def _deletion(record: RunRecord) -> dict[str, str]:
    return {} if record.deleted_at is None else {"deleted_at": record.deleted_at.isoformat()}


def _nothing_found(*, filtered: bool, deleted: bool) -> str:
    if deleted:
        return "no matching deleted run." if filtered else "there are no deleted runs."
    return "no matching run in the library." if filtered else "the library is empty; spindle demo makes a first run."


def _cells(record: RunRecord, metric: RateColumn, *, roomy: bool) -> dict[str, str]:
    run = RunListing.of(record)
    local_time = "%Y-%m-%d %H:%M" if roomy else "%m-%d %H:%M"
    deleted = {} if record.deleted_at is None else {"deleted": record.deleted_at.astimezone().strftime(local_time)}
    return {
        **deleted,
        "started": run.started_at.astimezone().strftime(local_time),
        "run": run.run_id,
        "state": run.state_text,
        "name": one_line(run.name),
        "databases": one_line(run.stores[0]) + (f" +{len(run.stores) - 1}" if len(run.stores) > 1 else ""),
        "size": run.size or UNKNOWN,
        "users": run.users_text,
        "think\nms": UNKNOWN if run.think_time_ms is None else f"{run.think_time_ms:g}",
        metric.title: metric.text(headline_of(record.plan.workload), run.headline_rate),
        "p95\nms": decimal(run.p95_ms),
        "tags": one_line(", ".join(run.tags)),
    }
