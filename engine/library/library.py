"""The library of runs: the one way in for the rest of Spindle."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sqlalchemy import Connection, Engine

from engine.disk_space import why_unwritable
from engine.errors import UserError
from engine.faults.marks import new_mark
from engine.library import changing, marks, reading
from engine.library.bin import Bin
from engine.library.configurations import Configurations
from engine.library.connecting import connect, connect_to_read, read_transaction, write_transaction
from engine.library.host_files import HostMeasurements
from engine.library.hours import ClientHour
from engine.library.opening import is_current, make_ready
from engine.library.own_references import References
from engine.library.owner import this_process
from engine.library.probe_spans import read_probes
from engine.library.read_only import open_read_only
from engine.library.rows import phases_row
from engine.library.run_sets import RunSets
from engine.library.run_writer import BUSY_SECONDS, RunWriter
from engine.library.searching import conditions
from engine.library.watch import Watch
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample

if TYPE_CHECKING:
    from engine.analysis.series.blocks import CountBlock, ErrorCount, HistogramBlock
    from engine.analysis.series.rates import Series

_Block = TypeVar("_Block")


class Library:
    """An open library; several threads and several processes may use one file at once.

    Every method raises ``UserError`` when the file can't be read or written, and those that take a ``run_id`` also
    when no run of that id is there. Deleted runs are in ``bin`` only.

    ``sets``, ``configurations``, ``host`` and ``references`` hold what belongs to runs, or stands beside them.
    ``read_only`` says why nothing can be written; empty when it can.
    """

    def __init__(
        self, path: Path, engine: Engine, *, read_only: str = "", release: Callable[[], None] = lambda: None
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._engine = engine
        self._release = release
        self.sets = RunSets(engine)
        self.configurations = Configurations(engine)
        self.host = HostMeasurements(engine)
        self.references = References(engine)
        self.bin = Bin(path, engine)

    @classmethod
    def open(cls, path: Path, *, tell: Callable[[str], None]) -> Self:
        """Open the library's file, or begin one, making its folder.

        A library of an older version is copied and migrated first. A damaged one is set aside under another name, a
        new one is begun, and ``tell`` gets one sentence. One whose disk is full or can't be written to is opened for
        reading only, which ``tell`` gets a sentence about too. Raises ``UserError`` for one of a newer version, which
        is left as it is, and for a file or folder that can't be written where there is no library yet.
        """
        try:
            make_ready(path, tell=tell)
        except UserError:
            if (opened := open_read_only(path)) is None:
                raise
            tell(f"the library {path} is open for reading only: {opened.reason}.")
            return cls(path, opened.engine, read_only=opened.reason, release=opened.release)
        return cls(path, connect(path))

    @classmethod
    def look_into(cls, path: Path) -> Self | None:
        """The library's file for reading only, as it is; ``None`` where ``open`` would have to begin or mend one."""
        return cls(path, connect_to_read(path)) if is_current(path) else None

    def can_be_written(self) -> bool:
        """Whether nothing speaks, or speaks any more, against opening the file to write."""
        return not why_unwritable(self.path)

    @property
    def engine(self) -> Engine:
        """For the other files of this room."""
        return self._engine

    def close(self) -> None:
        """Let go of the file; writers of running runs have their own hold on it."""
        self._engine.dispose()
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def start_run(self, record: RunRecord, *, on_trouble: Callable[[str], None]) -> RunWriter:
        """Enter a run that begins now and belongs to this process, and return what keeps it; close that one."""
        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, this_process())
        return RunWriter(connect(self.path, busy_seconds=BUSY_SECONDS), key, on_trouble=on_trouble)

    def add_imported(self, record: RunRecord, samples: Iterable[Sample], events: Iterable[RunEvent]) -> None:
        """Enter a run that was measured elsewhere, all of it or, when anything fails, nothing.

        Events that have no number get those that are free, in their order.
        """
        from engine.library.stored_samples import insert_packed

        with write_transaction(self._engine) as connection:
            key = changing.insert_run(connection, record, None)
            insert_packed(connection, key, samples)
            changing.insert_events(connection, key, _numbered(events))

    def sweep(self, *, but: Collection[str] = ()) -> list[RunRecord]:
        """Mark the runs whose process died as interrupted, ``but`` for these ids, and return them; each ends with its
        last sample."""
        with write_transaction(self._engine) as connection:
            return reading.records_of(connection, changing.interrupt_orphans(connection, but=but))

    def has_orphans(self) -> bool:
        """Whether ``sweep`` would mark a run as interrupted."""
        with read_transaction(self._engine) as connection:
            return changing.has_orphans(connection)

    def settle(self, run_id: str, *, totals: Mapping[str, Any], phases: Phases) -> None:
        """Give a run that ended without them its totals, and the phases that they are of."""
        with write_transaction(self._engine) as connection:
            key = reading.key_of(connection, run_id)
            changing.set_columns(connection, key, totals=dict(totals), **phases_row(phases))

    def runs(
        self,
        *,
        text: str = "",
        tags: Collection[str] = (),
        states: Collection[RunState] = (),
        target: str = "",
        started_from: datetime | None = None,
        started_to: datetime | None = None,
        run_set: str = "",
        deleted: bool = False,
        limit: int | None = None,
    ) -> list[RunRecord]:
        """The runs, newest first: those that hold ``text`` (in id, name, note, plan's name, a tag or a client's label),
        have every one of ``tags`` and any of ``states``, drove ``target`` (a part of a client's target or label), and
        began within ``started_from <= … < started_to``, and are in the set named ``run_set``. Case does not matter.
        With ``deleted`` they are those in the bin."""
        wanted = conditions(
            text=text,
            tags=tags,
            states=states,
            target=target,
            started_from=started_from,
            started_to=started_to,
            run_set=run_set,
            deleted=deleted,
        )
        with read_transaction(self._engine) as connection:
            return reading.find_runs(connection, wanted, limit=limit)

    def mark_counts(self) -> dict[str, int]:
        """How many marks and injected faults each run has that has any, by the run's id."""
        with read_transaction(self._engine) as connection:
            return reading.mark_counts(connection)

    def run(self, reference: str) -> RunRecord:
        """The run that an id means, the beginning of just one id, or ``last``.

        Raises ``RunNotFound`` that names the nearest ids when there is none, ``UserError`` that names the candidates
        when there are several.
        """
        with read_transaction(self._engine) as connection:
            return reading.find_run(connection, reference)

    def events(self, run_id: str) -> list[RunEvent]:
        """The run's events in the order of their times, each with its number."""
        with read_transaction(self._engine) as connection:
            return reading.run_events(connection, reading.key_of(connection, run_id))

    def probes(self, run_id: str, *, since: int = 0) -> list[ProbeSample]:
        """What the probes saw of the run's stores from a second on, by store and then by second."""
        with read_transaction(self._engine) as connection:
            return read_probes(connection, reading.key_of(connection, run_id), since=since)

    def samples(self, run_id: str) -> Iterator[Sample]:
        """The run's samples, by client and then by second; whoever reads slowly holds nothing up meanwhile."""
        from engine.analysis.series.blocks import samples_of
        from engine.library.stored_samples import read_block

        return itertools.chain.from_iterable(map(samples_of, self._blocks(run_id, read_block)))

    def samples_after(self, run_id: str, seconds: Mapping[int, int]) -> list[Sample] | None:
        """The samples of a run in progress that came after some seconds, given by client, from 1 on; -1 is before all.

        ``None`` when that is no longer known one by one, and the run has to be read again as a whole.
        """
        from engine.library.stored_samples import read_after

        with read_transaction(self._engine) as connection:
            return read_after(connection, reading.key_of(connection, run_id), seconds)

    def series(
        self,
        run_id: str,
        *,
        tell: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> "Series":
        """The run's counts, ready for charts; ``tell`` gets the share that is read. Raises ``Cancelled``."""
        from engine.library.stored_samples import read_series

        with read_transaction(self._engine) as connection:
            return read_series(connection, reading.key_of(connection, run_id), watch=Watch(tell, cancelled))

    def count_blocks(self, run_id: str) -> "Iterator[CountBlock]":
        """The run's counts, a client and hour at a time, in the order of time."""
        from engine.library.stored_samples import read_counts

        return self._blocks(run_id, read_counts, in_time=True)

    def histogram_blocks(self, run_id: str) -> "Iterator[HistogramBlock]":
        """The run's response times, a client and hour at a time: all clients' first hour, then all their second, ...

        Whoever reads slowly holds nothing up meanwhile.
        """
        from engine.library.stored_samples import read_histograms

        return self._blocks(run_id, read_histograms, in_time=True)

    def errors_by_second(self, run_id: str) -> "list[ErrorCount]":
        """The run's errors, in the order of time; only where there are any."""
        from engine.library.stored_samples import read_errors

        with read_transaction(self._engine) as connection:
            return read_errors(connection, reading.key_of(connection, run_id))

    def pack(self, run_id: str) -> None:
        """Pack what is left of the samples of a run that is over: it reads the same afterwards, but faster."""
        with read_transaction(self._engine) as connection:
            key = reading.key_of(connection, run_id)
        self._pack(key, Watch(None, None))

    def pack_all(
        self, *, tell: Callable[[float], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> None:
        """Pack the samples of every run that is over, deleted ones too, an hour of a client at a time, so that others
        may write in between. Raises ``Cancelled``; what was packed by then stays so."""
        with read_transaction(self._engine) as connection:
            keys = reading.unpacked_keys(connection)
        for number, key in enumerate(keys):
            self._pack(key, Watch(tell, cancelled).part(number, len(keys)))

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name; empty takes its name away."""
        self._set(run_id, name=name.strip())

    def set_audit(self, run_id: str, audit: Mapping[str, Any]) -> None:
        """Keep what an audit of the run's orders found, in place of an earlier one's."""
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

    def add_mark(self, run_id: str, label: str, at_seconds: float, *, is_fault: bool = False) -> RunEvent:
        """Set a mark by hand in a run that is over, ``at_seconds`` after its epoch; the mark with its number.

        This and the next three raise ``UserError`` for a run that goes on, a number that is no mark's, and a label or
        time that can't be.
        """
        return self.put_back_mark(run_id, new_mark(label, at_seconds, is_fault=is_fault))

    def put_back_mark(self, run_id: str, mark: RunEvent) -> RunEvent:
        """Undo the removal of a mark; it has its number again, unless that was given to another one meanwhile."""
        with write_transaction(self._engine) as connection:
            return marks.insert_mark(connection, run_id, mark)

    def change_mark(
        self, run_id: str, number: int, *, label: str | None = None, at_seconds: float | None = None
    ) -> RunEvent:
        """Rename a mark or move it; the mark as it is now."""
        with write_transaction(self._engine) as connection:
            return marks.change_mark(connection, run_id, number, label=label, at_seconds=at_seconds)

    def remove_mark(self, run_id: str, number: int) -> RunEvent:
        """Take a mark out of a run; the mark as it was, for ``put_back_mark``."""
        with write_transaction(self._engine) as connection:
            return marks.remove_mark(connection, run_id, number)

    def delete(self, run_id: str) -> None:
        """Put a run into the bin, where ``bin.restore`` finds it; raises ``UserError`` for one in progress."""
        with write_transaction(self._engine) as connection:
            changing.mark_deleted(connection, run_id)

    def _set(self, run_id: str, **values: Any) -> None:
        with write_transaction(self._engine) as connection:
            changing.set_columns(connection, reading.key_of(connection, run_id), **values)

    def _blocks(
        self, run_id: str, read: Callable[[Connection, int, ClientHour], _Block], *, in_time: bool = False
    ) -> Iterator[_Block]:
        from engine.library.stored_samples import stored_hours

        with read_transaction(self._engine) as connection:
            hours = stored_hours(connection, reading.key_of(connection, run_id))
        if in_time:
            hours.sort(key=lambda hour: hour.number)
        return self._read_each(run_id, read, hours)

    def _read_each(
        self, run_id: str, read: Callable[[Connection, int, ClientHour], _Block], hours: Iterable[ClientHour]
    ) -> Iterator[_Block]:
        for hour in hours:
            with read_transaction(self._engine) as connection:
                block = read(connection, reading.key_of(connection, run_id), hour)
            yield block

    def _pack(self, key: int, watch: Watch) -> None:
        from engine.library.stored_samples import pack, unpacked_hours

        with read_transaction(self._engine) as connection:
            hours = unpacked_hours(connection, key)
        for hour in watch.over(hours, len(hours)):
            with write_transaction(self._engine) as connection:
                pack(connection, key, hour)


def _numbered(events: Iterable[RunEvent]) -> list[RunEvent]:
    """The events, those without a number with the next free ones."""
    given = list(events)
    taken = {event.number for event in given}
    free = (number for number in itertools.count(1) if number not in taken)
    return [event if event.number else replace(event, number=next(free)) for event in given]
