"""Runs whose process died: marked as interrupted, with the totals of what was measured until then.

Called at every start of the program, before the library is used.
"""

import logging
from dataclasses import replace
from datetime import timedelta

from engine.errors import UserError
from engine.library.library import Library
from engine.record import Phases, RunRecord, RunState

_log = logging.getLogger(__name__)


def settle_interrupted(library: Library) -> list[RunRecord]:
    """Settle the runs of dead processes, and return them as they are now. Raises ``UserError``."""
    library.sweep()
    # Those without totals: just now found, or left so by a process that died while it settled them.
    interrupted = [run for run in library.runs(states=[RunState.INTERRUPTED]) if run.totals is None]
    if not interrupted:
        return []
    from engine.run_totals import totals_of  # numpy with it: most starts find nothing to settle

    settled = []
    for record in interrupted:
        phases = measured_phases(record)
        library.pack(record.run_id)
        try:
            totals = totals_of(library, record.run_id, record.plan.client_plans(), phases)
        except UserError:
            raise
        except Exception:  # one run that can't be read must not keep anybody from all the others
            _log.exception("the totals of run %s can't be computed", record.run_id)
            continue
        library.settle(record.run_id, totals=totals, phases=phases)
        settled.append(library.run(record.run_id))
    return settled


def measured_phases(record: RunRecord) -> Phases:
    """The phases of a run that ended with its last sample: measuring ends there, if it had begun at all."""
    if record.ended_at is None or record.phases.measuring_from is None:
        return record.phases
    seconds = (record.ended_at - record.started_at) // timedelta(seconds=1)
    if seconds <= record.phases.measuring_from:
        return Phases(warming_up_from=record.phases.warming_up_from)
    planned = record.phases.measuring_to
    return replace(record.phases, measuring_to=seconds if planned is None else min(planned, seconds))
