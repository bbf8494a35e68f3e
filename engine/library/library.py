"""The library of runs; the rest of Spindle uses this package through the class ``Library``."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Engine

from engine.errors import UserError
from engine.files.disk_space import why_unwritable
from engine.library import changing, reading
from engine.library.bin import Bin
from engine.library.campaigns import Campaigns
from engine.library.configurations import Configurations
from engine.library.connecting import connect, connect_to_read, read_transaction, write_transaction
from engine.library.host_files import HostMeasurements
from engine.library.marks import Marks
from engine.library.opening import is_current, prepare_library_file
from engine.library.own_references import References
from engine.library.owner import this_process
from engine.library.probe_spans import read_probes
from engine.library.projected import error_of_load, projected, read_blocks, read_items
from engine.library.read_only import open_on_full_disk, open_read_only
from engine.library.rows import phases_row
from engine.library.run_packer import RunPacker
from engine.library.run_sets import RunSets
from engine.library.run_writer import BUSY_SECONDS, RunWriter
from engine.library.searching import conditions
from engine.library.watch import Watch
from engine.library.workstation_reports import read_loads, read_machine_loads, read_processes, read_saturation
from engine.record.projection import Projection
from engine.record.record import Phases, RunRecord, RunState
from engine.record.totals import Totals
from engine.record.totals_json import totals_to_dict
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, ProcessSummary, SaturationRecord, WorkstationLoad

if TYPE_CHECKING:
    from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock
    from engine.analysis.series.rates import Series


class Library:
    """An open library; several threads and processes may use the same file.

    Every method raises ``UserError`` when the file can't be read or written, and those with a ``run_id`` also when
    there is no such run. Only ``bin`` contains deleted runs. ``sets``, ``campaigns``, ``configurations``, ``host``,
    ``references`` and ``marks`` have the methods for what belongs to runs; ``packer`` packs runs that are over.
    ``read_only`` says why the library can't be written; it is empty if it can.
    """

    def __init__(
        self, path: Path, engine: Engine, *, read_only: str = "", release: Callable[[], None] = lambda: None
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._engine = engine
        self._release = release
        self.sets = RunSets(engine)
        self.campaigns = Campaigns(engine)
        self.configurations = Configurations(engine)
        self.host = HostMeasurements(engine)
        self.references = References(engine)
        self.marks = Marks(engine)
        self.packer = RunPacker(engine)
        self.bin = Bin(path, engine)

    @classmethod
    def open(cls, path: Path, *, notify: Callable[[str], None]) -> Self:
        """Open the library's file, or create it with its folder.

        A library of an older version is backed up and migrated first. A damaged one is renamed and a new one created;
        then ``notify`` gets a sentence. One that can't be written, such as on a full disk, is opened for reading only;
        ``notify`` gets a sentence about that as well. Raises ``UserError`` for a library of a newer version, which is
        not changed, and for a file or folder that can't be written where there is no library yet.
        """
        try:
            prepare_library_file(path, notify=notify)
            opened = open_on_full_disk(path)
        except UserError:
            if (opened := open_read_only(path)) is None:
                raise
        if opened is None:
            return cls(path, connect(path))
        notify(f"the library {path} is open for reading only: {opened.reason}.")
        return cls(path, opened.engine, read_only=opened.reason, release=opened.release)

    @classmethod
    def open_read_only_if_current(cls, path: Path) -> Self | None:
        """The library for reading only; ``None`` where ``open`` would have to create, migrate or replace it."""
        return cls(path, connect_to_read(path)) if is_current(path) else None

    def can_be_written(self) -> bool:
        """Whether the library can be written, or could be if it were opened again."""
        return not why_unwritable(self.path)

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine, for use within this package."""
        return self._engine

    def close(self) -> None:
        """Close the file; writers of runs in progress have their own connections."""
        self._engine.dispose()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def start_run(self, record: RunRecord, *, notify: Callable[[str], None]) -> RunWriter:
        """Add a run that begins now and belongs to this process; returns its writer, which the caller must close."""
        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, this_process())
        return RunWriter(connect(self.path, busy_seconds=BUSY_SECONDS), key, notify=notify)

    def add_imported(self, record: RunRecord, samples: Iterable[Sample], events: Iterable[RunEvent]) -> None:
        """Add a run that was measured elsewhere, in one transaction.

        Events without a number get the next free ones.
        """
        from engine.library.stored_samples import insert_packed

        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, None)
            insert_packed(connection, key, samples)
            changing.insert_events(connection, key, _numbered(events))

    def mark_interrupted(self, *, excluded: Collection[str] = ()) -> list[RunRecord]:
        """Mark the runs whose process has ended as interrupted, except those with ``excluded`` ids, and return them;
        each ends with its last sample."""
        with write_transaction(self._engine) as connection:
            return reading.records_of(connection, changing.interrupt_orphans(connection, excluded=excluded))

    def has_orphans(self) -> bool:
        """Whether ``mark_interrupted`` would mark a run."""
        with read_transaction(self._engine) as connection:
            return changing.has_orphans(connection)

    def settle(self, run_id: str, *, totals: Totals, phases: Phases) -> None:
        """Store the totals of a run that ended without them, and the phases that they are based on."""
        with write_transaction(self._engine) as connection:
            key = reading.key_of(connection, run_id)
            changing.set_columns(connection, key, totals=totals_to_dict(totals), **phases_row(phases))

    def runs(
        self,
        *,
        text: str = "",
        tags: Collection[str] = (),
        states: Collection[RunState] = (),
        started_from: datetime | None = None,
        run_set: str = "",
        campaign: str = "",
        deleted: bool = False,
        limit: int | None = None,
    ) -> list[RunRecord]:
        """The runs that match all conditions, newest first. Case is ignored.

        ``text`` is contained in the id, name, note, plan's name, a tag or a client's label; the run has all of ``tags``
        and one of ``states``; it started at ``started_from`` or later; it is in the set named ``run_set``, and in the
        campaign named ``campaign``. With ``deleted``, runs in the bin are searched.
        """
        wanted = conditions(
            text=text,
            tags=tags,
            states=states,
            started_from=started_from,
            run_set=run_set,
            campaign=campaign,
            deleted=deleted,
        )
        with read_transaction(self._engine) as connection:
            return reading.find_runs(connection, wanted, limit=limit)

    def fault_counts(self) -> dict[str, int]:
        """The number of faults, marked or injected, by run id, for the runs that have any."""
        with read_transaction(self._engine) as connection:
            return reading.fault_counts(connection)

    def run(self, reference: str) -> RunRecord:
        """The run with an id, with the only id that begins so, or the newest (``last``).

        Raises ``RunNotFound`` that names similar ids when there is none, ``UnknownName`` that names the candidates
        when there are several.
        """
        with read_transaction(self._engine) as connection:
            return reading.find_run(connection, reference)

    def events(self, run_id: str) -> list[RunEvent]:
        """The run's events, sorted by time, each with its number."""
        return read_items(self._engine, run_id, reading.run_events, Projection.event)

    def probes(self, run_id: str, *, since: int = 0) -> list[ProbeSample]:
        """The probe samples of the run from a second on, sorted by store and second."""
        return read_items(self._engine, run_id, partial(read_probes, since=since), Projection.probe)

    def workstation_loads(self, run_id: str) -> list[WorkstationLoad]:
        """What the run cost the workstation that drove it, by second; none for runs of before this was stored."""
        return read_items(self._engine, run_id, read_loads, Projection.workstation_load)

    def machine_loads(self, run_id: str) -> list[MachineLoad]:
        """What the run cost its load machines, by machine and second."""
        return read_items(self._engine, run_id, read_machine_loads, Projection.machine_load)

    def saturation_intervals(self, run_id: str) -> list[SaturationRecord]:
        """When the workstation limited or distorted the run, in the order of time; none as above."""
        with read_transaction(self._engine) as connection:
            return read_saturation(connection, reading.key_of(connection, run_id))

    def process_summaries(self, run_id: str) -> list[ProcessSummary]:
        """The newest summary of each client process of the run, by their numbers; none as above."""
        return read_items(self._engine, run_id, read_processes, Projection.process)

    def samples(self, run_id: str) -> Iterator[Sample]:
        """The run's samples, sorted by client and second. A slow reader does not block writers."""
        from engine.analysis.series.blocks import samples_of
        from engine.library.stored_samples import read_block

        return itertools.chain.from_iterable(map(samples_of, read_blocks(self._engine, run_id, read_block)))

    def samples_after(self, run_id: str, seconds: Mapping[int, int]) -> list[Sample] | None:
        """The samples of a run in progress after a second given for each client (-1 is all).

        ``None`` when some of them are packed already: then the whole run has to be read again.
        """
        from engine.library.stored_samples import read_after

        with read_transaction(self._engine) as connection:
            projection = reading.projection_of(connection, run_id)
            before = 0 if projection is None else projection.before
            wanted = {client + before: second for client, second in seconds.items()}
            found = read_after(connection, reading.key_of(connection, run_id), wanted)
            return None if found is None else projected(found, projection, Projection.sample)

    def series(
        self,
        run_id: str,
        *,
        on_progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> "Series":
        """The run's counts for charts; ``on_progress`` gets the share that is read. Raises ``Cancelled``."""
        from engine.library.stored_samples import read_series

        with read_transaction(self._engine) as connection:
            return read_series(
                connection,
                reading.key_of(connection, run_id),
                watch=Watch(on_progress, cancelled),
                projection=reading.projection_of(connection, run_id),
            )

    def count_blocks(self, run_id: str) -> "Iterator[CountBlock]":
        """The run's counts, in blocks of a client and hour, sorted by time."""
        from engine.library.stored_samples import read_counts

        return read_blocks(self._engine, run_id, read_counts, in_time=True)

    def histogram_blocks(self, run_id: str) -> "Iterator[HistogramBlock]":
        """The run's response times, in blocks of a client and hour: the first hour of all clients, then the second, and
        so on. A slow reader does not block writers."""
        from engine.library.stored_samples import read_histograms

        return read_blocks(self._engine, run_id, read_histograms, in_time=True)

    def all_histogram_blocks(self, run_id: str) -> "Iterator[HistogramBlock]":
        """As ``histogram_blocks``, with those of all types and steps."""
        from engine.library.stored_samples import read_all_histograms

        return read_blocks(self._engine, run_id, read_all_histograms, in_time=True)

    def errors_by_second(self, run_id: str) -> "list[ErrorCount]":
        """The run's errors, sorted by time; only seconds that have any."""
        from engine.library.stored_samples import read_errors

        return read_items(self._engine, run_id, read_errors, error_of_load)

    def rename(self, run_id: str, name: str) -> None:
        """Rename a run; an empty name removes it."""
        self._set(run_id, name=name.strip())

    def set_audit(self, run_id: str, audit: Mapping[str, Any]) -> None:
        """Store the report of an audit, instead of an earlier one."""
        self._set(run_id, audit=dict(audit))

    def set_note(self, run_id: str, note: str) -> None:
        """Replace a run's note."""
        self._set(run_id, note=note)

    def add_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Tag a run; tags that it has stay. Raises ``BadInput`` for a tag that is empty or too long."""
        with write_transaction(self._engine) as connection:
            changing.insert_tags(connection, reading.key_of(connection, run_id), tags)

    def remove_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Take tags off a run; those that it doesn't have are no matter."""
        with write_transaction(self._engine) as connection:
            changing.remove_tags(connection, reading.key_of(connection, run_id), tags)

    def delete(self, run_id: str) -> None:
        """Move a run to the bin, from which ``bin.restore`` restores it; raises ``UserError`` for one in progress."""
        with write_transaction(self._engine) as connection:
            changing.mark_deleted(connection, run_id)

    def _set(self, run_id: str, **values: Any) -> None:
        with write_transaction(self._engine) as connection:
            changing.set_columns(connection, reading.key_of(connection, run_id), **values)


def _numbered(events: Iterable[RunEvent]) -> list[RunEvent]:
    """The events; those without a number get the next free ones."""
    given = list(events)
    taken = {event.number for event in given}
    free = (number for number in itertools.count(1) if number not in taken)
    return [event if event.number else replace(event, number=next(free)) for event in given]
