"""A running run on the terminal: a heading, a row for each client and the latest events, redrawn in place.

Without a terminal it prints a line now and then, and one for each event; changes of a growing warning are printed
together with the next line. Called by the commands that run.
"""

from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.cli.terminal import one_line
from app.live.inbox import Inbox
from engine.analysis.figures import WINDOW_SECONDS, Figures
from engine.analysis.headline import Headline
from engine.analysis.run_data import RunData
from engine.driver.sinks import Sink
from engine.figure_text import clock, decimal, whole
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationReport
from engine.workload.registry import find_workload

_LINE_EVERY_SECONDS = 10
_MOST_EVENTS = 5
_FEWEST_EVENTS = 2
_NARROW = 100
_LEAST_LABEL = 8
_HEAD_LINES = 6


# Heading and width of each column; the names below are those that a narrow terminal leaves out.
def _columns(headline: Headline) -> tuple[tuple[str, int], ...]:
    return (
        (f"{headline.label} running", 11),
        (f"{headline.label} now", 9),
        (f"{headline.label} {WINDOW_SECONDS} s", 9),
        (headline.many, 11),
        ("p95 ms", 8),
        ("rollback %", 10),
        ("errors", 7),
        ("users", 5),
    )


def _left_out_when_narrow(headline: Headline) -> tuple[str, ...]:
    return headline.many, "rollback %"


