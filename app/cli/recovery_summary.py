"""How a run recovered from its faults, as the terminal prints it."""

from collections.abc import Sequence

from rich.table import Table

from app.cli.text_page import TextPage, plain_table
from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.spread import recovery_spread
from engine.report.fault_repetitions import repeated_faults, spread_rows
from engine.report.recovery_text import recovery_sentences, recovery_table

_COLUMNS = ("at", "fault", "state", "recovered", "relapses", "black-out")
_NUMBERS = ("recovered", "black-out")
_SPREAD_COLUMNS = ("figure", "median", "worst", "each")
_SPREAD_NUMBERS = ("median", "worst")


def recovery_summary(recoveries: Sequence[Recovery], width: int | None = None) -> str:
    """A table of the faults, the sentences of each, and the spread of repeated ones; empty without faults."""
    if not recoveries:
        return ""
    page = TextPage(width)
    page.table(_faults(recoveries))
    for recovery in recoveries:
        page.line(f"\n{recovery.fault.label}")
        for sentence in recovery_sentences(recovery):
            page.sentence(f"  {sentence}")
    for label, repetitions in repeated_faults(recoveries).items():
        page.line(f"\n{label}, {len(repetitions)} times")
        page.table(_spread(repetitions))
    return page.text()


def _faults(recoveries: Sequence[Recovery]) -> Table:
    headline = recoveries[0].headline
    own = (headline.missed, f"running {headline.label}")
    table = plain_table((*_COLUMNS, *own), numbers=(*_NUMBERS, *own), folding=(*_COLUMNS, *own))
    for row in recovery_table(recoveries):
        table.add_row(*row)
    return table


def _spread(repetitions: Sequence[Recovery]) -> Table:
    table = plain_table(_SPREAD_COLUMNS, numbers=_SPREAD_NUMBERS, folding=_SPREAD_COLUMNS)
    for figure, median, worst, each in spread_rows(repetitions[0].headline, recovery_spread(repetitions)):
        table.add_row(figure, median, worst, ", ".join(each))
    return table
