"""`spindle library`: the runs that were kept, listed, shown, exported, imported, tagged and deleted."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.options import opened, refuse_unwritable
from app.problems import COMPLETED, say
from app.result_text import result_text
from engine.dvdstore.ds2_log import read_ds2_log
from engine.dvdstore.ds2_parameters import ds2_config_of
from engine.errors import BadInput
from engine.library.run_id import new_run_id
from engine.plan_file import write_plan_file
from engine.record import RunRecord, RunState
from engine.report.result import result, write_csv, write_json

_UNKNOWN = "–"
_out = Console(highlight=False, soft_wrap=True)
run_argument = click.argument("reference", metavar="RUN")


@click.group("library")
def library_command() -> None:
    """The local library of runs. RUN is a run's id, the beginning of one, or `last`."""


@library_command.command("list")
@click.option("--text", default="", help="Only runs with this in name, note, target or tag.")
@click.option("--tag", "tags", multiple=True, help="Only runs with this tag. Repeatable.")
@click.option("--state", "states", multiple=True, type=click.Choice([state.value for state in RunState]))
@click.option("--limit", type=int, metavar="N", help="At most N, the newest.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of results.")
@pass_context
def list_command(
    context: Context, text: str, tags: tuple[str, ...], states: tuple[str, ...], limit: int | None, as_json: bool
) -> int:
    """List runs, the newest first."""
    with context.open_library() as library:
        records = library.runs(text=text, tags=tags, states=tuple(RunState(state) for state in states), limit=limit)
    if as_json:
        _print_json([result(record) for record in records])
        return COMPLETED
    table = Table(box=None, pad_edge=False)
    for heading in ("run", "state", "name", "targets", "size"):
        table.add_column(heading, no_wrap=heading == "run")
    for heading in ("users", "think ms", "OPM", "p95 ms"):
        table.add_column(heading, justify="right")
    table.add_column("tags")
    for record in records:
        table.add_row(*_listed(record))
    _out.print(table if records else "the library holds no such run; spindle demo makes one")
    return COMPLETED


@library_command.command("show")
@run_argument
@click.option("--json", "as_json", is_flag=True, help="All of it as JSON.")
@pass_context
def show_command(context: Context, reference: str, as_json: bool) -> int:
    """Show a run: result, plan, environment and events."""
    with context.open_library() as library:
        record = library.run(reference)
        events = library.events(record.run_id)
    if as_json:
        write_json(sys.stdout, record, events)
        return COMPLETED
    print(result_text(record))
    for label, text in (("note", record.note), ("tags", ", ".join(record.tags)), ("failure", record.failure)):
        if text:
            print(f"{label}: {text}")
    for event in events:
        who = "" if event.client is None else f"client {event.client}: "
        detail = f" ({event.detail})" if event.detail else ""
        print(f"{event.at_seconds:10.1f} s  {event.kind}: {who}{event.label}{detail}")
    return COMPLETED


@library_command.command("export")
@run_argument
@click.option("--json", "json_path", metavar="FILE|-", help="The result, plan, environment and events.")
@click.option("--csv", "csv_path", metavar="FILE|-", help="A row per client and second.")
@click.option("--ds2-config", "ds2_path", metavar="FILE|-", help="The plan as DVD Store 2's parameter file.")
@click.option("--plan", "plan_path", metavar="FILE", help="The plan as a file for spindle run.")
@pass_context
def export_command(
    context: Context,
    reference: str,
    json_path: str | None,
    csv_path: str | None,
    ds2_path: str | None,
    plan_path: str | None,
) -> int:
    """Write a run, or its plan, to files; `-` is the standard output."""
    paths = (json_path, csv_path, ds2_path)
    if not any((*paths, plan_path)):
        raise BadInput("export writes nothing yet; add --json, --csv, --ds2-config or --plan with a file.")
    for path in paths:
        refuse_unwritable(path)
    with context.open_library() as library:
        record = library.run(reference)
        if json_path is not None:
            with opened(json_path) as file:
                write_json(file, record, library.events(record.run_id))
        if csv_path is not None:
            with opened(csv_path) as file:
                write_csv(file, record, library.samples(record.run_id))
    if ds2_path is not None:
        with opened(ds2_path) as file:
            file.write(ds2_config_of(record.plan))
    if plan_path is not None:
        write_plan_file(Path(plan_path), record.plan)
    return COMPLETED


