"""The fall of each result's running OPM in a failover, as published failover tests with DVD Store 2 report it.

Called by the comparison.
"""

from collections.abc import Sequence

from engine.figure_text import duration, percent, whole
from engine.report.document import Column, DataTable, Section
from engine.report.result_tables import number_columns
from engine.report.results import Result

_TITLES = ("Running OPM before", "Lowest", "Drop", "Stabilised after", "Back after another")


def failover_sections(results: Sequence[Result]) -> list[Section]:
    """The published figures of every result with a failover; empty when there is none."""
    rows = tuple(
        (
            result.name,
            whole(figures.opm_before),
            whole(figures.opm_lowest),
            percent(figures.drop_pct, 2),
            duration(figures.stabilised_seconds),
            duration(figures.back_seconds),
        )
        for result in results
        if (figures := result.failover) is not None
    )
    if not rows:
        return []
    is_measured = any(result.run is not None for result in results)
    table = DataTable(
        caption="The running OPM through a failover",
        columns=(Column(title="Result"), *number_columns(*_TITLES)),
        rows=rows,
        note="Of a run with several faults, through the first." if is_measured else "",
    )
    return [Section(title="Failover", blocks=(table,))]
