"""The entry of a run in the library: made when the run begins, with its totals and its state when it is over."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from engine.driver.run import Run
from engine.errors import UserError
from engine.library.library import Library
from engine.library.rescue import Rescue, rescue_run
from engine.library.totals import totals_of
from engine.record.record import Phases, RunRecord, RunState
from engine.record.totals import Totals

_FLUSH_SECONDS = 20.0
_LAST_ATTEMPT_SECONDS = 5.0
_log = logging.getLogger(__name__)


class LibraryEntry:
    """The entry of the run that ``record`` describes; ``writer`` is a sink of that run.

    ``notify`` gets sentences about the library while the run goes on, ``warn`` those about the run's end. ``rescue`` is
    there after ``end`` when the library did not take it. Raises ``UserError`` when the library can't be written.
    """

    def __init__(
        self, library: Library, record: RunRecord, *, notify: Callable[[str], None], warn: Callable[[str], None]
    ) -> None:
        self.writer = library.start_run(record, notify=notify)
        self.is_open = True
        self.rescue: Rescue | None = None
        self._library = library
        self._record = record
        self._warn = warn

    def abandon(self) -> None:
        """End the entry as failed: there is no run for it."""
        self.is_open = False
        failure = "The run could not be started."
        self.writer.finish(RunState.FAILED, ended_at=datetime.now(UTC), totals=None, phases=Phases(), failure=failure)
        self.writer.close(_FLUSH_SECONDS)

    def end(self, run: Run, with_measures: Callable[[Totals], Totals]) -> RunRecord:
        """End the entry of a run that is over: its totals from the samples as they are stored, and its final state.

        ``with_measures`` adds to the totals what was measured elsewhere.
        """
        run_id, writer = self._record.run_id, self.writer
        written = writer.flush(_LAST_ATTEMPT_SECONDS if writer.is_failing else _FLUSH_SECONDS)
        totals = self._totals(self._library, run.phases) if written else None
        if totals is not None:
            totals = with_measures(totals)
        ended_at = datetime.now(UTC)
        writer.finish(run.state, ended_at=ended_at, totals=totals, phases=run.phases, failure=run.failure)
        is_whole = writer.close(_FLUSH_SECONDS if written else _LAST_ATTEMPT_SECONDS)
        self.is_open = False
        if not self._is_over_in_library():
            return self._end_elsewhere(run.phases)
        if not is_whole:
            self._warn(f"The library could not be written; run {run_id} is stored only in part.")
        if not written and (late := self._totals(self._library, run.phases)) is not None:
            self._library.settle(run_id, totals=late, phases=run.phases)  # it could be written again in between
        return self._library.run(run_id)

    def _is_over_in_library(self) -> bool:
        try:
            return self._library.run(self._record.run_id).state.is_final
        except UserError:
            return False

    def _end_elsewhere(self, phases: Phases) -> RunRecord:
        """The library did not take the run's end: that, and what waited for it, goes into a library of its own."""
        run_id = self._record.run_id

        def settle(library: Library) -> None:
            if (totals := self._totals(library, phases)) is not None:
                library.settle(run_id, totals=totals, phases=phases)

        began = replace(self._record, started_at=self.writer.began_at or self._record.started_at)
        self.rescue = rescue_run(self._library, began, self.writer.left_over, settle)
        return self.rescue.library.run(run_id)

    def _totals(self, library: Library, phases: Phases) -> Totals | None:
        """``None`` when the samples can't be read: the run's end is written in any case."""
        try:
            return totals_of(library, self._record.run_id, self._record.plan.client_plans(), phases)
        except Exception:
            _log.exception("the totals of run %s can't be computed", self._record.run_id)
            self._warn(f"The totals of run {self._record.run_id} can't be computed; its samples are in the library.")
            return None
