"""`spindle build`, `verify`, `reset` and `drop`: the stores themselves, with progress and Ctrl-C to cancel."""

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from app.cli.context import COMMAND_LINE, Context, pass_context
from app.cli.deleting import confirm_deletions
from app.cli.layout_options import LAYOUT_VALUES, layout_of, layout_options
from app.cli.options import databases_option, target_option
from app.cli.problems import COMPLETED, FAILED, print_notice
from app.cli.terminal import print_table, progress_shown
from app.cli.text_page import plain_table
from app.cli.workload_options import scale_options, workload_option
from engine.errors import BadInput
from engine.figure_text import decimal, whole
from engine.plan.plan import RunPlan
from engine.subject import Subject
from engine.workload.registry import find_workload
from engine.workload.rows.estimate import StoreEstimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.conduct.store_work import Around, StoreWork
    from engine.conduct.targets import Targets
    from engine.databases.database import BuildReport, StoreState
    from engine.databases.definition import Check
    from engine.databases.progress import IsCancelled, ReportProgress
    from engine.target.target import Target

_MB = 1_000_000


@click.command("build")
@target_option
@databases_option
@workload_option
@scale_options
@click.option("--seed", default=1, show_default=True, metavar="N", help="Same size and seed, same rows everywhere.")
@click.option("--replace", is_flag=True, help="Replace existing stores; their orders are lost.")
@click.option(
    "--delete-first",
    "names",
    multiple=True,
    metavar="NAME",
    help="Delete the store in database NAME before the new one is built, where there is no room for both. Repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Only print the estimated rows and megabytes of each table.")
@layout_options
@pass_context
def build_command(
    context: Context,
    /,
    urls: tuple[str, ...],
    databases: int | None,
    workload: str | None,
    seed: int,
    replace: bool,
    names: tuple[str, ...],
    dry_run: bool,
    **others: Any,
) -> int:
    """Build stores: tables, rows, indexes, procedures, statistics.

    Makes the database when it is missing. 100MB is good for a demonstration (200,000 customers, about 0.1 GB); the
    published tests use 1GB to 100GB. Ctrl-C cancels, and what was begun is removed.

    With --replace the new store is built beside the old one, and takes its place when it is complete: until then the
    old one stays as it is, whatever happens to the build. Where there is no room for both, --delete-first NAME or a
    prompt lets the old one be deleted first.

    On SQL Server the store's rows lie in filegroups of one to eight files each, which begin with what the store takes
    and 40 % free; the other databases place their files themselves.

    \b
    Examples:
      spindle build --db-size 100GB --dry-run
      spindle build --target postgresql://me@db1/ds2 --databases 8 --db-size 1GB
      spindle build --target mariadb://root@db1/ds2 --db-size 1GB
      spindle build --target mariadb://root@db1/wholesale --workload wholesale --warehouses 10
      spindle build --target mssql://sa@db1/ds2 --db-size 10GB --files-per-filegroup 4 \\
        --data-folder 'D:\\data' --log-folder 'E:\\log' --backup-folder 'F:\\backup'
    """
    layout_values = {name: others.pop(name) for name in LAYOUT_VALUES}
    plan = context.parse_store_plan(urls, databases=databases, workload=workload, seed=seed, **others)
    found = find_workload(plan.workload)
    if plan.scale is None:
        plan = plan.with_scale(found.small_scale)
    if dry_run:
        _print_estimate(found.estimate(plan.scale), found.subject)
        return COMPLETED
    stores, scale = plan.stores(), str(plan.scale)
    layout = layout_of(plan, layout_values)
    with context.open_targets() as targets:
        work = _work(targets, plan, "replacing" if replace else "building")
        deleted = confirm_deletions(work.replacements(scale), stores, names) if replace or names else []
        work.build(
            scale,
            plan.seed,
            around=_shown("building"),
            done=lambda planned, report: _say_built(planned.database, scale, report),
            replace=replace,
            delete_first=deleted,
            layout=layout,
        )
    return COMPLETED


@click.command("verify")
@target_option
@databases_option
@workload_option
@pass_context
def verify_command(context: Context, urls: tuple[str, ...], databases: int | None, workload: str | None) -> int:
    """Check stores: row counts, keys, indexes, procedures, and that what the tables hold ties out.

    Says what was expected and found, how far a store is from what was built, and who uses it. Ends with 1 when a check
    failed.
    """
    plan = context.parse_store_plan(urls, databases=databases, workload=workload)
    from engine.conduct.leasing import holder_of

    well = True
    with context.open_targets() as targets:
        for planned in plan.stores():
            shown = progress_shown(f"verifying {planned.database}")
            with targets.store(planned, plan.workload) as store, shown as (report_progress, flag):
                checks = store.verify(report_progress=report_progress, cancelled=flag.is_set)
                state = store.state()
                holder = holder_of(store)
            failed = sum(not check.ok for check in checks)
            well = well and not failed
            _print_checks(checks)
            print(f"{planned.database}: {len(checks) - failed} of {len(checks)} checks passed")
            if state is not None:
                print(f"{planned.database}: {_standing(state)}")
            if holder is not None:
                print(f"{planned.database}: in use since {holder.since_text} by {holder.description}")
    return COMPLETED if well else FAILED


