"""The items of a run that are not written to the library yet, in a bounded amount of memory.

Batches are written in the order in which they were added. The writer tries the oldest batch; batches that wait behind
it for long are packed, which takes a twentieth of the memory. Beyond ``MOST_BYTES``, which is about two days of 24
clients on a disk that stays full, the oldest samples are dropped, so that the samples of the run's end are kept.
The load of the workstation and the readings of machines are dropped with them; events, probe samples and changes of the
run's state never are.

Used by one thread at a time.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.library.host_readings import PackedReading
from engine.library.hours import ClientHour, hour_of
from engine.library.probe_spans import Span
from engine.library.run_items import Item
from engine.telemetry.host import CollectorStatus
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import MachineLoad, ProcessSummary, SaturationRecord, WorkstationLoad

MOST_BYTES = 256_000_000
_ITEMS_OF_BATCH = 5_000
_RAW_BYTES = 1_500  # of a sample with its histograms, more or less
_SPAN_BYTES = 500


@dataclass
class _Batch:
    """Items as they were added, or packed: samples by client and hour, and equal seconds of the probes as one span."""

    items: list[Item] = field(default_factory=list)
    packed: list[tuple[int, Mapping[str, Any]]] | None = None
    spans: list[Span] = field(default_factory=list)
    samples: int = 0

    @property
    def bytes(self) -> int:
        packed = sum(len(each or b"") for _, values in self.packed or () for each in _blobs(values))
        return packed + _RAW_BYTES * len(self.items) + _SPAN_BYTES * len(self.spans)


class Backlog:
    """``lost`` is how many samples were dropped."""

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self.lost = 0
        self._most_bytes = most_bytes
        self._batches: deque[_Batch] = deque()
        self._packed_bytes = 0

    def __bool__(self) -> bool:
        return bool(self._batches)

    def add(self, items: Sequence[Item]) -> None:
        """Append items."""
        if not items:
            return
        if len(self._batches) < 2 or self._batches[-1].packed is not None:
            self._batches.append(_Batch())
        last = self._batches[-1]
        last.items += items
        if len(last.items) >= _ITEMS_OF_BATCH and len(self._batches) > 1:
            self._pack(last)

    def first(self) -> list[Item]:
        """The oldest batch; it stays until ``drop_first`` or ``split_first``."""
        batch = self._batches[0]
        if batch.packed is not None:
            self._packed_bytes -= batch.bytes
            self._batches[0] = batch = _Batch(items=list(_unpacked(batch)))
        return batch.items

    def drop_first(self) -> None:
        """Remove the oldest batch, which was written."""
        self._batches.popleft()

    def split_first(self) -> None:
        """Split the oldest batch into batches of one item."""
        self._batches.extendleft(_Batch(items=[item]) for item in reversed(self._batches.popleft().items))

    def all(self) -> Iterator[list[Item]]:
        """All batches, the oldest first, without removing them."""
        for batch in tuple(self._batches):
            yield batch.items if batch.packed is None else list(_unpacked(batch))

    def _pack(self, batch: _Batch) -> None:
        from engine.analysis.series.blocks import block_of  # numpy with it
        from engine.library.packing import block_values

        by_hour: dict[ClientHour, dict[int, Sample]] = {}
        for item in batch.items:
            if isinstance(item, Sample):
                by_hour.setdefault(hour_of(item.client, item.second), {})[item.second] = item
        batch.packed = [
            (hour.client, block_values(block_of([by_second[second] for second in sorted(by_second)])))
            for hour, by_second in by_hour.items()
        ]
        batch.spans = list(_joined(item for item in batch.items if isinstance(item, ProbeSample)))
        batch.items = _newest(item for item in batch.items if not isinstance(item, Sample | ProbeSample))
        batch.samples = sum(map(len, by_hour.values()))
        self._packed_bytes += batch.bytes
        for oldest in self._batches:
            if self._packed_bytes <= self._most_bytes:
                break
            self._drop_samples(oldest)

    def _drop_samples(self, batch: _Batch) -> None:
        if batch.packed:
            before = batch.bytes
            self.lost += batch.samples
            batch.packed, batch.samples = [], 0
            batch.items = [
                item for item in batch.items if not isinstance(item, WorkstationLoad | MachineLoad | PackedReading)
            ]
            self._packed_bytes -= before - batch.bytes


def _unpacked(batch: _Batch) -> Iterator[Item]:
    from engine.analysis.series.blocks import samples_of
    from engine.library.packing import block_from

    yield from batch.items
    for client, values in batch.packed or ():
        yield from samples_of(block_from(client, values))
    for span in batch.spans:
        yield from span.samples()


def _newest(items: Iterable[Item]) -> list[Item]:
    """The items without saturation intervals, summaries of processes and states of collectors of which newer ones
    follow."""
    kept: dict[object, Item] = {}
    for item in items:
        match item:
            case SaturationRecord():
                kept[SaturationRecord, item.number] = item
            case ProcessSummary():
                kept[ProcessSummary, item.process] = item
            case CollectorStatus():
                kept[CollectorStatus, item.number] = item
            case _:
                kept[id(item)] = item
    return list(kept.values())


def _joined(probes: Iterable[ProbeSample]) -> Iterator[Span]:
    """The probe samples of each store as spans of equal seconds."""
    by_store: dict[int, list[Span]] = {}
    for sample in probes:
        spans = by_store.setdefault(sample.store, [])
        if spans and spans[-1].is_followed_by(sample):
            spans[-1] = Span(spans[-1].first, spans[-1].seconds + 1)
        else:
            spans.append(Span(sample))
    for spans in by_store.values():
        yield from spans


def _blobs(values: Mapping[str, Any]) -> Iterator[Any]:
    for value in values.values():
        if isinstance(value, bytes | str):
            yield value
