"""The totals of a stored run, computed from the form in which it is stored.

A run of 24 clients and 24 hours takes seconds, where reading its samples one by one would take minutes.
"""

from collections.abc import Sequence
from typing import Any

from engine.analysis.totals import RunTotals
from engine.library.library import Library
from engine.plan.clients import ClientPlan
from engine.record.record import Phases
from engine.telemetry.event import EventKind


def totals_of(library: Library, run_id: str, clients: Sequence[ClientPlan], phases: Phases) -> dict[str, Any]:
    """The totals of all that is stored of a run, however it ended. Raises ``UserError``."""
    totals = RunTotals(library.run(run_id).plan.workload, clients, phases)
    for counts in library.count_blocks(run_id):
        totals.add_counts(counts)
    for histograms in library.all_histogram_blocks(run_id):
        totals.add_histograms(histograms)
    totals.add_errors(library.errors_by_second(run_id))
    found = totals.to_dict()
    if totals.has_all_types:  # runs that record them report their workstation too
        found["driver"] = [summary.to_dict() for summary in library.process_summaries(run_id)]
        found["spells"] = [interval.to_dict() for interval in library.saturation_intervals(run_id)]
    # Only where there is something to tell: that others used the run's stores.
    if shared := [event.label for event in library.events(run_id) if event.kind is EventKind.STORE]:
        found["shared_stores"] = shared
    return found
