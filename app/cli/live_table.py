"""A running run on the terminal: a heading, a row for each client and the latest events, redrawn in place.

Without a terminal it prints a line now and then, and one for each event; changes of a growing warning are printed
together with the next line. Called by the commands that run.
"""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from app.cli.live_load import LiveLoad, text_line
from app.cli.terminal import one_line
from app.live.inbox import Inbox
from engine.analysis.figures import Figures
from engine.analysis.loads_data import LoadsData
from engine.driver.sinks import Sink
from engine.figure_text import clock
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationReport

_LINE_EVERY_SECONDS = 10
_MOST_EVENTS = 5
_FEWEST_EVENTS = 2


class LiveTable(Sink):
    """A sink that also displays the run: ``refresh`` is called by the thread that waits for the run.

    Columns have a fixed width and events a fixed number of lines, so that only digits move.
    """

    def __init__(self, plan: RunPlan, console: Console) -> None:
        self._console = console
        self._inbox = Inbox()
        self._data = LoadsData(plan)
        self._is_mixed = plan.is_mixed
        self._loads = [LiveLoad(data) for data in self._data.loads]
        self._labels = {client.number: one_line(client.label) for client in self._data.clients}
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
        if self._seconds >= self._next_line:
            self._next_line = self._seconds + _LINE_EVERY_SECONDS
            self._print_changed_warnings()
            self._console.print(self._line(), soft_wrap=True)

    @property
    def _seconds(self) -> int:
        """How many seconds of the run are known, of any load."""
        return max(data.series.seconds for data in self._data.loads)

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
        """The present state, within the console's width and height: each load with its figures and clients."""
        totals = [load.data.figures(None) for load in self._loads]
        clients = [len(load.data.clients) for load in self._loads]
        fixed = sum(load.head_lines + 3 + (count > 1) for load, count in zip(self._loads, clients, strict=True))
        room = self._console.height - 2 - fixed - len(self._loads) * self._is_mixed
        hidden = max(0, sum(clients) + _FEWEST_EVENTS - room)
        if hidden:  # the line that counts them takes one more
            hidden = min(hidden + 1, sum(clients) - len(self._loads))
        rows = _shared_out(sum(clients) - hidden, clients)
        events = max(0, min(_MOST_EVENTS, room - sum(rows) - (1 if hidden else 0)))
        standing = f"{self._data.first.state.value.upper():<12}{self._standing(totals)}"
        parts: list[RenderableType] = [text_line(standing, style="bold")]
        for title, load, total, shown in zip(self._data.titles, self._loads, totals, rows, strict=True):
            if self._is_mixed:
                parts.append(text_line(f"{title}", style="bold"))
            parts += [*load.head(total), Text(), load.table(total, shown, self._console.width)]
            if load is not self._loads[-1]:
                parts.append(Text())
        return Group(*parts, *self._below(hidden, events))

    def _standing(self, totals: Sequence[Figures]) -> str:
        """Elapsed time in the phase, and the remaining time where it is known."""
        phases, state, second = self._data.first.phases, self._data.first.state, self._seconds
        if state.is_final or state in (RunState.PREPARING, RunState.STOPPING):
            return f"{clock(second)} since the start"
        if phases.warming_up_from is None or phases.measuring_from is None:
            with_users = [place for place, load in enumerate(self._loads) if load.data.headline.has_users]
            if not with_users:
                return f"{clock(second)} since the start"
            users = [totals[place].users for place in with_users]
            connected = sum(count for states in users for name, count in states.items() if name != "down")
            return f"{clock(second)}, {connected} of {sum(self._loads[at].users for at in with_users)} users connected"
        if second < phases.measuring_from:
            return _of(second - phases.warming_up_from, phases.measuring_from - phases.warming_up_from)
        if phases.measuring_to is None:
            return f"{clock(second - phases.measuring_from)}, until Ctrl-C"
        return _of(second - phases.measuring_from, phases.measuring_to - phases.measuring_from)

    def _below(self, hidden: int, events: int) -> list[Text]:
        lines = [text_line(f"… and {hidden} more clients; enlarge the terminal to see them")] if hidden else []
        news = [event for event in self._data.sorted_events() if event.kind is not EventKind.PHASE]
        if events and (news or not self._data.first.state.is_final):
            shown = [self._event_text(event) for event in news[-events:]]
            kept_free = 0 if self._data.first.state.is_final else events - len(shown)
            lines += [Text(), *shown, *(Text() for _ in range(kept_free))]
        return lines

    def _event_text(self, event: RunEvent) -> Text:
        who = f"{self._labels[event.client]}: " if event.client is not None else ""
        detail = f" ({event.detail})" if event.detail else ""
        return text_line(f"{self._moment(event):>9}  {who}{one_line(event.label + detail)}")

    def _moment(self, event: RunEvent) -> str:
        """The event's time since the begin of measuring; until that is known, since the start."""
        clock = self._data.first.clock
        return f"{'' if clock.is_measuring else 'start+'}{clock.moment(event.at_seconds)}"

    def _line(self) -> Text:
        totals = [load.data.figures(None) for load in self._loads]
        first = self._data.first
        figures = "; ".join(
            f"{title}{load.in_a_line(total)}"
            for title, load, total in zip(self._titles(), self._loads, totals, strict=True)
        )
        return text_line(f"{first.state.value} {self._standing(totals)}: {figures}")

    def _titles(self) -> list[str]:
        """What each load's line begins with; empty where there is only one."""
        return [f"{title} " for title in self._data.titles] if self._is_mixed else [""]


def _shared_out(rows: int, clients: Sequence[int]) -> list[int]:
    """How many clients of each load are shown in so many rows: at least one of each, the first loads' before others."""
    shown = [1] * len(clients)
    for load, count in enumerate(clients):
        shown[load] += min(count - 1, max(0, rows - sum(shown)))
    return shown


def _of(done: int, total: int) -> str:
    done = min(max(0, done), total)
    return f"{clock(done)} of {clock(total)}, {clock(total - done)} left"
