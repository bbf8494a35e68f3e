"""When a run's phases begin and end: ramp, warm-up and measuring, in whole seconds from the run's epoch.

As in DVD Store 2 the clock starts when all users are connected, and the statistics are reset when the warm-up ends.
Pure arithmetic, no waiting; used by ``Run``.
"""

import math

from engine.record.record import Phases, RunState

RAMP_GRACE_SECONDS = 30


class PhaseClock:
    """Times are seconds since the epoch. ``measured_seconds`` 0 measures until stopped; ``first_state`` is the first
    phase.

    ``tick_seconds`` is how long a second of the run lasts. The ramp does not depend on it: ``ramp_seconds`` are real
    seconds. The warm-up lasts ``warmup_real_seconds``.
    """

    def __init__(
        self,
        *,
        ramp_seconds: float,
        warmup_seconds: int,
        measured_seconds: int,
        tick_seconds: float = 1.0,
        first_state: RunState = RunState.RAMPING,
    ) -> None:
        self.first_state = first_state
        self._ramp_deadline = math.ceil((math.ceil(ramp_seconds) + RAMP_GRACE_SECONDS) / tick_seconds)
        self._warmup_seconds = warmup_seconds
        self.warmup_real_seconds = warmup_seconds * tick_seconds
        self._measured_seconds = measured_seconds
        self._connected_at: int | None = None
        self._stopped_at: int | None = None

    @property
    def has_started(self) -> bool:
        """Whether it is known when the ramp ends."""
        return self._connected_at is not None

    def all_connected(self, at: float) -> int:
        """All users that can connect have: the clock starts with the next whole second, which is returned."""
        if self._connected_at is None:
            self._connected_at = math.ceil(at)
        return self._connected_at

    def stop(self, at: float) -> None:
        """The run is being stopped: only seconds that are over still count as measured."""
        if self._stopped_at is None:
            self._stopped_at = math.floor(at)

    def extend(self, seconds: int) -> bool:
        """Extend the measuring phase; returns whether it has a planned end at all."""
        if not self._measured_seconds:
            return False
        self._measured_seconds += seconds
        return True

    def ramp_is_overdue(self, at: float) -> bool:
        """Whether the ramp has lasted so long that the clock has to start without the users still missing."""
        return self._connected_at is None and at >= self._ramp_deadline

    @property
    def phases(self) -> Phases:
        """The phases as far as they are known; the end of the measuring phase is known from its begin."""
        if self._connected_at is None:
            return Phases()
        measuring_from = self._connected_at + self._warmup_seconds
        ends = [measuring_from + self._measured_seconds] if self._measured_seconds else []
        if self._stopped_at is not None:
            if self._stopped_at <= measuring_from:
                return Phases(warming_up_from=self._connected_at)
            ends.append(self._stopped_at)
        return Phases(
            warming_up_from=self._connected_at,
            measuring_from=measuring_from,
            measuring_to=min(ends) if ends else None,
        )

    def state(self, at: float) -> RunState:
        """The phase at a moment, unless the run was stopped or the measuring phase is over."""
        phases = self.phases
        if self._stopped_at is not None or (phases.measuring_to is not None and at >= phases.measuring_to):
            return RunState.STOPPING
        if phases.warming_up_from is None or at < phases.warming_up_from:
            return self.first_state
        if phases.measuring_from is None or at < phases.measuring_from:
            return RunState.WARMING_UP
        return RunState.MEASURING

    def began(self, state: RunState) -> int:
        """The second at which a phase began, however late its beginning was noticed."""
        phases = self.phases
        begins = {
            self.first_state: 0,
            RunState.WARMING_UP: phases.warming_up_from,
            RunState.MEASURING: phases.measuring_from,
            RunState.STOPPING: self._stopped_at if phases.measuring_to is None else phases.measuring_to,
        }
        begin = begins[state]
        if begin is None:
            raise ValueError(f"the phase {state} has not come")
        return begin

    def next_change(self, at: float) -> float:
        """The next moment at which the phase may change by itself."""
        phases = self.phases
        moments = (phases.warming_up_from, phases.measuring_from, phases.measuring_to)
        later = [moment for moment in moments if moment is not None and moment > at]
        if self._connected_at is None:
            later.append(self._ramp_deadline)
        return min(later, default=math.inf)
