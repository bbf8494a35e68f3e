"""Conducting a run from the terminal: preflight with progress, the live table, Ctrl-C, and the exit code.

Called by `spindle run`, `spindle demo` and `spindle ds2`.
"""

from collections.abc import Callable
from contextlib import nullcontext

from app.audit_text import audit_exit_code
from app.cli.context import Context
from app.live_table import LiveTable
from app.problems import COMPLETED, FAILED, ORDERS_LOST, STOPPED, say
from app.terminal import error_console, on_interrupt, progress_shown
from engine.audit.after_run import audit_after_run
from engine.conductor import Conductor, Targets
from engine.databases.database import Timeouts
from engine.driver.sinks import Sink
from engine.errors import Cancelled, UserError
from engine.library.library import Library
from engine.plan import RunPlan
from engine.record import RunRecord, RunState

_REFRESH_SECONDS = 0.5
_EXIT_CODES = {RunState.COMPLETED: COMPLETED, RunState.STOPPED: STOPPED}


def conduct(
    context: Context,
    plan: RunPlan,
    *,
    reset: bool,
    quiet: bool,
    done: Callable[[Library, RunRecord], None],
    audit: bool = False,
    sinks: tuple[Sink, ...] = (),
) -> int:
    """Run a plan from its targets to the library and hand its record to ``done``; the exit code.

    With ``audit`` every order is looked up before that. Raises ``UserError`` for whatever is wrong before the run
    begins.
    """
    with context.open_library() as library, context.open_targets() as targets:
        audited = COMPLETED

        def settle(record: RunRecord) -> None:
            nonlocal audited
            if audit:
                audited = _audit(library, record, targets)
                record = library.run(record.run_id)
            done(library, record)

        conductor = Conductor(plan, library=library, targets=targets, say=say, timeouts=Timeouts())
        with progress_shown("") as (tell, flag):
            if reset:
                conductor.reset_changed(tell=tell, cancelled=flag.is_set)
            conductor.prepare(tell=tell, cancelled=flag.is_set)
        try:
            record = _drive(conductor, quiet=quiet, sinks=sinks, done=settle)
        finally:
            conductor.close()
        if record.failure:
            say(record.failure)
        return ORDERS_LOST if audited == ORDERS_LOST else _EXIT_CODES.get(record.state, FAILED) or audited


def _audit(library: Library, record: RunRecord, targets: Targets) -> int:
    """Look the run's orders up and keep the verdict in the run; the exit code for it. Nothing costs the result."""
    try:
        with progress_shown("auditing") as (tell, flag):
            report = audit_after_run(library, record.run_id, targets.resolve, tell=tell, cancelled=flag.is_set)
    except Cancelled:
        say("the audit was stopped; spindle audit does it anew.")
        return FAILED
    except UserError as error:
        say(f"the audit failed: {error}")
        return FAILED
    return audit_exit_code(report)


class Stopping:
    """What Ctrl-C does to a run: the first stops it in order, the second at once.

    The signal only asks; the words are said by the thread that waits for the run.
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

    def tell(self) -> None:
        if self._asked and not self._said:
            self._said = True
            say("stopping in order; once more stops at once.")


def _drive(
    conductor: Conductor, *, quiet: bool, sinks: tuple[Sink, ...], done: Callable[[RunRecord], None]
) -> RunRecord:
    """Start, watch and finish; Ctrl-C means the run all the while, so that it never costs the result."""
    table = None if quiet else LiveTable(conductor.plan, error_console)
    stopping = Stopping(conductor)
    conductor.start([*sinks, *([] if table is None else [table])])
    with on_interrupt(stopping.ask):
        with table or nullcontext():
            while not conductor.run.wait(_REFRESH_SECONDS):
                stopping.tell()
                if table is not None:
                    table.refresh()
            if table is not None:
                table.refresh()
        record = conductor.finish()
        done(record)
    return record
