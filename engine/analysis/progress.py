"""The progress of a run, in its phase and as a whole: for the head line's clock and progress bar."""

import math
from dataclasses import dataclass

from engine.analysis.run_data import RunData
from engine.record.record import RunState


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Elapsed and total seconds, of the phase and of the whole run; a total of ``None`` means until stopped."""

    phase_elapsed: int
    phase_seconds: int | None
    elapsed: int
    seconds: int | None

    @property
    def phase_left(self) -> int | None:
        return None if self.phase_seconds is None else max(0, self.phase_seconds - self.phase_elapsed)

    @property
    def left(self) -> int | None:
        return None if self.seconds is None else max(0, self.seconds - self.elapsed)

    @property
    def share(self) -> float | None:
        """The share of the whole run that is done, 0 to 1."""
        return min(1.0, self.elapsed / self.seconds) if self.seconds else None


def progress_of(run: RunData) -> Progress:
    """The progress of a run according to its samples.

    Before the users are connected, the ramp has the length in the plan.
    """
    elapsed = run.measured_end
    ramp, warm_up, measuring = _bounds(run)
    first, end = {
        RunState.PREPARING: (0, ramp),
        RunState.RAMPING: (0, ramp),
        RunState.STARTING: (0, ramp),
        RunState.WARMING_UP: (ramp, warm_up),
    }.get(run.state, (warm_up, measuring))
    return Progress(
        phase_elapsed=max(0, elapsed - first),
        phase_seconds=None if end is None else max(0, end - first),
        elapsed=elapsed,
        seconds=measuring,
    )


def _bounds(run: RunData) -> tuple[int, int, int | None]:
    """The seconds at which ramp, warm-up and measuring end."""
    plan, phases = run.plan, run.phases
    ramp = phases.warming_up_from
    if ramp is None:
        ramp = math.ceil(plan.threads / plan.ramp_rate)
    warm_up = phases.measuring_from
    if warm_up is None:
        warm_up = ramp + plan.warmup_seconds
    if phases.measuring_to is not None:
        return ramp, warm_up, phases.measuring_to
    is_open = plan.measured_seconds == 0 or phases.measuring_from is not None
    return ramp, warm_up, None if is_open else warm_up + plan.measured_seconds
