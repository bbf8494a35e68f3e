"""Opens a stored run as one value, for the window, the terminal and reports.

``on_progress`` gets what is being done and the share that is done (0 to 1), ``cancelled`` is called now and then.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from engine.analysis.headline import headline_of
from engine.analysis.latency.second_percentiles import second_times
from engine.analysis.latency.series import SecondTimes
from engine.analysis.recovery.times import BlockHistograms, Span
from engine.analysis.run_data import RunData
from engine.analysis.workstation_use import measured_use
from engine.errors import Cancelled
from engine.library.hours import HOUR_SECONDS
from engine.plan.clients import ClientPlan
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.analysis.series.blocks import HistogramBlock
    from engine.library.library import Library

OnProgress = Callable[[str, float], None]
IsCancelled = Callable[[], bool]
_READING, _TIMES = "Reading the run", "Reading response times"


def open_run(
    library: "Library", run_id: str, *, on_progress: OnProgress, cancelled: IsCancelled
) -> tuple[RunRecord, RunData]:
    """A stored run, ready to be shown, except the response times by second. Of a mixed run it is the first load; the
    others are opened by their ids, see ``RunRecord.loads``.

    Raises ``RunNotFound`` when it was deleted, also meanwhile; ``UserError`` and ``Cancelled``.
    """
    record = library.run(run_id).of_load(0)
    run_id = record.run_id
    series = library.series(run_id, on_progress=lambda share: on_progress(_READING, share), cancelled=cancelled)
    run = RunData(record.plan, run_id=record.run_id, name=record.name, series=series)
    run.clients = clients_of(record)
    run.started_at = record.started_at
    run.totals, run.is_imported = record.totals, record.origin.is_imported
    for event in library.events(run_id):
        run.put_event(event)
    for probe in library.probes(run_id):
        run.add_probe(probe)
    for error in library.errors_by_second(run_id):
        run.errors.add(error.client, error.second, {error.error_class: error.count})
    run.set_state(record.state, record.phases)
    run.workstation_use = measured_use(library.workstation_loads(run_id), record.phases)
    if cancelled():
        raise Cancelled
    return record, run


def clients_of(record: RunRecord) -> tuple[ClientPlan, ...]:
    """The clients that the run has samples of: those of its plan, or in an imported run those that its log
    distinguishes."""
    planned = record.plan.client_plans()
    if tuple(client.label for client in planned) == record.client_labels:
        return planned
    targets = [client.target for client in planned]
    known = targets if len(targets) == len(record.client_labels) else [targets[0]] * len(record.client_labels)
    return tuple(
        ClientPlan(number=number, label=label, target=target)
        for number, (label, target) in enumerate(zip(record.client_labels, known, strict=True), start=1)
    )


def percentile_blocks(
    library: "Library", run_id: str, *, on_progress: OnProgress, cancelled: IsCancelled
) -> Iterator[SecondTimes]:
    """The p95 and p99 of every second, an hour at a time: for ``LatencySeries.put``.

    Raises ``UserError`` and ``Cancelled``.
    """
    record = library.run(run_id).of_load(0)
    run_id = record.run_id
    hours, others = _hours(record), {each.id for each in headline_of(record.plan.workload).others}
    read = library.all_histogram_blocks if others else library.histogram_blocks
    for hour, blocks in groupby(read(run_id), key=_hour_of):
        if cancelled():
            raise Cancelled
        of_hour = list(blocks)
        end = 1 + max(int(block.seconds[-1]) for block in of_hour)
        yield second_times(of_hour, hour * HOUR_SECONDS, end, others=others)
        on_progress(_TIMES, min(1.0, (hour + 1) / hours))


def recovery_histograms(
    library: "Library", run_id: str, spans: Iterable[Span], *, cancelled: IsCancelled
) -> BlockHistograms:
    """The response times of spans of seconds, as ``times_spans`` returns them for the run's faults.

    Raises ``UserError`` and ``Cancelled``.
    """

    opened = library.run(run_id).of_load(0).run_id

    def blocks() -> "Iterator[HistogramBlock]":
        for block in library.histogram_blocks(opened):
            if cancelled():
                raise Cancelled
            yield block

    return BlockHistograms(blocks(), spans)


def _hours(record: RunRecord) -> int:
    """The number of hours for which the run may have samples, according to its record."""
    seconds = 0.0 if record.ended_at is None else (record.ended_at - record.started_at).total_seconds()
    return max(1, math.ceil(seconds / HOUR_SECONDS))


def _hour_of(block: "HistogramBlock") -> int:
    return int(block.seconds[0]) // HOUR_SECONDS
