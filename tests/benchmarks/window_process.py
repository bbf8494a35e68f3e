"""The window in a process of its own, as the benchmarks of the window start it; prints one JSON object.

Everything is loaded late: the client processes of a run import this module anew.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

_WINDOW = (1600, 900)
_BEAT_MS = 5
_SETTLED_SECONDS = 3
_PLAN = {
    "clients": 24,
    "threads": 4,
    "think_time_ms": 200,
    "ramp_rate": 20,
    "warmup_minutes": 0.0,
    "db_size": "10MB",
    "minutes": 60,
}


def start_up(home: Path) -> dict[str, float]:
    """The moment, on the monotonic clock of the whole machine, at which the window has been painted first."""
    desktop, application = _opened(home)
    application.processEvents()
    desktop.window.grab()
    painted_at = time.monotonic()
    _close(desktop, application)
    return {"painted_at": painted_at}


def heartbeat(home: Path, seconds: float) -> dict[str, Any]:
    """Watch a run of 24 clients for so long: how late a timer of the GUI thread was, and what that thread computed."""
    from PySide6.QtCore import Qt, QTimer

    from engine.plan.plan import RunPlan
    from engine.record.record import RunState

    desktop, application = _opened(home)
    desktop.start_run(RunPlan.from_dict(_PLAN), reset=False)
    live = desktop.live_run
    _until(application, lambda: live.data is not None and live.data.state is RunState.MEASURING)
    _until(application, lambda: live.data is not None and live.data.measured_end >= _SETTLED_SECONDS)
    gaps_ms: list[float] = []
    computed_ms: list[float] = []
    last = [time.perf_counter(), time.thread_time()]

    def beat() -> None:
        now, used = time.perf_counter(), time.thread_time()
        gaps_ms.append(1000 * (now - last[0]) - _BEAT_MS)
        computed_ms.append(1000 * (used - last[1]))
        last[:] = now, used

    timer = QTimer(desktop, interval=_BEAT_MS)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(beat)
    last[:] = time.perf_counter(), time.thread_time()
    timer.start()
    QTimer.singleShot(round(1000 * seconds), application.exit)  # quit asks the window, which would ask the user
    application.exec()
    timer.stop()
    opm = live.data.figures().headline_rate_running if live.data is not None else None
    live.stop(now=True)
    _until(application, lambda: not live.is_busy)
    _close(desktop, application)
    return {"late_ms": gaps_ms, "computed_ms": computed_ms, "opm": opm}


def _opened(home: Path) -> tuple[Any, Any]:
    from PySide6.QtWidgets import QApplication

    from app.start import open_desktop
    from engine.places import find_places

    application = QApplication(["spindle", "-platform", "offscreen"])
    desktop = open_desktop(application, find_places(home))
    desktop.window.resize(*_WINDOW)
    desktop.show()
    return desktop, application


def _until(application: Any, condition: Any) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the window did not get there in two minutes")
        application.processEvents()
        time.sleep(0.002)


def _close(desktop: Any, application: Any) -> None:
    _until(application, lambda: desktop.background.is_idle)
    desktop.window.close()
    desktop.close()


if __name__ == "__main__":
    what, folder, *rest = sys.argv[1:]
    print(json.dumps(start_up(Path(folder)) if what == "start-up" else heartbeat(Path(folder), float(rest[0]))))
