"""What a client process says of itself: processor time, memory, lateness of its samples."""

import os
from pathlib import Path

from engine.telemetry.workstation import HealthTotals, ProcessSummary


def process_summary(
    clients: tuple[int, ...], *, worst_tick_late_ms: float, unfinished: int | None, health: HealthTotals
) -> ProcessSummary:
    """The summary of this process until now, or with the number of ``unfinished`` users at the end."""
    times = os.times()
    return ProcessSummary(
        clients=clients,
        cpu_user_seconds=times.user,
        cpu_system_seconds=times.system,
        peak_memory_mb=_peak_memory_mb(),
        worst_tick_late_ms=worst_tick_late_ms,
        unfinished_users=unfinished,
        health=health,
    )


def _peak_memory_mb() -> float | None:
    """The peak memory of this process; ``None`` where the system does not report it.

    Not by getrusage: for a child that includes the parent's memory at the time of the fork.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith("VmHWM:")), None)
