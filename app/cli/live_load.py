"""The figures of one load of a running run on the terminal: its lines above the table, and a row for each client."""

from rich.table import Table
from rich.text import Text

from app.cli.terminal import one_line
from engine.analysis.figures import WINDOW_SECONDS, Figures, state_word
from engine.analysis.headline import Headline
from engine.analysis.run_data import RunData
from engine.figure_text import decimal, whole
from engine.plan.pace import has_schedule
from engine.workload.registry import find_workload

_NARROW = 100
_LEAST_LABEL = 8
_HEAD_LINES = 5


# Heading and width of each column; the names below are those that a narrow terminal leaves out.
_ROLLBACKS = "rollback %"


def _columns(headline: Headline) -> tuple[tuple[str, int], ...]:
    return (
        (f"{headline.label} running", 11),
        (f"{headline.label} now", 9),
        (f"{headline.label} {WINDOW_SECONDS} s", 9),
        (headline.many, 11),
        ("p95 ms", 8),
        *(((_ROLLBACKS, 10),) if headline.is_transactional else ()),
        ("errors", 7),
        (headline.users, max(5, len(headline.users))),
    )


def _left_out_when_narrow(headline: Headline) -> tuple[str, ...]:
    return headline.many, _ROLLBACKS


class LiveLoad:
    """The text of a load of which ``data`` is known. Columns have a fixed width, so that only digits move."""

    def __init__(self, data: RunData) -> None:
        self.data = data
        plan = data.plan
        self._labels = {client.number: one_line(client.label) for client in data.clients}
        self.users = len(data.clients) * plan.threads
        self._has_schedule = has_schedule(plan)

    @property
    def head_lines(self) -> int:
        return _HEAD_LINES + self._has_schedule

    def head(self, total: Figures) -> list[Text]:
        """The figures of all clients."""
        errors = ", ".join(f"{name} {whole(count)}" for name, count in (total.errors or {}).items())
        users = "   ".join(f"{self._word(state)} {whole(count):>5}" for state, count in total.users.items())
        headline = self.data.headline
        rollbacks = f"   rollbacks {decimal(total.rollback_pct, 2):>6} %" if headline.is_transactional else ""
        return [
            text_line(
                f"{headline.label:<12}running {headline.text(total.headline_rate_running):>9}"
                f"   now {headline.text(total.headline_rate_now):>9}"
                f"   {WINDOW_SECONDS} s {headline.text(total.headline_rate_window):>9}"
            ),
            *self._times(total),
            text_line(f"{headline.many:<12}{whole(total.orders):>11}{rollbacks}"),
            text_line(f"{headline.users:<12}{users}{_queue(total, self.data)}"),
            text_line(f"errors      {errors or 'none'}", style="red" if errors else ""),
        ]

    def _times(self, total: Figures) -> list[Text]:
        """The response times of the window; with a schedule, as served and as intended."""
        p95, p99 = f"{decimal(total.p95_ms):>8}", f"{decimal(total.p99_ms):>8}"
        served = f"mean {decimal(total.mean_ms):>8}   p95 {p95}   p99 {p99} ms   over {WINDOW_SECONDS} s"
        if not self._has_schedule:
            return [text_line(f"response    {served}")]
        p95, p99 = f"{decimal(total.intended_p95_ms):>8}", f"{decimal(total.intended_p99_ms):>8}"
        return [text_line(f"service     {served}"), text_line(f"as intended {'':13}   p95 {p95}   p99 {p99} ms")]

    def table(self, total: Figures, rows: int, width: int) -> Table:
        """The first so many clients, and all of them together, within the console's width."""
        headline = self.data.headline
        left_out = _left_out_when_narrow(headline) if width < _NARROW else ()
        columns = [each for each in _columns(headline) if each[0] not in left_out]
        room = width - sum(wide + 2 for _, wide in columns)
        widest = max(len("client"), *map(len, self._labels.values()))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("client", width=max(_LEAST_LABEL, min(room, widest)), no_wrap=True)
        for heading, wide in columns:
            table.add_column(heading, width=wide, justify="right", no_wrap=True)
        for client in self.data.clients[:rows]:
            cells = _cells(headline, self.data.figures(client.number))
            table.add_row(Text(self._labels[client.number]), *(cells[heading] for heading, _ in columns))
        if len(self.data.clients) > 1:
            cells = _cells(headline, total)
            table.add_row("total", *(cells[heading] for heading, _ in columns), style="bold")
        return table

    def _word(self, state: str) -> str:
        return state_word(state, is_open_loop=self.data.plan.is_open_loop)

    def in_a_line(self, total: Figures) -> str:
        """The figures of all clients in one line; after the end without those of the moment."""
        headline, is_over = self.data.headline, self.data.state.is_final
        now = "" if is_over else f" now {headline.text(total.headline_rate_now)},"
        states = ", ".join(f"{count} {self._word(state)}" for state, count in total.users.items() if count)
        users = "" if is_over else f", {headline.users} {states or 0}{_queue(total, self.data)}"
        return (
            f"{headline.label} running {headline.text(total.headline_rate_running)},{now}"
            f" p95 {decimal(total.p95_ms)} ms{self._intended(total)}, errors {whole(total.error_count)}{users}"
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
        *((decimal(figures.rollback_pct, 2),) if headline.is_transactional else ()),
        whole(figures.error_count),
        whole(users),
    )
    return {heading: value for (heading, _), value in zip(_columns(headline), values, strict=True)}


def text_line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")