@library_command.command("import")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--name", help="The run's name. [the file's]")
@click.option("--tag", "tags", multiple=True, help="A tag to find it by. Repeatable.")
@pass_context
def import_command(context: Context, log: Path, name: str | None, tags: tuple[str, ...]) -> int:
    """Take a DVD Store 2 driver's own output in as a run."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
        written_at = datetime.fromtimestamp(log.stat().st_mtime, UTC)
    except OSError as error:
        raise BadInput(f"{log} can't be read ({error.strerror}); check the path.") from error
    imported = read_ds2_log(text, source=log.name, started_at=written_at, new_run_id=new_run_id)
    with context.open_library() as library:
        library.add_imported(imported.record, imported.samples, imported.events)
        run_id = imported.record.run_id
        if name is not None:
            library.rename(run_id, name)
        if tags:
            library.add_tags(run_id, tags)
        print(result_text(library.run(run_id)))
    return COMPLETED


@library_command.command("delete")
@run_argument
@pass_context
def delete_command(context: Context, reference: str) -> int:
    """Delete a run; `spindle library restore` undoes it until `spindle library purge`."""
    with context.open_library() as library:
        record = library.run(reference)
        library.delete(record.run_id)
    say(f"deleted {record.run_id}; undo with: spindle library restore {record.run_id}")
    return COMPLETED


@library_command.command("restore")
@run_argument
@pass_context
def restore_command(context: Context, reference: str) -> int:
    """Bring a deleted run back; needs its whole id."""
    with context.open_library() as library:
        library.restore(reference)
    return COMPLETED


@library_command.command("purge")
@pass_context
def purge_command(context: Context) -> int:
    """Remove the deleted runs for good."""
    with context.open_library() as library:
        say(f"{library.purge_deleted()} deleted runs are gone for good.")
    return COMPLETED


@library_command.command("rename")
@run_argument
@click.argument("name")
@pass_context
def rename_command(context: Context, reference: str, name: str) -> int:
    """Give a run another name."""
    with context.open_library() as library:
        library.rename(library.run(reference).run_id, name)
    return COMPLETED


@library_command.command("note")
@run_argument
@click.argument("text")
@pass_context
def note_command(context: Context, reference: str, text: str) -> int:
    """Set a run's note; an empty one removes it."""
    with context.open_library() as library:
        library.set_note(library.run(reference).run_id, text)
    return COMPLETED


@library_command.command("tag")
@run_argument
@click.argument("tags", nargs=-1, required=True)
@click.option("--remove", is_flag=True, help="Take the tags away instead.")
@pass_context
def tag_command(context: Context, reference: str, tags: tuple[str, ...], remove: bool) -> int:
    """Give a run tags."""
    with context.open_library() as library:
        run_id = library.run(reference).run_id
        if remove:
            library.remove_tags(run_id, tags)
        else:
            library.add_tags(run_id, tags)
    return COMPLETED


def _listed(record: RunRecord) -> tuple[str, ...]:
    totals: Any = record.totals or {}
    p95 = (totals.get("rt_ms") or {}).get("p95")
    opm = totals.get("opm")
    databases = list(dict.fromkeys(target.database for target in record.plan.stores()))
    return (
        record.run_id,
        record.state.value,
        record.name,
        ", ".join(databases[:2]) + (f" and {len(databases) - 2} more" if len(databases) > 2 else ""),
        str(record.plan.db_size or _UNKNOWN),
        f"{len(record.client_labels)} × {record.plan.threads}",
        f"{record.plan.think_time_ms:g}",
        _UNKNOWN if opm is None else f"{opm:,}".replace(",", "\u2009"),
        _UNKNOWN if p95 is None else f"{p95:g}",
        ", ".join(record.tags),
    )


def _print_json(value: Any) -> None:
    import json

    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    print()
