"""The header of a run: state and headline readable from three metres, clock, and present figures."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from engine.analysis.figures import INACTIVE, WINDOW_SECONDS, Figures
from engine.analysis.headline import Headline
from engine.analysis.progress import Progress, progress_of
from engine.analysis.run_data import RunData
from engine.draft.wording import closed_loop_sentence, short_closed_loop_sentence
from engine.figure_text import UNKNOWN, capitalised, clock, duration, milliseconds, percent, significant, whole
from engine.plan.pace import has_schedule
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.telemetry.workstation import WorkstationLoad
from engine.workload.registry import find_workload
from widgets.live.run_buttons import RunButtons
from widgets.live.tiles import CAPTION_FACTOR, DriverTile, LimitsTile, Tile, UsersTile, WindowTile
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.flow_layout import BalancedFlowLayout
from widgets.parts.fonts import scaled, tabular, text_width
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, ShapeSign, Tone

FAR_FACTOR = 2.4
_BAR_STEPS = 1_000
_WHAT_INTENDED = "Of transactions of all types"
_WHAT_ALL = "Transactions of all types per minute, since measuring began"
_WHAT_BACKLOG = "What the workload itself has due and no user has begun"
_WHAT_QUEUE = "What is due and not begun: no user is free for it"
_WHAT_INACTIVE = "Users that the stage leaves out: connected, without a request"
_WHAT_WATTS = "Power of all machines that have a meter or a management controller, as last read"
_WHAT_PER_WATT = "The rate of the window over the power now"
_WIDE_RATE = "8 888 888"
_SHORT_NAME = "R630 SSD 20 ms #2"
RUN_SIGNS: dict[RunState, tuple[Shape, Tone]] = {
    RunState.PREPARING: (Shape.RING, "muted"),
    RunState.RAMPING: (Shape.RING, "accent"),
    RunState.STARTING: (Shape.RING, "accent"),
    RunState.WARMING_UP: (Shape.RING, "accent"),
    RunState.MEASURING: (Shape.DISC, "accent"),
    RunState.STOPPING: (Shape.SQUARE, "muted"),
    RunState.COMPLETED: (Shape.TICK, "good"),
    RunState.STOPPED: (Shape.SQUARE, "muted"),
    RunState.INTERRUPTED: (Shape.TRIANGLE, "warning"),
    RunState.FAILED: (Shape.CROSS, "bad"),
}


class HeadLine(QFrame):
    """Shows a run; the signals are those of its buttons."""

    extend_requested = Signal(int)
    stop_requested = Signal()
    stop_now_requested = Signal()
    window_changed = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._sign = ShapeSign(look, self)
        self._state = QLabel(self)
        self._name = ElidedLabel(parent=self)
        self._time = QLabel(self)
        self._phase_time, self._whole_time = UNKNOWN, ""
        self._phase_bar = _bar("Progress of the phase", 0.75, self)
        self._whole_bar = _bar("Progress of the run", 0.35, self)
        self._running = Tile("running", _WIDE_RATE, factor=FAR_FACTOR, bold=True)
        self._now = Tile("now", _WIDE_RATE)
        self._window = WindowTile(_WIDE_RATE)
        self._all = Tile("TPM", _WIDE_RATE)
        self._count = Tile("", "888 888 888")
        self._mean = Tile("mean, ms", "8 888")
        self._p95 = Tile("p95, ms", "8 888")
        self._p99 = Tile("p99, ms", "8 888")
        self._intended = (Tile("p95 as intended, ms", "88 888"), Tile("p99 as intended, ms", "88 888"))
        self._limits = LimitsTile(look)
        self._queue = Tile("queue", "8 888 888")
        self._inactive = Tile("inactive users", "88 888")
        self._backlog = Tile("queue of its own", "8 888 888")
        self._loop = ElidedLabel(parent=self)
        self._errors = Tile("errors", "888 888")
        self._rollbacks = Tile("rollbacks", "88.88 %")
        self._watts = Tile("W now", "88 888")
        self._per_watt = Tile("per W now", "88 888")
        self._users = UsersTile()
        self._driver = DriverTile(look)
        self._tiles = _side_by_side(self.fontMetrics().averageCharWidth())
        self._warnings = FormNote(look, self)
        self.buttons = RunButtons(look, self)
        bars: tuple[QWidget, ...] = (self._phase_bar, self._whole_bar)
        self._of_the_moment: tuple[QWidget, ...] = (
            *bars,
            self.buttons,
            self._now,
            self._window,
            self._users,
            self._driver,
        )
        self._lay_out()
        self._connect()

    def show_run(self, run: RunData) -> None:
        """Show another run."""
        self._run = run
        self._running.set_caption(f"{run.headline.label} running")
        self._now.set_caption(f"{run.headline.label} now")
        self._window.set_metric(run.headline.label)
        self._per_watt.set_caption(f"{run.headline.label} per W")
        self._count.set_caption(run.headline.many)
        self._all.setVisible(run.headline.is_mixed)
        self._queue.setVisible(run.plan.is_open_loop)
        self._rollbacks.setVisible(run.headline.is_transactional)
        backlog = find_workload(run.plan.workload).backlog
        self._backlog.setVisible(backlog is not None)
        if backlog is not None:
            self._backlog.set_caption(backlog.label.lower())
        self._inactive.setVisible(run.plan.profile is not None and not run.plan.is_open_loop)
        self._show_loop(run.plan)
        self._driver.show_load(None)
        who, is_open_loop = capitalised(run.headline.users), run.plan.is_open_loop
        self._users.show_states(who, run.user_states, is_open_loop=is_open_loop)
        self._users.set_most(len(run.clients) * run.plan.threads)
        self.show_warnings(())
        self.refresh()

    def refresh(self) -> None:
        """Read the run again, once a second."""
        run = self._run
        if run is None:
            return
        self._name.setText(run.name or "Unnamed run")
        self._show_state(run.state)
        progress = progress_of(run)
        self._show_progress(run.state, progress)
        figures = run.figures(None, self._window.seconds)
        self._show_figures(figures, run.headline)
        self._show_power(figures.headline_rate_window, run.hosts.watts(run.end))
        limited = run.limit_rows()
        self._limits.setVisible(bool(limited))
        self._limits.show_limits(limited)
        for widget in self._of_the_moment:
            widget.setVisible(not run.state.is_final)
        if run.state.is_final and run.workstation_use is not None:
            self._driver.show_use(run.workstation_use)
            self._driver.show()
        for tile in (self._watts, self._per_watt):
            tile.setVisible(run.hosts.has_power and not run.state.is_final)
        self.buttons.show_state(run.state, has_end=progress.seconds is not None and run.plan.profile is None)

    def show_warnings(self, sentences: Sequence[str]) -> None:
        """Show the warnings about a run that is over; without any the line takes no room."""
        self._warnings.show_warning(" ".join(sentences))
        self._warnings.setVisible(bool(sentences))

    def hide_name(self) -> None:
        """The run's name is shown elsewhere on the page."""
        self._name.hide()

    def hide_buttons(self) -> None:
        """The run belongs to another process or is over: it can't be controlled here."""
        self._of_the_moment = tuple(widget for widget in self._of_the_moment if widget is not self.buttons)
        self.buttons.hide()

    def set_workstation(self, load: WorkstationLoad, load_machines: Mapping[str, WorkstationLoad]) -> None:
        """The load of the workstation and of each load machine, and what they limit or distort."""
        self._driver.show_load(load, load_machines)

    @property
    def window_seconds(self) -> int:
        """The length of the sliding window [s]."""
        return self._window.seconds

    def set_window_seconds(self, seconds: int) -> None:
        self._window.set_seconds(seconds or WINDOW_SECONDS)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_time()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Figures that are shown for the first time get their fonts only now, and may need another row."""
        super().showEvent(event)
        self._tiles.invalidate()
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()

    def _connect(self) -> None:
        self.buttons.extend_requested.connect(self.extend_requested)
        self.buttons.stop_requested.connect(self.stop_requested)
        self.buttons.stop_now_requested.connect(self.stop_now_requested)
        self._window.window_changed.connect(self._on_window)

    def _on_window(self, seconds: int) -> None:
        self.refresh()
        self.window_changed.emit(seconds)

    def _lay_out(self) -> None:
        self._set_fonts()
        self._time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        clock_side = QGridLayout()
        clock_side.setVerticalSpacing(3)
        clock_side.addWidget(self._name, 0, 0)
        clock_side.addWidget(self._time, 0, 1)
        clock_side.addWidget(self._phase_bar, 1, 0, 1, 2)
        clock_side.addWidget(self._whole_bar, 2, 0, 1, 2)
        clock_side.addWidget(self._loop, 3, 0, 1, 2)
        clock_side.setColumnStretch(0, 1)
        clock_side.setRowStretch(4, 1)
        top = QHBoxLayout()
        state = QHBoxLayout()
        state.addWidget(self._sign)
        state.addWidget(self._state)
        words = QVBoxLayout()
        words.addStretch(1)
        words.addLayout(state)
        top.addLayout(words)
        top.addSpacing(2 * self.fontMetrics().averageCharWidth())
        top.addWidget(self._running, 0, Qt.AlignmentFlag.AlignBottom)
        top.addLayout(clock_side, 1)
        top.addWidget(self.buttons, 0, Qt.AlignmentFlag.AlignTop)
        response = (self._mean, self._p95, self._p99, *self._intended, self._limits)
        rates = (self._now, self._window, self._all, self._count)
        figures = (*rates, *response, self._errors, self._rollbacks, self._queue, self._backlog, self._inactive)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        for tile in (*figures, self._watts, self._per_watt, self._users, self._driver):
            self._tiles.addWidget(tile)
        layout.addLayout(self._tiles)
        layout.addWidget(self._warnings)

    def _set_fonts(self) -> None:
        far = scaled(self.font(), FAR_FACTOR, bold=True)
        self._state.setFont(far)
        self._sign.setFont(far)
        self._state.setMinimumWidth(text_width(far, *(_word(state) for state in RunState)))
        self._name.setFont(scaled(self.font(), 1.1, bold=True))
        self._time.setFont(tabular(self.font()))
        self._loop.setFont(scaled(self.font(), CAPTION_FACTOR))

    def _show_loop(self, plan: RunPlan) -> None:
        """Show how the users order; with a schedule, both kinds of response times are explained."""
        is_intended = has_schedule(plan)
        for tile, caption in ((self._mean, "mean, ms"), (self._p95, "p95, ms"), (self._p99, "p99, ms")):
            tile.set_caption(f"service {caption}" if is_intended else caption)
        for tile in self._intended:
            tile.setVisible(is_intended)
        self._loop.set_texts(closed_loop_sentence(plan), short_closed_loop_sentence(plan))

    def _show_state(self, state: RunState) -> None:
        self._sign.show_shape(*RUN_SIGNS[state])
        if self._state.text() != _word(state):
            self._state.setText(_word(state))
            self._state.setAccessibleName(f"State: {_word(state)}")

    def _show_progress(self, state: RunState, progress: Progress) -> None:
        self._phase_time, self._whole_time = _times(state, progress)
        self._time.setAccessibleName(_joined(self._phase_time, self._whole_time))
        self._time.setToolTip(_joined(self._phase_time, self._whole_time))
        self._fit_time()
        _fill(self._phase_bar, progress.phase_elapsed, progress.phase_seconds)
        _fill(self._whole_bar, progress.elapsed, progress.seconds)

    def _fit_time(self) -> None:
        """The clock of the whole run is left out when the run's name needs the room."""
        whole_text = _joined(self._phase_time, self._whole_time)
        name_width = min(text_width(self._name.font(), self._name.text()), text_width(self._name.font(), _SHORT_NAME))
        room = self._phase_bar.width() - (
            0 if self._name.isHidden() else name_width + self._time.fontMetrics().height()
        )
        has_room = text_width(self._time.font(), whole_text) <= room
        self._time.setText(whole_text if has_room else self._phase_time)

    def _show_figures(self, figures: Figures, headline: Headline) -> None:
        self._running.show_value(headline.text(figures.headline_rate_running))
        self._now.show_value(headline.text(figures.headline_rate_now))
        self._window.show_value(headline.text(figures.headline_rate_window))
        self._all.show_value(whole(figures.all_a_minute), tool_tip=_WHAT_ALL)
        self._count.show_value(whole(figures.orders))
        what_served, what_intended = (f"Of {headline.many}", _WHAT_INTENDED) if headline.is_mixed else ("", "")
        times = (figures.mean_ms, figures.p95_ms, figures.p99_ms)
        for tile, time in zip((self._mean, self._p95, self._p99), times, strict=True):
            tile.show_value(milliseconds(time), tool_tip=what_served)
        for tile, time in zip(self._intended, (figures.intended_p95_ms, figures.intended_p99_ms), strict=True):
            tile.show_value(milliseconds(time), tool_tip=what_intended)
        by_class = "\n".join(
            f"{name.replace('_', ' ')}: {whole(count)}" for name, count in (figures.errors or {}).items()
        )
        self._errors.show_value(whole(figures.error_count), tool_tip=by_class)
        self._rollbacks.show_value(percent(figures.rollback_pct, 2))
        self._users.show_users(figures.users)
        self._queue.show_value(whole(figures.queue), tool_tip=_WHAT_QUEUE)
        self._backlog.show_value(whole(figures.backlog), tool_tip=_WHAT_BACKLOG)
        self._inactive.show_value(whole(figures.users.get(INACTIVE)), tool_tip=_WHAT_INACTIVE)

    def _show_power(self, rate: float | None, watts: float | None) -> None:
        self._watts.show_value(whole(watts), tool_tip=_WHAT_WATTS)
        per_watt = rate / watts if rate is not None and watts else None
        self._per_watt.show_value(significant(per_watt), tool_tip=_WHAT_PER_WATT)


