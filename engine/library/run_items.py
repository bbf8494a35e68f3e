"""The items that a run in progress passes to its library, and writing a batch of them: for ``RunWriter`` and
``rescue``."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from engine.library.changing import insert_events, insert_samples, remove_events, set_columns
from engine.library.host_readings import PackedReading, write_host
from engine.library.probe_spans import ProbeSpans, Span
from engine.library.workstation_reports import write_reports
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus
from engine.telemetry.sample import ProbeSample, Sample
from engine.telemetry.workstation import WorkstationReport


@dataclass(frozen=True)
class Removal:
    """The event with this number was removed."""

    number: int


@dataclass(frozen=True)
class Change:
    """New values for columns of the run's row."""

    values: Mapping[str, Any]


Item = (
    Sample
    | ProbeSample
    | WorkstationReport
    | PackedReading
    | CollectorStatus
    | RunEvent
    | Removal
    | Change
    | threading.Event
)
"""A ``threading.Event`` is set by the writer when all that came before it is durable."""


def write_items(connection: Connection, key: int, batch: Sequence[Item], probes: ProbeSpans) -> dict[int, Span]:
    """Write a batch in order; items that exist already are replaced. Returns the spans to pass to ``probes.keep`` after
    the commit."""
    insert_samples(connection, key, (item for item in batch if isinstance(item, Sample)))
    _write_events(connection, key, batch)
    write_reports(connection, key, [item for item in batch if isinstance(item, WorkstationReport)])
    write_host(connection, key, [item for item in batch if isinstance(item, PackedReading | CollectorStatus)])
    spans = probes.write(connection, key, [item for item in batch if isinstance(item, ProbeSample)])
    for item in batch:
        if isinstance(item, Change):
            set_columns(connection, key, **item.values)
    return spans


def _write_events(connection: Connection, key: int, batch: Sequence[Item]) -> None:
    """Write the last state of each event: its newest value, or its removal."""
    last: dict[int, RunEvent | None] = {}
    for item in batch:
        if isinstance(item, RunEvent):
            last[item.number] = item
        elif isinstance(item, Removal):
            last[item.number] = None
    remove_events(connection, key, [number for number, event in last.items() if event is None])
    insert_events(connection, key, [event for event in last.values() if event is not None])
