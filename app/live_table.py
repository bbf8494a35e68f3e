"""A running run on the terminal: a head, a row for each client and the latest events, redrawn in place.

Where there is no terminal it is a line now and then, and one for each event. Called by the commands that run.
"""

from collections import deque
from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.live_figures import WINDOW_SECONDS, Figures, LiveFigures
from app.terminal import one_line
from engine.plan import RunPlan
from engine.record import Phases, RunState
from engine.sample import EventKind, RunEvent, Sample

_LINE_EVERY_SECONDS = 10
_MOST_EVENTS = 5
_FEWEST_EVENTS = 2
_NARROW = 100
_LEAST_LABEL = 8
_HEAD_LINES = 6
_UNKNOWN = "–"
# Heading and width of each column; a narrow terminal has no room for the ones that are named after it.
_COLUMNS = (
    ("OPM running", 11),
    ("OPM now", 9),
    (f"OPM {WINDOW_SECONDS} s", 9),
    ("orders", 11),
    ("p95 ms", 8),
    ("rollback %", 10),
    ("errors", 7),
    ("users", 5),
)
_LEFT_OUT_WHEN_NARROW = ("orders", "rollback %")


class LiveTable:
    """A sink of the run's news that also shows them: ``refresh`` is called by the thread that waits for the run.

    Numbers have columns of a fixed width and events a fixed number of lines, so that nothing moves but digits.
    """

    def __init__(self, plan: RunPlan, console: Console) -> None:
        self._clients = plan.client_plans()
        self._labels = {client.number: one_line(client.label) for client in self._clients}
        self._users = len(self._clients) * plan.threads
        self._console = console
        self._inbox: deque[Sample | RunEvent] = deque()
        self._figures = LiveFigures(len(self._clients))
        self._events: deque[RunEvent] = deque(maxlen=_MOST_EVENTS)
        self._state = RunState.PREPARING
        self._next_line = _LINE_EVERY_SECONDS
        in_place = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, auto_refresh=False) if in_place else None

    def begin(self, started_at: datetime) -> None:
        """The table counts by the run's own seconds; the time of day is not shown."""

    def write_sample(self, sample: Sample) -> None:
        self._inbox.append(sample)

    def write_event(self, event: RunEvent) -> None:
        self._inbox.append(event)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._figures.phases = phases
        self._state = state

    def __enter__(self) -> "LiveTable":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def refresh(self) -> None:
        """Take in what has come and show it."""
        while self._inbox:
            news = self._inbox.popleft()
            if isinstance(news, Sample):
                self._figures.add(news)
            else:
                self._take_event(news)
        if self._live is not None:
            self._live.update(self.drawn(), refresh=True)
        elif self._figures.elapsed_seconds >= self._next_line:
            self._next_line = self._figures.elapsed_seconds + _LINE_EVERY_SECONDS
            self._console.print(self._line(), soft_wrap=True)

    def drawn(self) -> RenderableType:
        """All of it as it stands now, within the console's width and height."""
        total = self._figures.of(None)
        room = self._console.height - 1 - _HEAD_LINES - 3 - (1 if len(self._clients) > 1 else 0)
        hidden = max(0, len(self._clients) + _FEWEST_EVENTS - room)
        if hidden:
            hidden = min(hidden + 1, len(self._clients) - 1)  # the line that tells of them takes one more
        rows = len(self._clients) - hidden
        events = max(0, min(_MOST_EVENTS, room - rows - (1 if hidden else 0)))
        return Group(*self._head(total), Text(), self._table(total, rows), *self._below(hidden, events))

    def _take_event(self, event: RunEvent) -> None:
        if self._live is None:
            self._console.print(self._event_text(event), soft_wrap=True)
        elif event.kind is not EventKind.PHASE:
            self._events.append(event)

    def _head(self, total: Figures) -> list[Text]:
        errors = ", ".join(f"{name} {_number(count)}" for name, count in total.errors.items())
        users = "   ".join(f"{state} {_number(count):>5}" for state, count in total.users.items())
        rollbacks = _UNKNOWN if total.rollback_pct is None else f"{total.rollback_pct:.2f}"
        return [
            _text(f"{self._state.value.upper():<12}{self._standing(total)}", style="bold"),
            _text(
                f"OPM         running {_number(total.opm_running):>9}   now {_number(total.opm_now):>9}"
                f"   {WINDOW_SECONDS} s {_number(total.opm_window):>9}"
            ),
            _text(
                f"response    mean {_ms(total.mean_ms):>8}   p95 {_ms(total.p95_ms):>8}   p99 {_ms(total.p99_ms):>8} ms"
                f"   over {WINDOW_SECONDS} s"
            ),
            _text(f"orders      {_number(total.orders):>11}   rollbacks {rollbacks:>6} %"),
            _text(f"users       {users}"),
            _text(f"errors      {errors or 'none'}", style="red" if errors else ""),
        ]

    def _standing(self, total: Figures) -> str:
        """Where the run is in its phase: elapsed, and what remains where that is known."""
        phases, second = self._figures.phases, self._figures.elapsed_seconds
        if self._state.is_final or self._state in (RunState.PREPARING, RunState.STOPPING):
            return f"{_clock(second)} since the start"
        if phases.warming_up_from is None or phases.measuring_from is None:
            connected = sum(total.users.values()) - total.users["down"]
            return f"{_clock(second)}, {connected} of {self._users} users connected"
        if second < phases.measuring_from:
            return _of(second - phases.warming_up_from, phases.measuring_from - phases.warming_up_from)
        if phases.measuring_to is None:
            return f"{_clock(second - phases.measuring_from)}, until Ctrl-C"
        return _of(second - phases.measuring_from, phases.measuring_to - phases.measuring_from)

    def _table(self, total: Figures, rows: int) -> Table:
        narrow = self._console.width < _NARROW
        columns = [each for each in _COLUMNS if not (narrow and each[0] in _LEFT_OUT_WHEN_NARROW)]
        room = self._console.width - sum(width + 2 for _, width in columns)
        widest = max(len("client"), *map(len, self._labels.values()))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("client", width=max(_LEAST_LABEL, min(room, widest)), no_wrap=True)
        for heading, width in columns:
            table.add_column(heading, width=width, justify="right", no_wrap=True)
        for client in self._clients[:rows]:
            cells = _cells(self._figures.of(client.number))
            table.add_row(Text(self._labels[client.number]), *(cells[heading] for heading, _ in columns))
        if len(self._clients) > 1:
            cells = _cells(total)
            table.add_row("total", *(cells[heading] for heading, _ in columns), style="bold")
        return table

    def _below(self, hidden: int, events: int) -> list[Text]:
        lines = [_text(f"… and {hidden} more clients; a higher terminal shows them")] if hidden else []
        if events and (self._events or not self._state.is_final):
            shown = [self._event_text(event) for event in list(self._events)[-events:]]
            kept_free = 0 if self._state.is_final else events - len(shown)
            lines += [Text(), *shown, *(Text() for _ in range(kept_free))]
        return lines

    def _event_text(self, event: RunEvent) -> Text:
        who = f"{self._labels[event.client]}: " if event.client is not None else ""
        detail = f" ({event.detail})" if event.detail else ""
        return _text(f"{_clock(int(event.at_seconds)):>7}  {who}{one_line(event.label + detail)}")

    def _line(self) -> Text:
        total = self._figures.of(None)
        users = ", ".join(f"{count} {state}" for state, count in total.users.items() if count)
        return _text(
            f"{self._state.value} {self._standing(total)}: OPM running {_number(total.opm_running)},"
            f" now {_number(total.opm_now)}, p95 {_ms(total.p95_ms)} ms,"
            f" errors {_number(sum(total.errors.values()))}, users {users or 0}"
        )


def _cells(figures: Figures) -> dict[str, str]:
    users = sum(count for state, count in figures.users.items() if state in ("working", "thinking"))
    values = (
        _number(figures.opm_running),
        _number(figures.opm_now),
        _number(figures.opm_window),
        _number(figures.orders),
        _ms(figures.p95_ms),
        _UNKNOWN if figures.rollback_pct is None else f"{figures.rollback_pct:.2f}",
        _number(sum(figures.errors.values())),
        _number(users),
    )
    return {heading: value for (heading, _), value in zip(_COLUMNS, values, strict=True)}


def _of(done: int, whole: int) -> str:
    done = min(max(0, done), whole)
    return f"{_clock(done)} of {_clock(whole)}, {_clock(whole - done)} left"


def _text(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")


def _clock(seconds: int) -> str:
    hours, rest = divmod(max(0, seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _number(value: float | None) -> str:
    """Whole, with thin spaces between thousands."""
    return _UNKNOWN if value is None else f"{int(value):,}".replace(",", "\u2009")


def _ms(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.1f}"
