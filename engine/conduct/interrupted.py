"""Completes what earlier processes left unfinished in a library.

Runs that it had no room for are imported, and those whose process died are marked as interrupted, with the totals of
what was measured until then.

Called at every start of the program, before the library is used.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from engine.conduct.made_stores import remove_left_stores
from engine.errors import UserError
from engine.library.library import Library
from engine.record.record import Phases, RunRecord, RunState

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The runs that were taken in, each with the file in which it had waited; those that go on waiting in theirs, by
    their ids; those that were interrupted; and a sentence on each store that these had written for themselves."""

    taken: tuple[tuple[RunRecord, Path], ...] = ()
    waiting: Mapping[str, Path] = field(default_factory=dict)
    interrupted: tuple[RunRecord, ...] = ()
    left_stores: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """A sentence on each."""
        return [
            *(
                f"run {record.run_id} ({record.name}), which was kept in {path} when the library had no room, is in the"
                " library now."
                for record, path in self.taken
            ),
            *(
                f"run {run_id} is kept in {path} until the library has room for it."
                for run_id, path in self.waiting.items()
            ),
            *(
                f"run {record.run_id} ({record.name}) was interrupted; what was measured is in the library."
                for record in self.interrupted
            ),
            *self.left_stores,
        ]


def settle_library(library: Library) -> Settled:
    """Do all that is left to be done in a library that can be written. Raises ``UserError``."""
    from engine.audit.ledger_files import join_overflows
    from engine.library.rescue import import_waiting_rescues

    join_overflows(library.path)
    taken, waiting = import_waiting_rescues(library)
    interrupted = settle_interrupted(library, excluded=waiting)  # what is whole, here or elsewhere, was not
    left_stores = tuple(remove_left_stores(library.path))
    return Settled(taken=tuple(taken), waiting=waiting, interrupted=tuple(interrupted), left_stores=left_stores)


def settle_interrupted(library: Library, *, excluded: Collection[str] = ()) -> list[RunRecord]:
    """Settle the runs of dead processes, but for some ids, and return them as they are now. Raises ``UserError``."""
    library.mark_interrupted(excluded=excluded)
    # Those without totals: just now found, or left so by a process that died while it settled them.
    interrupted = [
        run for run in library.runs(states=[RunState.INTERRUPTED]) if run.totals is None and run.run_id not in excluded
    ]
    if not interrupted:
        return []
    from engine.library.totals import totals_of  # numpy with it: most starts find nothing to settle

    settled = []
    for record in interrupted:
        phases = measured_phases(record)
        library.packer.pack(record.run_id)
        library.packer.pack_readings(record.run_id)
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