def _side_by_side(letter: int) -> BalancedFlowLayout:
    """Figures side by side, on a narrow screen in two rows."""
    flow = BalancedFlowLayout(letter)
    flow.setSpacing(3 * letter)
    return flow


def _bar(name: str, share_of_line: float, parent: QWidget) -> QProgressBar:
    bar = QProgressBar(parent, textVisible=False, maximum=_BAR_STEPS)
    bar.setAccessibleName(name)
    bar.setFixedHeight(round(bar.fontMetrics().height() * share_of_line))
    return bar


def _fill(bar: QProgressBar, elapsed: int, seconds: int | None) -> None:
    """The filled share of the progress bar; without an end it stays empty, as the remaining time is unknown."""
    share = 0.0 if not seconds else min(1.0, elapsed / seconds)
    bar.setValue(round(_BAR_STEPS * share))


def _word(state: RunState) -> str:
    return state.value.capitalize()


def _times(state: RunState, progress: Progress) -> tuple[str, str]:
    """The clocks of the phase and of the whole run: ``12:41 of 30:00, 17:19 left``, ``whole run 13:41 of 31:00``."""
    if state.is_final:
        return (f"measured {duration(progress.phase_elapsed)}" if progress.phase_elapsed else UNKNOWN), ""
    if progress.phase_seconds is None:
        phase = f"{clock(progress.phase_elapsed)}, until stopped"
    else:
        of, left = clock(progress.phase_seconds), clock(progress.phase_left or 0)
        phase = f"{clock(progress.phase_elapsed)} of {of}, {left} left"
    whole_run = "" if progress.seconds is None else f" of {clock(progress.seconds)}"
    return phase, f"whole run {clock(progress.elapsed)}{whole_run}"


def _joined(phase: str, whole_run: str) -> str:
    return f"{phase} · {whole_run}" if whole_run else phase
