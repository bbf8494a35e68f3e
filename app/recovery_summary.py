"""How a run recovered from its faults, as the terminal prints it: a line for each fault, and what there is to say."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from engine.analysis.recovery_figures import Recovery
from engine.analysis.recovery_spread import recovery_spread
from engine.report.recovery_text import recovery_sentences, recovery_table, repeated_faults, spread_rows

_WIDE = 118
_COLUMNS = ("at", "fault", "state", "recovered", "black-out", "orders not taken", "running OPM")
_NUMBERS_FROM = 3
_SPREAD_COLUMNS = ("figure", "median", "worst", "each")


def recovery_summary(recoveries: Sequence[Recovery], width: int | None = None) -> str:
    """A table of the faults, the sentences of each, and the spread of those that were repeated; empty without any."""
    if not recoveries:
        return ""
    console = Console(width=width or _WIDE, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as captured:
        console.print(_faults(recoveries))
        for recovery in recoveries:
            console.print(f"\n{recovery.fault.label}", soft_wrap=True)
            for sentence in recovery_sentences(recovery):
                console.print(f"  {sentence}", soft_wrap=width is None)
        for label, repetitions in repeated_faults(recoveries).items():
            console.print(f"\n{label}, {len(repetitions)} times")
            console.print(_spread(repetitions))
    return "\n".join(line.rstrip() for line in captured.get().rstrip().split("\n"))


def _faults(recoveries: Sequence[Recovery]) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(_COLUMNS):
        table.add_column(name, justify="right" if number >= _NUMBERS_FROM else "left", overflow="fold")
    for row in recovery_table(recoveries):
        table.add_row(*row)
    return table


def _spread(repetitions: Sequence[Recovery]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in _SPREAD_COLUMNS:
        table.add_column(name, justify="left" if name in ("figure", "each") else "right", overflow="fold")
    for figure, median, worst, each in spread_rows(recovery_spread(repetitions)):
        table.add_row(figure, median, worst, ", ".join(each))
    return table
