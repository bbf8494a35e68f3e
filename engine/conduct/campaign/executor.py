"""Carries a campaign out step by step, each written to the journal when it begins and when it ends.

What the journal has as done is not done again, so that a campaign that was killed or stopped is resumed by carrying it
out once more. A run that completed is never repeated; ``engine.campaign.journal.to_be_repeated`` says what is.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from engine.analysis.host.idle_watts import idle_sentence
from engine.campaign.conditions import in_words
from engine.campaign.events import CampaignCode, CampaignEvent, OnEvent
from engine.campaign.journal import (
    CampaignState,
    EntryState,
    Journal,
    JournalEntry,
    is_settled,
    last_by_path,
    on_failure_of,
    to_be_repeated,
)
from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import (
    ActStep,
    IdleStep,
    OnFailure,
    ResetStep,
    RunStep,
    SearchStep,
    WaitStep,
)
from engine.campaign.units import Round, Unit, planned_units, rounds_of
from engine.conduct.campaign.durable import DurableJournal, JournalLost
from engine.conduct.campaign.point_search import PointSearch
from engine.conduct.campaign.stopping import Clock, RealClock, Stopping
from engine.conduct.campaign.tools import CampaignTools
from engine.databases.progress import Progress, ReportProgress
from engine.errors import Cancelled, TargetError, UserError
from engine.figure_text import planned_length
from engine.record.record import RunState

_POLL_SECONDS = 1.0
_log = logging.getLogger(__name__)
_Ended = tuple[EntryState, str, Mapping[str, Any]]


class _StoppedError(Exception):
    """The user stopped the campaign."""


class _FailedError(Exception):
    """A step failed, and the plan says that the campaign stops then."""


class CampaignExecutor:
    """One campaign, carried out by ``carry_out`` on the thread that calls it; ``on_event`` is called on that thread."""

    def __init__(
        self,
        plan: CampaignPlan,
        journal: Journal,
        tools: CampaignTools,
        *,
        on_event: OnEvent,
        stopping: Stopping,
        clock: Clock | None = None,
    ) -> None:
        self._plan = plan
        self._clock = clock or RealClock(stopping)
        self._journal = DurableJournal(journal, self._clock, stopping)
        self._tools = tools
        self._on_event = on_event
        self._stopping = stopping
        self._last: dict[str, JournalEntry] = {}

    def carry_out(self) -> tuple[CampaignState, str]:
        """Do what is left to be done; returns how the campaign ended, and why. The failure of a step is not raised."""
        try:
            self._begin()
            for number, step in enumerate(self._plan.steps, start=1):
                if isinstance(step, SearchStep):
                    self._search(number, step)
                else:
                    for work in rounds_of(self._plan, number):
                        self._round(work)
            state, reason = CampaignState.COMPLETED, ""
        except _StoppedError:
            state, reason = CampaignState.STOPPED, ""
        except (_FailedError, JournalLost) as error:
            state, reason = CampaignState.FAILED, str(error)
        self._emit(CampaignCode.ENDED, state=state.value, reason=reason)
        return state, reason

    def _begin(self) -> None:
        entries = self._journal.entries()
        self._last = last_by_path(entries)
        settled = sum(entry.state in (EntryState.DONE, EntryState.SKIPPED) for entry in self._last.values())
        units = planned_units(self._plan)
        self._emit(CampaignCode.BEGAN, name=self._plan.name, is_resumed=bool(entries), units=units, settled=settled)

    def _round(self, work: Round) -> None:
        self._settle(work)
        again, skipping = to_be_repeated(work, self._last), ""
        for unit in work.units:
            entry = self._last.get(unit.path)
            if skipping:
                if entry is None or not is_settled(entry, unit):
                    self._skip(unit, skipping)
            elif entry is None or not is_settled(entry, unit) or unit.path in again:
                entry = self._do(unit)
            if entry is not None and entry.state is EntryState.FAILED and not skipping:
                skipping = self._consequence(unit, entry)

    def _settle(self, work: Round) -> None:
        """End the entries that a killed process left running; a run that had completed by then is not repeated."""
        for unit in work.units:
            entry = self._last.get(unit.path)
            if entry is None or is_settled(entry, unit):
                continue
            if unit.is_run and entry.run_id and self._is_completed(entry.run_id):
                remark = self._complete(unit, entry)
                reason = remark or "The run had completed when the campaign was interrupted."
                self._end(unit, entry, EntryState.DONE, reason)
            elif entry.state is EntryState.RUNNING:
                what = f"Run {entry.run_id} was cut off" if entry.run_id else "It was cut off"
                self._end(unit, entry, EntryState.INTERRUPTED, f"{what}: the program that carried it out ended.")

    def _is_completed(self, run_id: str) -> bool:
        try:
            return self._tools.is_completed(run_id)
        except UserError as error:
            raise _FailedError(str(error)) from error

    def _complete(self, unit: Unit, entry: JournalEntry) -> str:
        try:
            return self._tools.complete(unit, entry.run_id, self._siblings(unit), report_progress=self._reporter(entry))
        except Cancelled:
            raise _StoppedError from None
        except (UserError, TargetError) as error:
            self._notice(f"Run {entry.run_id}: {error}")
            return str(error)

    def _siblings(self, unit: Unit) -> list[str]:
        """The completed runs of the unit's set, in order."""
        return [
            entry.run_id
            for entry in self._last.values()
            if entry.state is EntryState.DONE and entry.run_id and entry.data.get("place") == unit.place
        ]

    def _consequence(self, unit: Unit, entry: JournalEntry) -> str:
        """What a failure means: an error when the campaign stops, else why the rest of the round is left out, if it
        is."""
        match on_failure_of(unit):
            case OnFailure.STOP:
                raise _FailedError(f"{unit.title}: {entry.reason}")
            case OnFailure.SKIP:
                return f"Left out, as this failed: {unit.title}."
            case OnFailure.CONTINUE:
                return ""

    def _skip(self, unit: Unit, reason: str) -> None:
        data = _data_of(unit)
        entry = self._journal.note(unit.path, unit.step.kind, unit.title, data, state=EntryState.SKIPPED, reason=reason)
        self._last[unit.path] = entry
        self._emit_end(unit, entry)

    def _do(self, unit: Unit) -> JournalEntry:
        self._check_stopping()
        entry = self._journal.begin(unit.path, unit.step.kind, unit.title, _data_of(unit))
        self._last[unit.path] = entry
        self._emit(
            CampaignCode.STEP_BEGAN,
            number=entry.number, path=unit.path, kind=entry.kind, title=unit.title, attempt=entry.attempt,
        )  # fmt: skip
        try:
            state, reason, data = self._done(unit, entry)
        except (Cancelled, _StoppedError):
            state, reason, data = EntryState.STOPPED, "It was stopped.", {}
        except (UserError, TargetError) as error:
            state, reason, data = EntryState.FAILED, str(error), {}
        except (JournalLost, _FailedError):
            raise
        except Exception as error:
            _log.exception("a step of a campaign failed")
            state, reason, data = EntryState.FAILED, f"Spindle itself failed: {type(error).__name__}.", {}
        ended = self._end(unit, self._last[unit.path], state, reason, data)
        if state is EntryState.STOPPED:
            raise _StoppedError
        return ended

    def _done(self, unit: Unit, entry: JournalEntry) -> _Ended:
        match unit.step:
            case ResetStep():
                self._tools.reset(unit.plan, report_progress=self._reporter(entry), cancelled=self._is_stopping)
                return EntryState.DONE, "", {}
            case ActStep(injection=injection):
                acted = self._tools.act(unit.plan, injection)
                state = EntryState.FAILED if acted.failure else EntryState.DONE
                return state, acted.failure, {"audit": acted.audit}
            case WaitStep():
                return self._wait(unit, unit.step, entry)
            case IdleStep(watts_of=machines) if machines:
                return self._measure_watts(unit.step, entry)
            case IdleStep(seconds=seconds):
                self._idle(seconds, entry)
                return EntryState.DONE, "", {}
            case RunStep():
                return self._run(unit, entry)

    def _wait(self, unit: Unit, step: WaitStep, entry: JournalEntry) -> _Ended:
        deadline = self._clock.monotonic() + step.deadline_seconds
        while missing := self._tools.missing(unit.plan, step.condition):
            left = deadline - self._clock.monotonic()
            if left <= 0:
                by = f"by the deadline of {planned_length(step.deadline_seconds)}"
                stop = "" if missing.endswith(("?", ".")) else "."
                return EntryState.FAILED, f"{in_words(step.condition)} was not met {by}: {missing}{stop}", {}
            self._report(entry, missing, left_seconds=left)
            self._pause(min(_POLL_SECONDS, left))
        return EntryState.DONE, "", {}

    def _idle(self, seconds: float, entry: JournalEntry) -> None:
        until = self._clock.monotonic() + seconds
        while (left := until - self._clock.monotonic()) > 0:
            self._report(entry, "idle", share=1 - left / seconds, left_seconds=left)
            self._pause(min(_POLL_SECONDS, left))

    def _measure_watts(self, step: IdleStep, entry: JournalEntry) -> _Ended:
        measured = self._tools.measure_idle_watts(
            step.watts_of, step.seconds, report_progress=self._reporter(entry), cancelled=self._is_stopping
        )
        return EntryState.DONE, idle_sentence(measured), {"watts": [each.to_dict() for each in measured]}

    def _run(self, unit: Unit, entry: JournalEntry) -> _Ended:
        def announce(run_id: str) -> None:
            self._journal.set_run(entry.number, run_id)
            self._last[unit.path] = replace(entry, run_id=run_id)

        def started(run_id: str) -> None:
            self._emit(CampaignCode.RUN_BEGAN, number=entry.number, run_id=run_id, name=unit.run_name)

        end = self._tools.run(unit, announce=announce, started=started, report_progress=self._reporter(entry))
        if end.not_kept:
            self._notice(end.failure)  # the journal may have no room for it either
            self._end(unit, self._last[unit.path], EntryState.FAILED, end.failure)
            raise _FailedError(end.failure)
        if end.state is RunState.COMPLETED and not end.is_audit_stopped:
            remark = self._complete(unit, self._last[unit.path])
            return EntryState.DONE, remark, {}
        if end.state is RunState.FAILED:
            return EntryState.FAILED, end.failure or "The run failed.", {}
        return EntryState.STOPPED, "The run was stopped.", {}

    def _search(self, number: int, step: SearchStep) -> None:
        search = PointSearch(
            self._plan,
            number,
            step,
            journal=self._journal,
            last=self._last,
            tools=self._tools,
            do_round=self._round,
            emit=self._emit,
        )
        try:
            search.carry_out()
        except UserError as error:
            raise _FailedError(str(error)) from error

    def _end(
        self, unit: Unit, entry: JournalEntry, state: EntryState, reason: str, data: Mapping[str, Any] | None = None
    ) -> JournalEntry:
        self._journal.end(entry.number, state, reason, data)
        ended = replace(entry, state=state, reason=reason, data={**entry.data, **(data or {})})
        self._last[unit.path] = ended
        self._emit_end(unit, ended)
        return ended

    def _emit_end(self, unit: Unit, entry: JournalEntry) -> None:
        self._emit(
            CampaignCode.STEP_ENDED,
            number=entry.number, path=unit.path, kind=entry.kind, title=unit.title, state=entry.state.value,
            reason=entry.reason, run_id=entry.run_id,
        )  # fmt: skip

    def _is_stopping(self) -> bool:
        """Whether the campaign is to stop, as this program or another one was asked."""
        if not self._stopping.is_asked() and self._journal.is_stop_requested():
            self._stopping.ask()
        return self._stopping.is_asked()

    def _check_stopping(self) -> None:
        if self._is_stopping():
            raise _StoppedError

    def _pause(self, seconds: float) -> None:
        self._clock.wait(seconds)
        self._check_stopping()

    def _reporter(self, entry: JournalEntry) -> ReportProgress:
        def report_progress(step: Progress) -> None:
            self._report(entry, step.doing, share=step.share)

        return report_progress

    def _report(
        self, entry: JournalEntry, doing: str, *, share: float | None = None, left_seconds: float | None = None
    ) -> None:
        self._emit(CampaignCode.STEP_PROGRESS, number=entry.number, doing=doing, share=share, left_seconds=left_seconds)

    def _notice(self, text: str) -> None:
        self._emit(CampaignCode.NOTICE, text=text)

    def _emit(self, code: CampaignCode, **data: Any) -> None:
        self._on_event(CampaignEvent(at=datetime.now(UTC), code=code, data=data))


def _data_of(unit: Unit) -> dict[str, Any]:
    """What the journal keeps of a unit beside its title."""
    return {"place": unit.place, **({"point": dict(unit.point)} if unit.point else {})}
