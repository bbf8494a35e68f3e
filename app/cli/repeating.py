"""Repeated runs of one plan, stored as a run set: `spindle run --repeat`."""

from collections.abc import Callable

from app.cli.conducting import RunOptions, conduct_one
from app.cli.context import Context
from app.cli.problems import COMPLETED, FAILED, NOT_KEPT, ORDERS_LOST, STOPPED, print_notice
from engine.analysis.comparing.run_set import RunSet
from engine.analysis.headline import headline_of
from engine.conduct.conductor import Conductor
from engine.conduct.made_stores import MadeStores
from engine.conduct.targets import Targets
from engine.errors import BadInput, Cancelled
from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS

_GRAVEST_FIRST = (STOPPED, ORDERS_LOST, NOT_KEPT, FAILED)


def repeat(
    context: Context,
    plan: RunPlan,
    times: int,
    run_options: RunOptions,
    *,
    done: Callable[[Library, RunSet], None],
    configuration: str = "",
) -> int:
    """Conduct ``times`` runs of a plan and call ``done`` with their set; returns the most serious exit code.

    A failed run is left out of the set, and the next one begins. Ctrl-C ends the running run and all that were to
    follow; so does a library without room for another run. In every case ``done`` gets the set of what was measured.
    Raises ``BadInput`` for a plan without an end, and ``UserError`` for whatever is wrong before a run begins.
    """
    if not plan.measured_seconds:
        raise BadInput("minutes is 0, which runs until Ctrl-C, and --repeat needs runs that end; give --minutes.")
    with context.open_library_to_write() as library, context.open_targets() as targets:
        chosen = library.configurations.get(configuration).name if configuration else ""
        growing = _GrowingSet(library, plan, times, chosen)
        try:
            with MadeStores(library.path, print_notice) as made:
                codes = _conduct_all(library, targets, plan, run_options, growing, made)
        finally:
            if growing.name:
                done(library, library.sets.get(growing.name))
        return next((code for code in _GRAVEST_FIRST if code in codes), COMPLETED)


class _GrowingSet:
    """The set during its runs: each run is added in its first second, so that a crash does not lose it."""

    def __init__(self, library: Library, plan: RunPlan, times: int, configuration: str) -> None:
        self._library = library
        self._plan = plan
        self._configuration = configuration
        self.times = times
        self.number = 0
        self.name = ""

    def add(self, conductor: Conductor) -> None:
        run_ids = (conductor.run_id,)
        self._library.rename(conductor.run_id, f"{conductor.name}, run {self.number}")
        if self.name:
            self._library.sets.add(self.name, run_ids)
            return
        made = self._library.sets.make(
            conductor.name, run_ids, note=self._plan.note, configuration=self._configuration, numbered=True
        )
        self.name = made.name

    def report_progress(self, _kept_in: Library, record: RunRecord) -> None:
        headline = headline_of(record.plan.workload)
        reached = f"{headline.text((record.totals or NO_TOTALS).headline_rate)} {headline.label}"
        print_notice(f"run {self.number} of {self.times}: {record.state}, {reached}, {record.run_id}")


def _conduct_all(
    library: Library, targets: Targets, plan: RunPlan, run_options: RunOptions, growing: _GrowingSet, made: MadeStores
) -> list[int]:
    """The exit codes of the runs; ``STOPPED`` is last when they were cut short."""
    codes: list[int] = []
    for number in range(1, growing.times + 1):
        growing.number = number
        try:
            conducted = conduct_one(
                library, targets, plan, run_options, started=growing.add, done=growing.report_progress, made=made
            )
        except Cancelled:
            print_notice("stopped before the next run began." if codes else "stopped.")
            return [*codes, STOPPED]
        codes.append(STOPPED if conducted.is_stopped else conducted.exit_code)
        if conducted.is_stopped or conducted.exit_code == NOT_KEPT:
            break
    return codes
