"""Conducts a run from the terminal: preflight with progress, the live table, Ctrl-C, the exit code.

Called by `spindle run`, `spindle demo`, `spindle ds2` and by repeated runs.
"""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from app.cli.audit_text import audit_exit_code
from app.cli.context import COMMAND_LINE, Context
from app.cli.live_table import LiveTable
from app.cli.problems import COMPLETED, FAILED, NOT_KEPT, ORDERS_LOST, STOPPED, print_notice
from app.cli.terminal import error_console, never_paused, on_interrupt, progress_shown
from app.remedy_text import terminal_text
from engine.conduct.after_run import audit_after_run
from engine.conduct.conductor import Conductor
from engine.conduct.made_stores import MadeStores
from engine.conduct.targets import Targets
from engine.driver.sinks import Sink
from engine.errors import Cancelled, TargetError, UserError
from engine.library.library import Library
from engine.notify.monitoring import Monitoring
from engine.notify.notices import Notice, RunNotice
from engine.notify.webhook import TIME_OUT_SECONDS, Webhook
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState

_REFRESH_SECONDS = 0.5
_NOTIFY_SECONDS = 2 * TIME_OUT_SECONDS
_EXIT_CODES = {RunState.COMPLETED: COMPLETED, RunState.STOPPED: STOPPED}


@dataclass(frozen=True, kw_only=True)
class ConductedRun:
    """A run that has ended; ``is_stopped`` when the user stopped it, and with it the runs that were to follow."""

    record: RunRecord
    exit_code: int

    @property
    def is_stopped(self) -> bool:
        return STOPPED in (self.exit_code, _EXIT_CODES.get(self.record.state))


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of runs: reset the stores first, no live table, audit afterwards, webhook to notify at the end, what
    shows them elsewhere meanwhile."""

    reset: bool
    quiet: bool
    audit: bool = False
    webhook: Webhook | None = None
    monitoring: Monitoring | None = None


def conduct(
    context: Context,
    plan: RunPlan,
    run_options: RunOptions,
    *,
    done: Callable[[Library, RunRecord], None],
    sinks: tuple[Sink, ...] = (),
    configuration: str = "",
) -> int:
    """Run a plan from its targets to the library, call ``done`` with its record, and return the exit code.

    ``configuration`` is what the run is measured on. Raises ``UserError`` for whatever is wrong before the run begins.
    """
    with context.open_library_to_write() as library, context.open_targets() as targets:
        measured_on = library.configurations.get(configuration).name if configuration else ""

        def started(conductor: Conductor) -> None:
            if measured_on:
                library.configurations.point_runs((conductor.run_id,), measured_on)

        return conduct_one(library, targets, plan, run_options, started=started, done=done, sinks=sinks).exit_code


def conduct_one(
    library: Library,
    targets: Targets,
    plan: RunPlan,
    run_options: RunOptions,
    *,
    started: Callable[[Conductor], None],
    done: Callable[[Library, RunRecord], None],
    sinks: tuple[Sink, ...] = (),
    made: MadeStores | None = None,
) -> ConductedRun:
    """Conduct one run with an open library and open targets. ``started`` is called as soon as the run is in the
    library, ``done`` with the library that holds it at the end: a rescue file when the library could not take it.
    ``made`` keeps the stores that the run writes for others."""
    audited = COMPLETED

    def settle(record: RunRecord) -> RunRecord:
        nonlocal audited
        if run_options.audit:
            audited = _audit(conductor.kept_in, record, targets)
        settled = conductor.kept_in.run(record.run_id)
        done(conductor.kept_in, settled)
        return settled

    conductor = Conductor(plan, library=library, targets=targets, notify=print_notice, program=COMMAND_LINE, made=made)
    try:
        _prepare(conductor, run_options)
        record = _drive(conductor, run_options, sinks=sinks, started=started, done=settle)
    finally:
        conductor.close()
    if record.failure:
        print_notice(record.failure)
    if conductor.rescue is not None:
        print_notice(conductor.rescue.sentence())
    notify(run_options.webhook, RunNotice.of(record, is_kept=conductor.rescue is None))
    of_state = _EXIT_CODES.get(record.state, FAILED)
    if audited == ORDERS_LOST:
        of_state = ORDERS_LOST
    elif conductor.rescue is not None and of_state != FAILED:
        of_state = NOT_KEPT
    return ConductedRun(record=record, exit_code=of_state or audited)


def _prepare(conductor: Conductor, run_options: RunOptions) -> None:
    """Reset the stores if requested, and check them; a run that can't be started is reported to the webhook."""
    try:
        with progress_shown("") as (report_progress, flag):
            if run_options.reset:
                conductor.reset_changed(report_progress=report_progress, cancelled=flag.is_set)
            conductor.prepare(report_progress=report_progress, cancelled=flag.is_set)
        for notice in conductor.notices():
            print_notice(terminal_text(notice))
    except (UserError, TargetError) as error:
        notify(run_options.webhook, RunNotice.not_started(conductor.name, error))
        raise


