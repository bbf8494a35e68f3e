"""Follows the load of a run by stages or at a rate: says which stage begins, and when the load is to end early.

A staircase ends by the figures of its stage that is over, an open loop when its rate is not held. Called by ``Run`` on
its collector thread; it is one of the run's sinks.
"""

import math
from collections.abc import Mapping
from typing import Any, Protocol

from engine.analysis.headline import headline_of
from engine.analysis.stages.backlog import LIMIT_SECONDS, Backlog, is_held
from engine.analysis.stages.ending import Ending, ending_of, last_step, workstation_clause
from engine.analysis.stages.figures import StageSums
from engine.driver.sinks import Sink
from engine.figure_text import counted, whole
from engine.plan.load.profile import LoadProfile, StageSpan
from engine.record.record import Phases, RunState
from engine.record.totals import StageTotals
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Sample

# Samples of a stage's last second come within the next one; a client that is silent is not waited for any longer.
_GRACE_SECONDS = 2


class Emit(Protocol):
    """Emits an event of the run."""

    def __call__(
        self, kind: EventKind, label: str, *, code: EventCode, data: Mapping[str, Any], at_seconds: float
    ) -> None: ...


class StageMonitor(Sink):
    """A sink for a run of a workload with so many clients and users, or for one load of a mixed run.

    ``profile`` is that of its plan, ``rate`` the rate of an open loop without stages. ``emit`` emits its events.
    """

    def __init__(
        self,
        workload: str,
        clients: int,
        users: int,
        profile: LoadProfile | None,
        rate: float | None,
        emit: Emit,
    ) -> None:
        self._of = headline_of(workload)
        self._clients = clients
        self._users = users
        self._profile = profile
        self._rate = rate
        self._emit = emit
        self._spans: list[StageSpan] = []
        self._sums = StageSums(self._of, [])
        self._complete = 0  # the stages whose figures are known
        self._begun = 0
        self._seen: dict[int, int] = {}  # the last second of each client
        self._events: dict[int, RunEvent] = {}
        self._backlog = Backlog(clients)
        self._measuring_from = math.inf
        self._counts: dict[int, int] = {}
        self._is_over = False

    def check(self, at: float) -> int | None:
        """Emit what has begun or ended at a second of the run; the second at which the load is to end, if it is."""
        for span in self._spans[self._begun :]:
            if at >= span.begins:
                self._begun += 1
                self._announce(span)
        if self._is_over:
            return None
        return self._end_of_staircase(at) if (ends := self._end_of_rate()) is None else ends

    def close(self) -> None:
        """All samples have come: a staircase that was not ended early has ended at its last step."""
        if self._is_over or self._profile is None or self._profile.staircase is None:
            return
        stages = self._sums.totals(self._known_until())
        if stages and stages[-1].number == len(self._spans):
            ending = self._ending(stages) or last_step(stages[-1], self._of)
            self._emit_ending(ending, self._spans[-1].ends)

    def write_sample(self, sample: Sample) -> None:
        if sample.second < self._measuring_from:
            return
        self._seen[sample.client] = max(sample.second, self._seen.get(sample.client, 0))
        self._sums.add(sample)
        if self._rate is not None or (self._profile is not None and self._profile.is_open_loop):
            self._backlog.add(sample)
            count = sample.of(self._of.transaction.id).n
            self._counts[sample.second] = self._counts.get(sample.second, 0) + count

    def write_event(self, event: RunEvent) -> None:
        self._events[event.number] = event

    def remove_event(self, number: int) -> None:
        self._events.pop(number, None)

    def set_state(self, state: RunState, phases: Phases) -> None:
        if phases.measuring_from is None or phases.measuring_from == self._measuring_from:
            return
        self._measuring_from = phases.measuring_from
        if self._profile is not None:
            self._spans = list(self._profile.spans(phases.measuring_from))
            self._sums = StageSums(self._of, self._spans)

    def _announce(self, span: StageSpan) -> None:
        stage = span.stage
        data = {"stage": span.number, **stage.to_dict(), "settle_seconds": stage.settling_seconds}
        self._emit(EventKind.PHASE, span.name, code=EventCode.STAGE_BEGAN, data=data, at_seconds=float(span.begins))

    def _end_of_staircase(self, at: float) -> int | None:
        if self._profile is None or self._profile.staircase is None:
            return None
        for span in self._spans[self._complete :]:
            if not (self._known_until() >= span.ends or at >= span.ends + _GRACE_SECONDS):
                return None
            self._complete += 1
            stages = self._sums.totals(span.ends)
            stages = tuple(each for each in stages if each.number <= span.number)
            if stages and (ending := self._ending(stages)) is not None:
                self._emit_ending(ending, span.ends)
                return span.ends
        return None

    def _ending(self, stages: tuple[StageTotals, ...]) -> Ending | None:
        assert self._profile is not None
        assert self._profile.staircase is not None
        return ending_of(self._profile.staircase, stages, self._of, self._events.values())

    def _emit_ending(self, ending: Ending, at: int) -> None:
        self._is_over = True
        data = {"reason": ending.reason.value, **ending.data}
        label = f"the staircase ended: {ending.text}"
        self._emit(EventKind.PHASE, label, code=EventCode.STAIRCASE_ENDED, data=data, at_seconds=float(at))

    def _end_of_rate(self) -> int | None:
        """The second after which the rate was not held, in one sentence with the highest that was."""
        until = self._known_until()
        rate = self._rate_at(until - 1)
        if not rate or not self._backlog.has_outgrown(rate / self._of.metric.per_seconds):
            return None
        self._is_over = True
        last = range(until - LIMIT_SECONDS, until)
        completed = self._of.metric.value(sum(self._counts.get(each, 0) for each in last), LIMIT_SECONDS)
        held = self._highest_held(until)
        best = (
            f"the highest rate that held was {self._of.text(held)} {self._of.label}"
            if held is not None
            else f"{self._of.text(completed)} {self._of.label} were completed meanwhile, and no rate of this run held"
        )
        limited = workstation_clause(self._events.values(), last.start, until)
        grew = (
            f"{self._of.text(rate)} {self._of.label} could not be held with {counted(self._users, 'user')}: the queue"
            f" grew for {LIMIT_SECONDS} s to {whole(self._backlog.queue)} {self._of.many}"
        )
        data = {
            "rate": rate,
            "queue": self._backlog.queue,
            "grew_seconds": LIMIT_SECONDS,
            "completed": completed,
            "held_rate": held,
            "workstation_limited": bool(limited),
        }
        self._emit(
            EventKind.WARNING,
            "; ".join(filter(None, (grew, best, limited))),
            code=EventCode.RATE_NOT_HELD,
            data=data,
            at_seconds=float(until),
        )
        return until

    def _rate_at(self, second: int) -> float | None:
        stages = (span.stage for span in self._spans if span.begins <= second < span.ends)
        return self._rate if self._profile is None else next((stage.rate for stage in stages), None)

    def _highest_held(self, until: int) -> float | None:
        """The highest rate of the stages that are over and whose transactions were completed."""
        minute = self._of.metric.per_seconds
        stages = self._sums.totals(until)
        over = (each for each in stages if each.first_second + each.seconds < until)
        rates = (each.rate for each in over if each.rate and is_held(each.count, each.rate * each.seconds / minute))
        return max(rates, default=None)

    def _known_until(self) -> int:
        """The second before which the samples of all clients are there."""
        if len(self._seen) < self._clients:
            return 0
        return min(self._seen.values()) + 1