class LiveTable(Sink):
    """A sink that also displays the run: ``refresh`` is called by the thread that waits for the run.

    Columns have a fixed width and events a fixed number of lines, so that only digits move.
    """

    def __init__(self, plan: RunPlan, console: Console) -> None:
        self._clients = plan.client_plans()
        self._labels = {client.number: one_line(client.label) for client in self._clients}
        self._users = len(self._clients) * plan.threads
        workload = find_workload(plan.workload)
        self._has_schedule = workload.mean_think_seconds(plan.parameters, plan.think_time_ms) > 0
        self._console = console
        self._inbox = Inbox()
        self._data = RunData(plan)
        self._next_line = _LINE_EVERY_SECONDS
        self._printed_warnings: dict[int, RunEvent] = {}
        in_place = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, auto_refresh=False) if in_place else None

    def begin(self, started_at: datetime) -> None:
        self._inbox.begin(started_at)

    def write_sample(self, sample: Sample) -> None:
        self._inbox.write_sample(sample)

    def write_probe(self, sample: ProbeSample) -> None:
        self._inbox.write_probe(sample)

    def write_workstation(self, report: WorkstationReport) -> None:
        self._inbox.write_workstation(report)

    def write_event(self, event: RunEvent) -> None:
        self._inbox.write_event(event)

    def remove_event(self, number: int) -> None:
        self._inbox.remove_event(number)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._inbox.set_state(state, phases)

    def __enter__(self) -> "LiveTable":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        else:
            self._print_changed_warnings()

    def refresh(self) -> None:
        """Process what has arrived and display it."""
        events = self._inbox.drain(self._data).events
        if self._live is not None:
            self._live.update(self.drawn(), refresh=True)
            return
        for event in events:
            if event.number not in self._printed_warnings:
                self._print(event)
        if self._data.series.seconds >= self._next_line:
            self._next_line = self._data.series.seconds + _LINE_EVERY_SECONDS
            self._print_changed_warnings()
            self._console.print(self._line(), soft_wrap=True)

    def _print(self, event: RunEvent) -> None:
        if event.kind is EventKind.WARNING:
            self._printed_warnings[event.number] = event
        self._console.print(self._event_text(event), soft_wrap=True)

    def _print_changed_warnings(self) -> None:
        """A growing warning changes about every second: its latest state is enough."""
        for event in self._data.sorted_events():
            if self._printed_warnings.get(event.number, event) != event:
                self._print(event)

    def drawn(self) -> RenderableType:
        """The present state, within the console's width and height."""
        total = self._data.figures(None)
        room = self._console.height - 1 - _HEAD_LINES - self._has_schedule - 3 - (1 if len(self._clients) > 1 else 0)
        hidden = max(0, len(self._clients) + _FEWEST_EVENTS - room)
        if hidden:
            hidden = min(hidden + 1, len(self._clients) - 1)  # the line that counts them takes one more
        rows = len(self._clients) - hidden
        events = max(0, min(_MOST_EVENTS, room - rows - (1 if hidden else 0)))
        return Group(*self._head(total), Text(), self._table(total, rows), *self._below(hidden, events))

    def _head(self, total: Figures) -> list[Text]:
        errors = ", ".join(f"{name} {whole(count)}" for name, count in total.errors.items())
        users = "   ".join(f"{state} {whole(count):>5}" for state, count in total.users.items())
        rollbacks, headline = decimal(total.rollback_pct, 2), self._data.headline
        return [
            _text(f"{self._data.state.value.upper():<12}{self._standing(total)}", style="bold"),
            _text(
                f"{headline.label:<12}running {headline.text(total.headline_rate_running):>9}"
                f"   now {headline.text(total.headline_rate_now):>9}"
                f"   {WINDOW_SECONDS} s {headline.text(total.headline_rate_window):>9}"
            ),
            *self._times(total),
            _text(f"{self._data.headline.many:<12}{whole(total.orders):>11}   rollbacks {rollbacks:>6} %"),
            _text(f"users       {users}{_queue(total, self._data)}"),
            _text(f"errors      {errors or 'none'}", style="red" if errors else ""),
        ]

    def _times(self, total: Figures) -> list[Text]:
        """The response times of the window; with a schedule, as served and as intended."""
        p95, p99 = f"{decimal(total.p95_ms):>8}", f"{decimal(total.p99_ms):>8}"
        served = f"mean {decimal(total.mean_ms):>8}   p95 {p95}   p99 {p99} ms   over {WINDOW_SECONDS} s"
        if not self._has_schedule:
            return [_text(f"response    {served}")]
        p95, p99 = f"{decimal(total.intended_p95_ms):>8}", f"{decimal(total.intended_p99_ms):>8}"
        return [_text(f"service     {served}"), _text(f"as intended {'':13}   p95 {p95}   p99 {p99} ms")]

    def _standing(self, total: Figures) -> str:
        """Elapsed time in the phase, and the remaining time where it is known."""
        phases, second = self._data.phases, self._data.series.seconds
        if self._data.state.is_final or self._data.state in (RunState.PREPARING, RunState.STOPPING):
            return f"{clock(second)} since the start"
        if phases.warming_up_from is None or phases.measuring_from is None:
            connected = sum(count for state, count in total.users.items() if state != "down")
            return f"{clock(second)}, {connected} of {self._users} users connected"
        if second < phases.measuring_from:
            return _of(second - phases.warming_up_from, phases.measuring_from - phases.warming_up_from)
        if phases.measuring_to is None:
            return f"{clock(second - phases.measuring_from)}, until Ctrl-C"
        return _of(second - phases.measuring_from, phases.measuring_to - phases.measuring_from)

    def _table(self, total: Figures, rows: int) -> Table:
        narrow = self._console.width < _NARROW
        headline = self._data.headline
        left_out = _left_out_when_narrow(headline) if narrow else ()
        columns = [each for each in _columns(headline) if each[0] not in left_out]
        room = self._console.width - sum(width + 2 for _, width in columns)
        widest = max(len("client"), *map(len, self._labels.values()))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("client", width=max(_LEAST_LABEL, min(room, widest)), no_wrap=True)
        for heading, width in columns:
            table.add_column(heading, width=width, justify="right", no_wrap=True)
        for client in self._clients[:rows]:
            cells = _cells(headline, self._data.figures(client.number))
            table.add_row(Text(self._labels[client.number]), *(cells[heading] for heading, _ in columns))
        if len(self._clients) > 1:
            cells = _cells(headline, total)
            table.add_row("total", *(cells[heading] for heading, _ in columns), style="bold")
        return table

    def _below(self, hidden: int, events: int) -> list[Text]:
        lines = [_text(f"… and {hidden} more clients; enlarge the terminal to see them")] if hidden else []
        news = [event for event in self._data.sorted_events() if event.kind is not EventKind.PHASE]
        if events and (news or not self._data.state.is_final):
            shown = [self._event_text(event) for event in news[-events:]]
            kept_free = 0 if self._data.state.is_final else events - len(shown)
            lines += [Text(), *shown, *(Text() for _ in range(kept_free))]
        return lines

    def _event_text(self, event: RunEvent) -> Text:
        who = f"{self._labels[event.client]}: " if event.client is not None else ""
        detail = f" ({event.detail})" if event.detail else ""
        return _text(f"{self._moment(event):>9}  {who}{one_line(event.label + detail)}")

    def _moment(self, event: RunEvent) -> str:
        """The event's time since the begin of measuring; until that is known, since the start."""
        clock = self._data.clock
        return f"{'' if clock.is_measuring else 'start+'}{clock.moment(event.at_seconds)}"

    def _line(self) -> Text:
        total = self._data.figures(None)
        users = ", ".join(f"{count} {state}" for state, count in total.users.items() if count)
        headline = self._data.headline
        return _text(
            f"{self._data.state.value} {self._standing(total)}: {headline.label} running"
            f" {headline.text(total.headline_rate_running)},"
            f" now {headline.text(total.headline_rate_now)}, p95 {decimal(total.p95_ms)} ms{self._intended(total)},"
            f" errors {whole(sum(total.errors.values()))}, users {users or 0}{_queue(total, self._data)}"
        )

    def _intended(self, total: Figures) -> str:
        return f" ({decimal(total.intended_p95_ms)} ms as intended)" if self._has_schedule else ""


def _queue(figures: Figures, run: RunData) -> str:
    """What is due and not begun: in the workload's own emulation, and in an open loop."""
    backlog = find_workload(run.plan.workload).backlog
    own = "" if backlog is None else f", {backlog.label.lower()} {whole(figures.backlog)}"
    return own + ("" if figures.queue is None else f", queue {whole(figures.queue)}")


def _cells(headline: Headline, figures: Figures) -> dict[str, str]:
    users = sum(count for state, count in figures.users.items() if state in ("working", "thinking"))
    values = (
        headline.text(figures.headline_rate_running),
        headline.text(figures.headline_rate_now),
        headline.text(figures.headline_rate_window),
        whole(figures.orders),
        decimal(figures.p95_ms),
        decimal(figures.rollback_pct, 2),
        whole(sum(figures.errors.values())),
        whole(users),
    )
    return {heading: value for (heading, _), value in zip(_columns(headline), values, strict=True)}


def _of(done: int, total: int) -> str:
    done = min(max(0, done), total)
    return f"{clock(done)} of {clock(total)}, {clock(total - done)} left"


def _text(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")