def notify(webhook: Webhook | None, notice: Notice) -> None:
    """Post a notice to the webhook, if there is one. Errors are printed; they fail neither run nor campaign,
    and the wait is limited."""
    if webhook is None:
        return
    found = webhook

    def post() -> None:
        try:
            found.post(notice)
        except UserError as error:
            print_notice(terminal_text(error))

    poster = threading.Thread(target=post, name="webhook", daemon=True)
    poster.start()
    poster.join(_NOTIFY_SECONDS)


def _audit(library: Library, record: RunRecord, targets: Targets) -> int:
    """Audit the run's orders, store the verdict, and return its exit code. An error never costs the run's result."""
    try:
        with progress_shown("auditing") as (report_progress, flag):
            report = audit_after_run(
                library,
                record.run_id,
                targets.resolve,
                report_progress=report_progress,
                cancelled=flag.is_set,
                timeouts=targets.timeouts,
            )
    except Cancelled:
        print_notice("the audit was stopped; repeat it with: spindle audit")
        return STOPPED
    except UserError as error:
        print_notice(f"the audit failed: {terminal_text(error)}")
        return FAILED
    return audit_exit_code(report)


class Stopping:
    """Handles Ctrl-C during a run: the first stops it in order, the second at once.

    The signal handler only requests the stop; the message is printed by the thread that waits for the run.
    """

    def __init__(self, conductor: Conductor) -> None:
        self._conductor = conductor
        self._asked = 0
        self._said = False

    def ask(self) -> None:
        self._asked += 1
        if self._asked == 1:
            self._conductor.run.stop()
        else:
            self._conductor.run.stop_now()

    def report_progress(self) -> None:
        if self._asked and not self._said:
            self._said = True
            print_notice("stopping; press Ctrl-C again to stop at once.")


def _drive(
    conductor: Conductor,
    run_options: RunOptions,
    *,
    sinks: tuple[Sink, ...],
    started: Callable[[Conductor], None],
    done: Callable[[RunRecord], RunRecord],
) -> RunRecord:
    """Start the run, wait for its end, and return what ``done`` makes of its record.

    Ctrl-C stops the run until all of this is over, so that the result is never lost.
    """
    table = None if run_options.quiet else LiveTable(conductor.plan, error_console)
    stopping = Stopping(conductor)
    monitoring = run_options.monitoring
    elsewhere = [] if monitoring is None else monitoring.sinks(conductor.plan, conductor.name)
    conductor.start([*sinks, *elsewhere, *([] if table is None else [table])])
    with on_interrupt(stopping.ask), never_paused():
        try:
            started(conductor)
        except UserError as error:  # the run goes on: its configuration can be set later
            print_notice(terminal_text(error))
        with table or nullcontext():
            while not conductor.run.wait(_REFRESH_SECONDS):
                stopping.report_progress()
                if table is not None:
                    table.refresh()
            if table is not None:
                table.refresh()
        return done(conductor.finish(keeps_leases=run_options.audit))
