"""The cells of the client table, column by column: text, sort key, tool tip."""

from collections.abc import Callable
from enum import IntEnum

from engine import figure_text
from engine.analysis.client_rows import ClientRow
from engine.analysis.client_state import ClientState
from engine.analysis.headline import Headline

_SEVERITY = {state: place for place, state in enumerate(ClientState)}


class Column(IntEnum):
    """The columns in their initial order: those that change while the run goes on first, as not all fit a window."""

    CLIENT = 0
    STATE = 1
    HEADLINE_RUNNING = 2
    HEADLINE_NOW = 3
    P95 = 4
    ERRORS = 5
    SPARK = 6
    SHARE = 7
    TARGET = 8
    COUNT = 9
    ROLLBACKS = 10
    RETRIES = 11
    RECONNECTS = 12
    HEARTBEAT = 13


# In a narrow table, or with large text, these are hidden one after the other: the figures of all clients are in the
# header.
LEAVING = (
    Column.HEARTBEAT,
    Column.RECONNECTS,
    Column.RETRIES,
    Column.ROLLBACKS,
    Column.COUNT,
    Column.TARGET,
    Column.SHARE,
    Column.SPARK,
    Column.ERRORS,
    Column.P95,
)
WIDEST = {
    Column.STATE: "reconnecting 888",
    Column.HEADLINE_RUNNING: "8 888 888",
    Column.HEADLINE_NOW: "8 888 888",
    Column.P95: "88 888",
    Column.ERRORS: "888 888",
    Column.SPARK: "0" * 11,
    Column.SHARE: "100.0",
    Column.COUNT: "888 888 888",
    Column.ROLLBACKS: "8 888 888",
    Column.RETRIES: "888 888",
    Column.RECONNECTS: "888 888",
    Column.HEARTBEAT: "8 888",
}
_Reader = Callable[[ClientRow], float | None]
_RATES: dict[Column, _Reader] = {
    Column.HEADLINE_RUNNING: lambda row: row.figures.headline_rate_running,
    Column.HEADLINE_NOW: lambda row: row.figures.headline_rate_now,
}
_NUMBERS: dict[Column, tuple[_Reader, Callable[[float | None], str]]] = {
    Column.P95: (lambda row: row.figures.p95_ms, figure_text.milliseconds),
    Column.ERRORS: (lambda row: row.errors, figure_text.whole),
    Column.SHARE: (lambda row: row.share_pct, figure_text.decimal),
    Column.COUNT: (lambda row: row.figures.orders, figure_text.whole),
    Column.ROLLBACKS: (lambda row: row.figures.rollbacks, figure_text.whole),
    Column.RETRIES: (lambda row: row.figures.retries, figure_text.whole),
    Column.RECONNECTS: (lambda row: row.figures.reconnects, figure_text.whole),
    Column.HEARTBEAT: (lambda row: row.heartbeat_ms, figure_text.milliseconds),
}


def titles(headline: Headline) -> dict[Column, tuple[str, str]]:
    """The title of each column, and what it shows, for a run with this headline."""
    return {
        Column.CLIENT: ("Client", "The client, and whether its curve is shown (Space)"),
        Column.STATE: ("State", f"State of the client's {headline.users}"),
        Column.HEADLINE_RUNNING: (headline.label, f"{headline.rate_heading} since the measuring phase began"),
        Column.HEADLINE_NOW: ("Now", f"{headline.rate_heading} of the last second"),
        Column.P95: ("p95 ms", f"The service time that 95 % of the {headline.many} did not exceed, ms"),
        Column.ERRORS: ("Errors", "Errors of the target since the start"),
        Column.SPARK: ("Last 2 min", f"{headline.rate_heading} of each of the last 120 seconds"),
        Column.SHARE: ("Share %", f"The client's share of all {headline.many}, %"),
        Column.TARGET: ("Target", "The target that the client drives"),
        Column.COUNT: (headline.heading, f"{headline.heading} since the measuring phase began"),
        Column.ROLLBACKS: ("Rollbacks", f"{headline.heading} that were rolled back"),
        Column.RETRIES: ("Retries", "Calls repeated after a deadlock"),
        Column.RECONNECTS: ("Reconnects", "Reconnections"),
        Column.HEARTBEAT: (
            "Delay ms",
            "Scheduling delay of a client thread that wakes every 10 ms, ms (p99):\n"
            "how long this workstation can keep a user waiting",
        ),
    }


def is_number(column: Column) -> bool:
    """Whether its cells are numbers."""
    return column in _RATES or column in _NUMBERS


def cell_text(row: ClientRow, column: Column, headline: Headline) -> str:
    """The cell's text; the spark line has none."""
    if column in _RATES:
        return headline.text(_RATES[column](row))
    if column in _NUMBERS:
        read, written = _NUMBERS[column]
        return written(read(row))
    match column:
        case Column.CLIENT:
            return row.label
        case Column.TARGET:
            return row.target
        case Column.STATE:
            return row.condition.word if row.condition else ""
    return ""


def sort_key(row: ClientRow, column: Column) -> float | str:
    """What rows are sorted by: numbers as such, unknown ones first, states by severity."""
    if is_number(column):
        number = _RATES[column](row) if column in _RATES else _NUMBERS[column][0](row)
        return -1.0 if number is None else float(number)
    match column:
        case Column.TARGET:
            return row.target
        case Column.STATE:
            return float(_SEVERITY[row.condition.state]) if row.condition else -1.0
        case Column.SPARK:
            return float(row.figures.headline_rate_window or 0.0)
    return float(row.client or 0)


def accessible_text(row: ClientRow, column: Column, text: str, headline: Headline, *, is_shown: bool = True) -> str:
    """The text for screen readers; ``is_shown`` is whether the client's curve is shown."""
    if column is Column.CLIENT and row.client is not None:
        return f"{row.label}, {'shown' if is_shown else 'hidden'} in the chart"
    if column is Column.SPARK:
        return f"{headline.rate_heading} of the last second: {headline.text(row.figures.headline_rate_now)}"
    return f"{titles(headline)[column][0]} {text}"


def tool_tip(row: ClientRow, column: Column, headline: Headline) -> str | None:
    """The tool tip of a cell."""
    if column is Column.ERRORS and row.figures.errors:
        return "\n".join(f"{name.replace('_', ' ')}: {figure_text.whole(n)}" for name, n in row.figures.errors.items())
    if column is Column.TARGET:
        return row.url
    if column is Column.SPARK:
        return f"0 to {headline.text(row.spark_top)} {headline.label}"
    return None
