"""`spindle run` and `spindle demo`: one run from the terminal, shown live, kept in the library."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from app.cli.context import Context, databases_option, pass_context, target_option
from app.cli.options import duration_help, opened, overridden, refuse_unwritable
from app.live_table import LiveTable, watch
from app.problems import COMPLETED, FAILED, STOPPED, say
from app.result_text import result_text
from app.terminal import error_console, on_interrupt, progress_shown
from engine.conductor import Conductor, Targets
from engine.databases.database import Timeouts
from engine.driver.sinks import Sink
from engine.dvdstore.ds2_parameters import parse_ds2_config, plan_from_ds2
from engine.dvdstore.sizing import DbSize
from engine.errors import BadInput
from engine.library.library import Library
from engine.plan import RunPlan
from engine.plan_file import read_plan_file
from engine.record import RunRecord, RunState
from engine.report.result import write_csv, write_json

_EXIT_CODES = {RunState.COMPLETED: COMPLETED, RunState.STOPPED: STOPPED}
_DEMO = RunPlan(
    name="Demonstration",
    clients=2,
    db_size=DbSize(100, "MB"),
    threads=8,
    think_time_ms=20,
    ramp_rate=10,
    warmup_minutes=0.1,
    minutes=0.8,
)


@click.command("run")
@click.argument("plan_file", required=False, type=click.Path(path_type=Path), metavar="[PLAN.toml]")
@target_option
@click.option("--clients", type=int, metavar="N", help="Clients that drive each store. [1]")
@databases_option
@click.option("--threads", type=int, metavar="N", help="Emulated users of each client. [1]")
@click.option("--think-time-ms", type=float, metavar="MS", help="Mean pause of a user between orders. [0]")
@click.option("--ramp-rate", type=float, metavar="N", help="Users started per second, on each client. [10]")
@click.option("--warmup", "warmup_minutes", type=float, metavar="MIN", help="Minutes of warm-up. [1]")
@click.option("--minutes", type=float, metavar="MIN", help=duration_help)
@click.option("--db-size", metavar="SIZE", help="The size that must be built: 10MB, 1GB … [what is there]")
@click.option("--pct-new-customers", type=float, metavar="PCT", help="Share of orders by new customers. [20]")
@click.option("--searches", "n_searches", type=int, metavar="N", help="Mean searches of an order. [3]")
@click.option("--batch", "search_batch_size", type=int, metavar="N", help="Mean rows that a search asks for. [5]")
@click.option("--lines", "n_line_items", type=int, metavar="N", help="Mean lines of an order. [5]")
@click.option("--seed", type=int, metavar="N", help="Same seed, same choices of the users. [1]")
@click.option("--name", metavar="TEXT", help="The run's name in the library.")
@click.option("--note", metavar="TEXT", help="A note to keep with the run.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag to find the run by. Repeatable.")
@click.option(
    "--ds2-config", type=click.Path(path_type=Path), metavar="FILE", help="Begin with DVD Store 2's parameters."
)
@click.option("--reset", is_flag=True, help="Take every store back to what was built before the run.")
@click.option("--json", "json_path", metavar="FILE|-", help="Write the result as JSON.")
@click.option("--csv", "csv_path", metavar="FILE|-", help="Write a row per client and second.")
@click.option("--quiet", is_flag=True, help="Show no live table.")
@pass_context
def run_command(
    context: Context,
    /,
    plan_file: Path | None,
    urls: tuple[str, ...],
    db_size: str | None,
    ds2_config: Path | None,
    json_path: str | None,
    csv_path: str | None,
    quiet: bool,
    reset: bool,
    **fields: Any,
) -> int:
    """Run a plan: ramp, warm-up, measuring; Ctrl-C stops in order, twice at once.

    The plan is PLAN.toml or DVD Store 2's parameters, if given, with the options here over it. Users are closed-loop:
    each waits for its order, thinks, and places the next.
    """
    plan = _begin_with(plan_file, ds2_config, context)
    if urls:
        fields["targets"] = context.parse_targets(urls)
    if db_size is not None:
        fields["db_size"] = DbSize.parse(db_size)
    plan = overridden(plan, fields)
    for path in (json_path, csv_path):
        refuse_unwritable(path)
    if json_path == csv_path == "-":
        raise BadInput("--json and --csv both ask for the standard output; write one of them to a file.")
    show_result = "-" not in (json_path, csv_path)
    return conduct(
        context,
        plan,
        reset=reset,
        quiet=quiet,
        done=lambda library, record: _write(library, record, json_path, csv_path, show_result),
    )


@click.command("demo")
@click.option("--minutes", type=float, metavar="MIN", default=_DEMO.minutes, help="Minutes to measure. [0.8]")
@pass_context
def demo_command(context: Context, minutes: float) -> int:
    """A demonstration that needs no server: two clients on the embedded PostgreSQL for about a minute."""
    say("a demonstration on the embedded PostgreSQL; Ctrl-C stops it.")
    return conduct(context, replace(_DEMO, minutes=minutes), reset=True, quiet=False, done=_show)


def conduct(
    context: Context,
    plan: RunPlan,
    *,
    reset: bool,
    quiet: bool,
    done: Callable[[Library, RunRecord], None],
    sinks: tuple[Sink, ...] = (),
) -> int:
    """Run a plan from its targets to the library and hand its record to ``done``; the exit code.

    Raises ``UserError`` for whatever is wrong before the run begins.
    """
    with context.open_library() as library, context.open_targets() as targets:
        conductor = Conductor(plan, library=library, targets=targets, say=say, timeouts=Timeouts())
        if reset:
            _reset_stores(conductor, targets)
        with progress_shown("checking") as (tell, flag):
            conductor.prepare(tell=tell, cancelled=flag.is_set)
        try:
            record = _drive(conductor, quiet=quiet, sinks=sinks)
        finally:
            conductor.close()
        done(library, record)
        if record.failure:
            say(record.failure)
        return _EXIT_CODES.get(record.state, FAILED)


def _drive(conductor: Conductor, *, quiet: bool, sinks: tuple[Sink, ...]) -> RunRecord:
    table = LiveTable(conductor.plan.client_plans(), error_console)
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked:
            conductor.run.stop_now()
        else:
            asked = True
            say("stopping in order; once more stops at once.")
            conductor.run.stop()

    conductor.start([*sinks, *(() if quiet else (table,))])
    with on_interrupt(stop):
        if quiet:
            while not conductor.run.wait(1.0):
                continue
        else:
            with table:
                watch(table, conductor.run.wait)
    return conductor.finish()


def _reset_stores(conductor: Conductor, targets: Targets) -> None:
    """Reset what is there and changed; a store that is missing is left to the preflight."""
    from engine.preflight import state_or_none

    for planned in conductor.plan.stores():
        store = targets.resolve(planned).store(Timeouts())
        state = state_or_none(store)
        if state is not None and state.complete and not state.is_pristine:
            with progress_shown(f"resetting {planned.database}") as (tell, flag):
                store.reset(tell=tell, cancelled=flag.is_set)


def _begin_with(plan_file: Path | None, ds2_config: Path | None, context: Context) -> RunPlan:
    if plan_file is not None and ds2_config is not None:
        raise BadInput(f"{plan_file} and --ds2-config {ds2_config} are two plans; give one of them.")
    if plan_file is not None:
        return read_plan_file(plan_file)
    if ds2_config is not None:
        try:
            text = ds2_config.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise BadInput(f"--ds2-config {ds2_config} can't be read ({error.strerror}); check the path.") from error
        found = plan_from_ds2(parse_ds2_config(text, str(ds2_config)))
        context.secrets.update(found.secrets)
        for warning in found.warnings:
            say(warning)
        return found.plan
    return RunPlan()


def _show(_library: Library, record: RunRecord) -> None:
    print(result_text(record))


def _write(library: Library, record: RunRecord, json_path: str | None, csv_path: str | None, show: bool) -> None:
    if show:
        _show(library, record)
    if json_path is not None:
        with opened(json_path) as file:
            write_json(file, record, library.events(record.run_id))
    if csv_path is not None:
        with opened(csv_path) as file:
            write_csv(file, record, library.samples(record.run_id))
