"""Everything known of one run, in progress or stored: what the live page and the run page show.

``app.live.run`` fills it during a run, ``engine.library.whole_run`` from the library.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from math import ceil, floor

import numpy as np

from engine.analysis.error_counts import ErrorCounts
from engine.analysis.figures import INACTIVE, PROGRAM_STATES, USER_STATES, WINDOW_SECONDS, Figures
from engine.analysis.headline import headline_of
from engine.analysis.host.live import LiveHosts
from engine.analysis.latency.percentiles import mean_ms
from engine.analysis.latency.response_limits import LimitedHistograms, LimitRow, limit_rows
from engine.analysis.latency.series import LatencySeries, recent_percentiles
from engine.analysis.series.probes import ProbeSeries
from engine.analysis.series.rates import Rates, Series
from engine.analysis.workstation_use import WorkstationUse
from engine.plan.load.profile import StageSpan
from engine.plan.plan import RunPlan
from engine.record.clock import RunClock
from engine.record.record import Phases, RunState
from engine.record.totals import NO_TIMES, NO_TOTALS, Totals
from engine.telemetry.event import EventCode, RunEvent
from engine.telemetry.sample import CountNames, ProbeSample, Sample
from engine.telemetry.workstation import WorkstationLoad
from engine.workload.registry import find_workload

_MINUTE_SECONDS = 60
_SILENT_SECONDS = 2
_BEYOND_SECONDS = 60


class RunData:
    """One run's plan, state, counts and events.

    ``headline`` is what the metric counts that is shown first, and its words. ``totals`` are those of its record once
    it is over, and those that another program printed where the run ``is_imported``; ``probes`` the probe series of
    each store, by its number from 1 in the plan's stores; ``workstation`` the load of the workstation during the run
    and ``workstation_use`` that of a stored one's measured seconds, ``hosts`` what collectors read of machines
    meanwhile (of a stored run see ``Library.host``). Not thread-safe: it belongs to the thread that shows it.
    """

    def __init__(self, plan: RunPlan, *, run_id: str = "", name: str = "", series: Series | None = None) -> None:
        self.plan = plan
        self.headline = headline_of(plan.workload)
        self._types = (self.headline.transaction, *self.headline.others)
        self.clients = plan.client_plans()
        self.run_id = run_id
        self.name = name or plan.name
        self.started_at: datetime | None = None
        self.state = RunState.PREPARING
        self.phases = Phases()
        self.series = Series(len(self.clients), seconds_hint=_seconds_hint(plan)) if series is None else series
        self.latency = LatencySeries(
            self.headline.transaction.id, others=tuple(each.id for each in self.headline.others)
        )
        self._limited = LimitedHistograms(self._types)
        self.errors = ErrorCounts()
        self.totals: Totals | None = None
        self.is_imported = False
        self.workstation: WorkstationLoad | None = None
        self.machine_loads: dict[str, WorkstationLoad] = {}
        self.workstation_use: WorkstationUse | None = None
        self.hosts = LiveHosts()
        self.events: dict[int, RunEvent] = {}
        self.probes: dict[int, ProbeSeries] = {}
        self._newest: dict[int, Sample] = {}
        self._has_backlog = find_workload(plan.workload).backlog is not None

    def add(self, sample: Sample) -> None:
        """Add a sample; late ones are added to their own second."""
        self.series.add(sample)
        self.latency.add(sample)
        if self.phases.measuring_from is not None and sample.second >= self.phases.measuring_from:
            self._limited.add(sample)
        self.errors.add(sample.client, sample.second, sample.errors)
        newest = self._newest.get(sample.client)
        if newest is None or newest.second < sample.second:
            self._newest[sample.client] = sample

    def add_probe(self, sample: ProbeSample) -> None:
        """Add a probe sample."""
        self.probes.setdefault(sample.store, ProbeSeries()).add(sample)

    def put_event(self, event: RunEvent) -> None:
        """Add an event, or replace the one with the same number."""
        self.events[event.number] = event

    def remove_event(self, number: int) -> None:
        self.events.pop(number, None)

    def sorted_events(self) -> list[RunEvent]:
        """The events, sorted by time."""
        return sorted(self.events.values(), key=lambda event: (event.at_seconds, event.number))

    def set_state(self, state: RunState, phases: Phases) -> None:
        self.state, self.phases = state, phases

    @property
    def clock(self) -> RunClock:
        """The clock for the run's moments."""
        return RunClock.of(self.phases)

    @property
    def end(self) -> int:
        """The second before which everything is known.

        During the run, the newest second counts only when every client with a sample of the one before has one: with
        half of the clients the orders would seem to drop by half.
        """
        newest = self.series.seconds
        if self.state.is_final:
            return newest
        present = [sample.second for sample in self._newest.values() if sample.second >= newest - _SILENT_SECONDS]
        return newest if all(second == newest - 1 for second in present) else newest - 1

    @property
    def full_end(self) -> int:
        """``end``, or the last second before the load was stopped, since the next one is not complete."""
        if self.phases.measuring_to is not None:
            return min(self.end, self.phases.measuring_to)
        stops = [
            floor(event.at_seconds)
            for event in self.events.values()
            if event.code is EventCode.PHASE_BEGAN and event.data["state"] == RunState.STOPPING
        ]
        return min([self.end, *stops])

    def until_full_end(self, values: Rates) -> Rates:
        """The values by second, from 0; NaN from ``full_end`` on, where users leave within a second that is not whole,
        and the few transactions that end in it are not those of a usual one."""
        known: Rates = np.where(np.arange(len(values)) < self.full_end, values, np.nan)
        return known

    @property
    def measured_end(self) -> int:
        """``end``, or the end of the measuring phase when that is over."""
        return self.end if self.phases.measuring_to is None else min(self.end, self.phases.measuring_to)

    def stage_spans(self) -> list[StageSpan]:
        """The stages of the load that have begun, each until its end, or as far as the run is known; empty without."""
        profile, first = self.plan.profile, self.phases.measuring_from
        if profile is None or first is None:
            return []
        end = self.measured_end
        begun = (span for span in profile.spans(first) if span.begins < end)
        return [replace(span, ends=min(span.ends, end)) for span in begun]

    def newest(self, client: int) -> Sample | None:
        """The newest sample of a client during the run."""
        return self._newest.get(client)

    def mean_ms(self, first: int = 0, end: int | None = None) -> Rates:
        """The headline's mean response time by second over all clients, milliseconds; NaN without transactions."""
        orders = self.series.by_second(self.headline.names.n, first=first, end=end)
        total_us = self.series.by_second(self.headline.names.sum_us, first=first, end=end)
        means: Rates = np.divide(total_us, 1000 * orders, out=np.full(len(orders), np.nan), where=orders > 0)
        return means

    def figures(self, client: int | None = None, window_seconds: int = WINDOW_SECONDS) -> Figures:
        """The figures of one client, or of all."""
        end, series = self.measured_end, self.series
        first = self._first(end)
        orders = series.count(self.headline.names.n, client=client, first=first, end=end)
        rollbacks = series.count("rollbacks", client=client, first=first, end=end)
        mean, p95, p99, intended_p95, intended_p99 = self._times(client, end, window_seconds)
        newest = self._heard_from(client)
        figures = Figures(
            headline_rate_running=self._running(client, end),
            headline_rate_now=series.window(self.headline, end, 1, client),
            headline_rate_window=series.window(
                self.headline, end, window_seconds, client, not_before=self._phase_begin(end)
            ),
            all_a_minute=self._all_a_minute(client, end),
            orders=orders,
            rollbacks=rollbacks,
            rollback_pct=self.headline.rollback_pct(orders, rollbacks),
            retries=series.count("retries", client=client),
            reconnects=series.count("reconnects", client=client),
            mean_ms=mean,
            p95_ms=p95,
            p99_ms=p99,
            intended_p95_ms=intended_p95,
            intended_p99_ms=intended_p99,
            errors=self.errors.by_class(client),
            users=self._users(client, newest),
            queue=self._level("queue", client, newest) if self.plan.is_open_loop else None,
            backlog=self._level("backlog", client, newest) if self._has_backlog else None,
        )
        return self._as_printed(figures, client) if self.is_imported else figures

    def limit_rows(self) -> list[LimitRow]:
        """The limits of the workload's transactions, where it sets any, and the 90th percentiles over all clients."""
        return self._limited.rows() if self.totals is None else limit_rows(self.totals)

    def heartbeat_ms(self, client: int) -> float | None:
        """A client's heartbeat lateness (p99), milliseconds: at the moment, or of the whole run once it is over."""
        if self.totals is None:
            loads = (*([self.workstation] if self.workstation is not None else []), *self.machine_loads.values())
            return next((load.heartbeat_ms[client] for load in loads if client in load.heartbeat_ms), None)
        reported = (each.health for each in self.totals.processes or () if client in each.clients)
        health = next(reported, None)
        return None if health is None else health.heartbeat_p99_ms

    def _first(self, end: int) -> int:
        measuring_from = self.phases.measuring_from
        return measuring_from if measuring_from is not None and measuring_from < end else 0

    def _phase_begin(self, end: int) -> int:
        """The first second of the phase of the second before ``end``."""
        begins = (self.phases.warming_up_from, self.phases.measuring_from)
        return max((second for second in begins if second is not None and second < end), default=0)

    def _running(self, client: int | None, end: int) -> float | None:
        if self.phases.measuring_from is None:
            return None
        return self.series.running(self.headline, self.phases.measuring_from, end, client)

    def _as_printed(self, figures: Figures, client: int | None) -> Figures:
        """The figures of an imported run, with those of its totals: its samples have rounded seconds, and 0 for what is
        unknown."""
        totals = self.totals or NO_TOTALS
        of = totals.clients[client - 1] if client is not None and totals.clients else totals
        return replace(
            figures,
            headline_rate_running=of.headline_rate,
            rollbacks=of.counts.get("rollbacks"),
            rollback_pct=of.rollback_pct,
            retries=of.counts.get("retries"),
            reconnects=of.counts.get("reconnects"),
            errors=of.errors,
        )

    def _all_a_minute(self, client: int | None, end: int) -> int | None:
        measuring_from = self.phases.measuring_from
        if not self.headline.is_mixed or measuring_from is None or end <= measuring_from:
            return None
        names = [CountNames.of(each.id).n for each in self._types]
        count = sum(self.series.count(name, client=client, first=measuring_from, end=end) for name in names)
        return _MINUTE_SECONDS * count // (end - measuring_from)

    def _times(self, client: int | None, end: int, window_seconds: int) -> tuple[float | None, ...]:
        if self.totals is not None:
            of = self.totals if client is None else self.totals.clients[client - 1]
            intended = of.intended or NO_TIMES
            return of.times.mean, of.times.p95, of.times.p99, intended.p95, intended.p99
        first = max(0, end - window_seconds)
        orders = self.series.count(self.headline.names.n, client=client, first=first, end=end)
        total_us = self.series.count(self.headline.names.sum_us, client=client, first=first, end=end)
        return mean_ms(total_us, orders), *recent_percentiles(self.latency.recent(client, first, end))

    @property
    def user_states(self) -> tuple[str, ...]:
        """The states that its users, or the threads of its programs, can be in."""
        return USER_STATES if self.headline.has_users else PROGRAM_STATES

    def _users(self, client: int | None, newest: Sequence[Sample]) -> dict[str, int]:
        states = self.user_states if self.plan.profile is None else (*self.user_states, INACTIVE)
        levels = {state: self._level(state, client, newest) for state in states}
        return {state: level for state, level in levels.items() if level is not None}

    def _level(self, name: str, client: int | None, newest: Sequence[Sample]) -> int | None:
        """Users in a state, or the depth of a queue: now, or in each client's last second once the run is over."""
        if self.state.is_final:
            return self.series.latest(name, client) if self.series.seconds else None
        return sum(getattr(sample, name) for sample in newest) if newest else None

    def _heard_from(self, client: int | None) -> list[Sample]:
        """The newest samples of the clients that are not silent: where a silent client's users are, nobody knows."""
        since = self.series.seconds - _SILENT_SECONDS
        newest = self._newest.values() if client is None else filter(None, (self._newest.get(client),))
        return [sample for sample in newest if sample.second >= since]


def _seconds_hint(plan: RunPlan) -> int:
    """The planned length of the run, to allocate arrays once; 0 when it has no end."""
    if not plan.measured_seconds:
        return 0
    return ceil(plan.threads / plan.ramp_rate) + plan.warmup_seconds + plan.measured_seconds + _BEYOND_SECONDS
