"""The totals of a stored run, computed from the form in which it is stored.

A run of 24 clients and 24 hours takes seconds, where reading its samples one by one would take minutes.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.analysis.totals import RunTotals
from engine.library.library import Library
from engine.plan.clients import ClientPlan
from engine.record.record import Phases, load_reference
from engine.record.totals import Totals, totals_of_loads
from engine.telemetry.event import EventKind


def totals_of(library: Library, run_id: str, clients: Sequence[ClientPlan], phases: Phases) -> Totals:
    """The totals of all that is stored of a run, however it ended; of a mixed run those of each load. Raises
    ``UserError``."""
    plan = library.run(run_id).plan
    if plan.is_mixed:
        loads = [load.client_plans() for load in plan.loads]
        return totals_of_loads(
            [totals_of(library, load_reference(run_id, index), of, phases) for index, of in enumerate(loads)]
        )
    totals = RunTotals(plan.workload, clients, phases, plan.profile)
    for counts in library.count_blocks(run_id):
        totals.add_counts(counts)
    for histograms in library.all_histogram_blocks(run_id):
        totals.add_histograms(histograms)
    totals.add_errors(library.errors_by_second(run_id))
    if plan.profile is not None:
        for load in library.workstation_loads(run_id):
            totals.add_load(load)
    found = totals.totals()
    # Only where there is something to say: that others used the run's stores.
    shared = tuple(event.label for event in library.events(run_id) if event.kind is EventKind.STORE)
    if not totals.has_all_types:
        return replace(found, shared_stores=shared)
    return replace(  # runs that record them report their workstation too
        found,
        processes=tuple(library.process_summaries(run_id)),
        saturation=tuple(library.saturation_intervals(run_id)),
        shared_stores=shared,
    )