@click.command("reset")
@target_option
@databases_option
@workload_option
@click.option(
    "--break-lease",
    is_flag=True,
    help="Reset the stores even if somebody uses them, and say who that was.",
)
@pass_context
def reset_command(
    context: Context, urls: tuple[str, ...], databases: int | None, workload: str | None, break_lease: bool
) -> int:
    """Take stores back to what was built: without what runs have added or changed.

    The published tests do so before every run; `spindle run --reset` does it too. A store that is in use is refused.
    Whoever used it and was killed is forgotten within 30 s; --break-lease is for where that can't be seen, such as
    after a server's clock was set back.
    """
    plan = context.parse_store_plan(urls, databases=databases, workload=workload)
    with context.open_targets() as targets:
        _work(targets, plan, "reset", breaks_lease=break_lease).reset(
            around=_shown("resetting"), done=lambda planned: print(f"{planned.database} reset to what was built")
        )
    return COMPLETED


@click.command("drop")
@target_option
@databases_option
@workload_option
@click.option("--yes", is_flag=True, help="Do not ask for the name (for scripts).")
@pass_context
def drop_command(
    context: Context, urls: tuple[str, ...], databases: int | None, workload: str | None, yes: bool
) -> int:
    """Remove stores: also each database that a build made for one and that holds nothing else; of storage, the files.

    Asks for the name of each database, mail domain or file to be typed.
    """
    plan = context.parse_store_plan(urls, databases=databases, workload=workload)
    if not yes:
        for planned in plan.stores():
            _require_name(planned)
    with context.open_targets() as targets:
        _work(targets, plan, "drop").drop(done=lambda what: print(f"dropped {what}"))
    return COMPLETED


def _work(targets: "Targets", plan: RunPlan, purpose: str, *, breaks_lease: bool = False) -> "StoreWork":
    from engine.conduct.store_work import StoreWork
    from engine.databases.lease import Claim

    claim = Claim(purpose=purpose, program=COMMAND_LINE)
    return StoreWork(
        targets.resolve, plan.stores(), plan.workload, claim, notify=print_notice, breaks_lease=breaks_lease
    )


def _shown(doing: str) -> "Around":
    """Progress of the work on each store, and Ctrl-C to cancel it."""

    @contextmanager
    def around(planned: "Target") -> "Iterator[tuple[ReportProgress, IsCancelled]]":
        with progress_shown(f"{doing} {planned.database}") as (report_progress, flag):
            yield report_progress, flag.is_set

    return around


def _require_name(planned: "Target") -> None:
    from engine.conduct.endpoint import container_of

    database = planned.database
    if not sys.stdin.isatty():
        raise BadInput(f"drop asks for the name of {container_of(planned)} to be typed; add --yes in a script.")
    typed = click.prompt(f"Type {database} to drop it", default="", show_default=False, err=True)
    if typed != database:
        raise BadInput(f"'{typed}' is not '{database}'; nothing was dropped.")


def _say_built(database: str, scale: str, report: "BuildReport") -> None:
    print(_built(database, scale, report))
    for note in report.notes:
        print(f"{database}: {note}")


def _built(database: str, scale: str, report: "BuildReport") -> str:
    rows = sum(report.rows.values())
    rate = report.bytes_streamed / _MB / max(report.load_seconds, 0.001)
    loaded = f"{_megabytes(report.bytes_streamed)} MB loaded in {report.load_seconds:.1f} s ({whole(rate)} MB/s)"
    if not rows:  # a file
        return f"{database}: {scale}; {loaded}"
    return f"{database}: {scale}, {whole(rows)} rows; {loaded}, indexed in {report.index_seconds:.1f} s"


def _standing(state: "StoreState") -> str:
    if state.is_pristine:
        return f"{state.scale}, seed {state.seed}, as built"
    added = ", ".join(f"{whole(count)} {title}" for title, count in state.beyond.items())
    return f"{state.scale}, seed {state.seed}, {added} added since the build"


def _print_checks(checks: "list[Check]") -> None:
    headings, numbers = ("check", "expected", "found", ""), ("expected", "found")
    table = plain_table(headings, numbers=numbers, folding=headings)
    for check in checks:
        table.add_row(check.what, check.expected, check.found, "ok" if check.ok else "WRONG")
    print_table(table)


def _print_estimate(found: StoreEstimate, subject: Subject) -> None:
    numbers = ("rows", "data MB", "index MB")
    table = plain_table(("table", *numbers), numbers=numbers, folding=("table",))
    for each in found.tables:
        about = "" if each.rows_exact else "about "
        table.add_row(
            each.table, f"{about}{whole(each.rows)}", _megabytes(each.data_bytes), _megabytes(each.index_bytes)
        )
    table.add_row("total", "", _megabytes(found.data_bytes), _megabytes(found.index_bytes), style="bold")
    print_table(table)
    without = " without full-text indexes and logs" if subject is Subject.DATABASE else ""
    print_notice(f"nothing was built; the sizes are an estimate{without}.")


def _megabytes(size: float) -> str:
    return decimal(size / _MB)
