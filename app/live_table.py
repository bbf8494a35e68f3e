"""A running run on the terminal: a head line and a table of clients, once a second; plain lines where there is none."""

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from engine.analysis.latency import merged, percentile_ms
from engine.analysis.series import Series
from engine.plan import ClientPlan
from engine.record import Phases, RunState
from engine.sample import EventKind, RunEvent, Sample

WINDOW_SECONDS = 10
_LINE_EVERY_SECONDS = 5
_EVENTS_SHOWN = 5
_MOST_ROWS = 32
_REFRESH_SECONDS = 1.0
_UNKNOWN = "–"


class LiveTable:
    """A sink of the run's news that also shows them: ``refresh`` is called by the thread that waits for the run."""

    def __init__(self, clients: Sequence[ClientPlan], console: Console) -> None:
        self._clients = clients
        self._console = console
        self._inbox: deque[Sample] = deque()
        self._series = Series(len(clients))
        self._recent: deque[Sample] = deque()
        self._events: deque[RunEvent] = deque(maxlen=_EVENTS_SHOWN)
        self._unsaid: deque[RunEvent] = deque()
        self._state = RunState.PREPARING
        self._phases = Phases()
        self._next_line = 0
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None

    def begin(self, started_at: datetime) -> None:
        """The table counts by the run's own seconds; the time of day is not shown."""

    def write_sample(self, sample: Sample) -> None:
        self._inbox.append(sample)

    def write_event(self, event: RunEvent) -> None:
        self._events.append(event)
        self._unsaid.append(event)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._state, self._phases = state, phases

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
            sample = self._inbox.popleft()
            self._series.add(sample)
            self._recent.append(sample)
        while self._recent and self._recent[0].second < self._series.seconds - WINDOW_SECONDS:
            self._recent.popleft()
        if self._live is not None:
            self._live.update(Group(self._head(), self._table(), *self._event_lines()), refresh=True)
        else:
            self._print_lines()

    def _print_lines(self) -> None:
        while self._unsaid:
            self._console.print(_event_text(self._unsaid.popleft()), soft_wrap=True)
        if self._series.seconds >= self._next_line + _LINE_EVERY_SECONDS:
            self._next_line = self._series.seconds
            self._console.print(self._head(), soft_wrap=True)

    def _head(self) -> Text:
        users = {name: self._series.latest(name) for name in ("working", "thinking", "reconnecting", "down")}
        told = " · ".join(f"{count} {name}" for name, count in users.items() if count or name == "working")
        opm = f"OPM running {_number(self._running())}, now {_number(self._now())}"
        return Text(f"{self._state.value.upper():<11} {self._clock()}  {opm}, p95 {self._p95(None)} ms  {told}")

    def _clock(self) -> str:
        phases, second = self._phases, self._series.seconds
        if phases.measuring_from is not None and second >= phases.measuring_from:
            whole = "" if phases.measuring_to is None else f" of {_clock(phases.measuring_to - phases.measuring_from)}"
            return f"{_clock(second - phases.measuring_from)}{whole}"
        return f"{_clock(second)} since the start"

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        table.add_column("client")
        for heading in ("OPM running", "OPM now", f"OPM {WINDOW_SECONDS} s", "p95 ms", "rollbacks", "errors", "users"):
            table.add_column(heading, justify="right")
        for client in self._clients[:_MOST_ROWS]:
            table.add_row(*self._row(client.label, client.number))
        if len(self._clients) > 1:
            table.add_row(*self._row("total", None), style="bold")
        return table

    def _row(self, label: str, client: int | None) -> tuple[str, ...]:
        connected = self._series.latest("working", client) + self._series.latest("thinking", client)
        return (
            label,
            _number(self._running(client)),
            _number(self._now(client)),
            _number(self._series.opm_window(self._series.seconds, WINDOW_SECONDS, client)),
            self._p95(client),
            _number(self._series.count("rollbacks", client=client)),
            _number(sum(sum(s.errors.values()) for s in self._recent if client in (None, s.client))),
            _number(connected),
        )

    def _running(self, client: int | None = None) -> int | None:
        if self._phases.measuring_from is None:
            return None
        end = self._series.seconds
        if self._phases.measuring_to is not None:
            end = min(end, self._phases.measuring_to)
        return self._series.opm_running(self._phases.measuring_from, end, client)

    def _now(self, client: int | None = None) -> float | None:
        return self._series.opm_window(self._series.seconds, 1, client)

    def _p95(self, client: int | None) -> str:
        counts = merged(sample.histogram for sample in self._recent if client in (None, sample.client))
        value = percentile_ms(counts, 95)
        return _UNKNOWN if value is None else f"{value:.1f}"

    def _event_lines(self) -> list[Text]:
        return [_event_text(event) for event in self._events if event.kind is not EventKind.PHASE]


def watch(table: LiveTable, wait: Callable[[float], bool]) -> None:
    """Show the run once a second until ``wait``, which waits so many seconds, says that it is over."""
    while not wait(_REFRESH_SECONDS):
        table.refresh()
    table.refresh()


def _event_text(event: RunEvent) -> Text:
    who = f"client {event.client}: " if event.client is not None else ""
    return Text(f"{_clock(int(event.at_seconds))} {who}{event.label}{f' ({event.detail})' if event.detail else ''}")


def _clock(seconds: int) -> str:
    hours, rest = divmod(max(0, seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _number(value: float | None) -> str:
    """Whole, with thin spaces between thousands."""
    return _UNKNOWN if value is None else f"{int(value):,}".replace(",", "\u2009")
