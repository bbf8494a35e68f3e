"""Loads with a name: those of the published DVD Store tests, and a quick one to look round with.

The wizard offers them, and the demonstration is the quick one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.plan.plan import RunPlan
from engine.workloads.dvdstore.sizing import DbSize

PUBLISHED_THREADS = 32
PUBLISHED_THINK_TIMES_MS = (0.0, 20.0, 100.0)
PUBLISHED_WARMUP_MINUTES = (1.0, 5.0, 15.0)
PUBLISHED_MINUTES = 30.0
# DVD Store 2's own choices, which the published tests left as they are.
_MIX = {
    "ramp_rate": 10.0,
    "pct_new_customers": 20.0,
    "n_searches": 3,
    "search_batch_size": 5,
    "n_line_items": 5,
}


@dataclass(frozen=True)
class Preset:
    """A load: its name, a line that describes it, and the fields of a ``RunPlan`` that it sets."""

    name: str
    describes: str
    values: Mapping[str, Any]

    def apply(self, plan: RunPlan) -> RunPlan:
        """The plan with this load; raises ``BadInput`` when one of its faults would lie after the end."""
        return replace(plan, **self.values)


def _preset(lead: str, describes: str, threads: int, think_time_ms: float, warmup: float, minutes: float) -> Preset:
    is_whole = warmup == int(warmup) and minutes == int(minutes)
    seconds = f"{60 * warmup:g} + {60 * minutes:g} s"
    times = f"{warmup:g} + {minutes:g} min" if is_whole else seconds
    name = f"{lead}{threads} users, {think_time_ms:g} ms, {times}"
    load = {"threads": threads, "think_time_ms": think_time_ms, "warmup_minutes": warmup, "minutes": minutes}
    return Preset(name, describes, load | _MIX)


def _published(think_time_ms: float, warmup: float) -> Preset:
    pause = f"{think_time_ms:g} ms of think time" if think_time_ms else "no think time"
    describes = f"{PUBLISHED_THREADS} users per client, {pause}, {warmup:g} min of warm-up, as in the published tests"
    return _preset("", describes, PUBLISHED_THREADS, think_time_ms, warmup, PUBLISHED_MINUTES)


QUICK = _preset("Quick: ", "a first look in about a minute, also on the embedded server", 8, 20.0, 0.1, 0.8)
PRESETS = (
    QUICK,
    *(_published(think, warmup) for think in PUBLISHED_THINK_TIMES_MS for warmup in PUBLISHED_WARMUP_MINUTES),
)
"""All of them, in the order in which they are offered; their names differ."""
DEMONSTRATION = QUICK.apply(RunPlan(name="Demonstration", clients=2, db_size=DbSize(100, "MB")))
"""What ``spindle demo`` and the window's button run: two clients on the embedded server."""
