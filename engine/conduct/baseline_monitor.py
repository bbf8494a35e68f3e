"""Decides for faults that wait for a steady baseline whether a run has one; a further sink of the run.

Called by the conductor, only for a plan that has such faults.
"""

import threading
from datetime import datetime

from engine.analysis.loads_data import LoadsData
from engine.analysis.recovery.baseline import baseline_at
from engine.analysis.recovery.settings import RecoverySettings
from engine.driver.sinks import Sink
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.sample import Sample


class BaselineMonitor(Sink):
    """A ``Sink``. ``is_steady`` may be asked on any thread."""

    def __init__(self, plan: RunPlan, settings: RecoverySettings) -> None:
        self._run = LoadsData(plan)
        self._settings = settings
        self._lock = threading.Lock()

    def is_steady(self) -> bool:
        """Whether a fault now would have a baseline of each load to be compared with."""
        with self._lock:
            return all(baseline_at(run, run.measured_end, self._settings).is_usable for run in self._run.loads)

    def begin(self, started_at: datetime) -> None:
        self._run.begin(started_at)

    def write_sample(self, sample: Sample) -> None:
        with self._lock:
            self._run.add(sample)

    def set_state(self, state: RunState, phases: Phases) -> None:
        with self._lock:
            self._run.set_state(state, phases)
