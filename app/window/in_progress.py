"""Shows the run and the long works in progress on every place: side bar, status area, window title and taskbar."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.live.run import LiveRun
from app.long_work import LongWork, Work
from app.window.main_window import MainWindow, Place
from app.window.taskbar import Taskbar
from engine.analysis.progress import progress_of
from engine.analysis.run_data import RunData
from engine.figure_text import capitalised, clock, percent
from engine.record.record import RunState
from widgets.live.head_line import RUN_SIGNS
from widgets.parts.shapes import Shape
from widgets.parts.side_bar import Badge

_APPLICATION = "Spindle"


@dataclass(frozen=True, kw_only=True)
class _RunProgress:
    """The progress of the run: its state and clock, the badge's text, and the share done where it has an end."""

    state: RunState
    text: str
    short: str
    name: str
    share: float | None = None
    rate: str = ""


class InProgress(QObject):
    """Reads the run and the long works whenever one of them changes, and updates all displays."""

    def __init__(
        self,
        window: MainWindow,
        live_run: LiveRun,
        long_work: LongWork,
        taskbar: Taskbar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._live_run = live_run
        self._long_work = long_work
        self._taskbar = taskbar
        self._prepared_share = 0.0
        live_run.preparing.connect(self._on_preparing)
        update: Callable[..., None] = self._on_change
        for change in (live_run.began, live_run.ticked, live_run.ended, live_run.not_stored, live_run.unfinished):
            change.connect(update)
        for change in (live_run.failed, live_run.cancelled, long_work.changed, window.place_shown):
            change.connect(update)

    def _on_preparing(self, _doing: str, share: float) -> None:
        self._prepared_share = share
        self._update()

    def _on_change(self, _what: object = None) -> None:
        self._update()

    def _update(self) -> None:
        run, works = self._run_progress(), self._long_work.works
        badges = {work.place: _badge_of_work(work) for work in reversed(works)}
        if run is not None:
            badges[Place.LIVE] = _badge_of_run(run)
        for place in Place:
            self._window.side_bar.set_badge(place, badges.get(place))
        self._show_run(run)
        self._window.setWindowTitle(_title(run, works))
        self._taskbar.show_progress(run.share if run is not None else works[0].share if works else None)

    def _show_run(self, run: _RunProgress | None) -> None:
        """In the status area, unless Live itself is visible."""
        if run is None or self._window.place == Place.LIVE:
            self._window.status.show_run(Shape.RING, "muted", "")
        else:
            text = " · ".join(part for part in (run.text, run.name, run.rate) if part)
            self._window.status.show_run(*RUN_SIGNS[run.state], text)

    def _run_progress(self) -> _RunProgress | None:
        run = self._live_run
        if run.is_preparing:
            plan, done = run.plan, _percent(self._prepared_share)
            name = plan.name if plan is not None else ""
            return _RunProgress(state=RunState.PREPARING, text=f"Preparing {done}", short=done, name=name)
        return _progress_of(run.data) if run.is_running and run.data is not None else None


def _progress_of(data: RunData) -> _RunProgress:
    """A run that has ended but is not stored yet is shown as stopping."""
    progress = progress_of(data)
    state = RunState.STOPPING if data.state.is_final else data.state
    word, elapsed = capitalised(state.value), clock(progress.phase_elapsed)
    text, short = word, "…"
    if state is not RunState.STOPPING:
        of = "" if progress.phase_seconds is None else f" of {clock(progress.phase_seconds)}"
        text = f"{word} {elapsed}{of}"
        short = elapsed if progress.phase_left is None else clock(progress.phase_left)
    measuring_from = data.phases.measuring_from
    rate = None if measuring_from is None else data.series.running(data.headline, measuring_from, data.measured_end)
    return _RunProgress(
        state=state,
        text=text,
        short=short,
        name=data.name,
        share=progress.share,
        rate="" if rate is None else data.headline.labelled(rate),
    )


def _badge_of_run(run: _RunProgress) -> Badge:
    shape, tone = RUN_SIGNS[run.state]
    return Badge(shape, tone, run.short, ", ".join(part for part in (run.text, run.name) if part))


def _badge_of_work(work: Work) -> Badge:
    done = "…" if work.share is None else _percent(work.share)
    return Badge(Shape.DISC, "accent", done, f"{capitalised(work.name)}, {done}")


def _title(run: _RunProgress | None, works: tuple[Work, ...]) -> str:
    """Such as "Measuring 12:41 of 30:00, R630 SSD #2 – Spindle"."""
    what = ""
    if run is not None:
        what = ", ".join(part for part in (run.text, run.name) if part)
    elif works:
        done = "" if works[0].share is None else _percent(works[0].share)
        what = f"{capitalised(works[0].name)} {done}".rstrip()
    return f"{what} – {_APPLICATION}" if what else _APPLICATION


def _percent(share: float) -> str:
    return percent(100 * share, 0)
