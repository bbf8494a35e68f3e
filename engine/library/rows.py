"""Converts plain types to rows of the tables and back, for this package."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter
from struct import Struct
from typing import Any

from sqlalchemy import RowMapping

from engine.plan.plan import RunPlan
from engine.record.record import Origin, Phases, RunRecord, RunState
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import COUNTS, Count, Sample

_in_order = attrgetter("client", "second", *COUNTS)
_PLANS = 512
_COUNT = Struct("<qqqi")


class LazyJson(Mapping[str, Any]):
    """A stored JSON object that is parsed at the first access, as a list of thousands of runs shows few of them.

    It equals any mapping with the same items.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._parsed[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parsed)

    def __len__(self) -> int:
        return len(self._parsed)

    def __repr__(self) -> str:
        return repr(self._parsed)

    @cached_property
    def _parsed(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self._text)
        return parsed


@lru_cache(maxsize=_PLANS)
def stored_plan(text: str) -> RunPlan:
    """A plan from its JSON; runs with the same JSON share one object. Raises ``BadInput`` for a plan that this version
    can't read."""
    return RunPlan.from_dict(json.loads(text))


def run_row(record: RunRecord) -> dict[str, Any]:
    """The columns of ``runs`` for a record, without key and owner."""
    return {
        "run_id": record.run_id,
        "origin": record.origin.value,
        "state": record.state.value,
        "name": record.name,
        "note": record.note,
        "plan": record.plan.to_dict(),
        "environment": dict(record.environment),
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        **phases_row(record.phases),
        "totals": None if record.totals is None else totals_to_dict(record.totals),
        "failure": record.failure,
        "audit": None if record.audit is None else dict(record.audit),
    }


def phases_row(phases: Phases) -> dict[str, int | None]:
    return {
        "warming_up_from": phases.warming_up_from,
        "measuring_from": phases.measuring_from,
        "measuring_to": phases.measuring_to,
    }


def client_rows(record: RunRecord, key: int) -> list[dict[str, Any]]:
    """The rows of ``clients``; the targets are the plan's, or empty when the record has other clients than its plan."""
    targets = {plan.number: plan.target.url for plan in record.plan.client_plans()}
    if len(targets) != len(record.client_labels):
        targets = {}
    return [
        {"run_key": key, "number": number, "label": label, "target": targets.get(number, "")}
        for number, label in enumerate(record.client_labels, start=1)
    ]


def record_of(row: RowMapping, labels: Sequence[str], tags: Sequence[str]) -> RunRecord:
    """The record from a row of ``runs`` with plan and environment as texts, and the names of its set, campaign and
    configuration.

    Raises ``BadInput`` for a plan that this version can't read.
    """
    plan = stored_plan(row["plan"])
    return RunRecord(
        run_id=row["run_id"],
        plan=plan,
        client_labels=tuple(labels),
        state=RunState(row["state"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        phases=Phases(
            warming_up_from=row["warming_up_from"],
            measuring_from=row["measuring_from"],
            measuring_to=row["measuring_to"],
        ),
        environment=LazyJson(row["environment"]),
        totals=None if row["totals"] is None else totals_from_dict(plan.workload, row["totals"]),
        failure=row["failure"],
        audit=row["audit"],
        name=row["name"],
        note=row["note"],
        tags=tuple(tags),
        run_set=row["run_set"] or "",
        campaign=row["campaign"] or "",
        configuration=row["configuration"] or "",
        origin=Origin(row["origin"]),
        deleted_at=row["deleted_at"],
    )


def sample_row(sample: Sample, key: int) -> tuple[int | str | bytes | None, ...]:
    """The columns of ``samples`` in the table's order."""
    return (
        key,
        *_in_order(sample),
        packed_transactions(sample.transactions),
        packed_errors(sample.errors),
        sample.overdue,
    )


def packed_errors(errors: Mapping[str, int]) -> str | None:
    """Errors by class as JSON; ``NULL`` for a second without errors, as most are."""
    return json.dumps(dict(errors), separators=(",", ":")) if errors else None


def unpacked_errors(packed: str | None) -> dict[str, int]:
    return {} if packed is None else json.loads(packed)


def packed_transactions(transactions: Mapping[str, Count]) -> bytes:
    """The counts of a second: of each type the id, a zero, the numbers, the length of the histogram, or -1 where it was
    not recorded, and the histogram."""
    return b"".join(
        b"%b\0%b%b"
        % (
            name.encode(),
            _COUNT.pack(*each[:3], -1 if each.histogram is None else len(each.histogram)),
            each.histogram or b"",
        )
        for name, each in transactions.items()
    )


def unpacked_transactions(packed: bytes) -> dict[str, Count]:
    transactions, at = {}, 0
    while at < len(packed):
        end = packed.index(b"\0", at)
        begin = end + 1 + _COUNT.size
        n, sum_us, max_us, length = _COUNT.unpack_from(packed, end + 1)
        after = begin + max(0, length)
        histogram = None if length < 0 else packed[begin:after]
        transactions[packed[at:end].decode()] = Count(n, sum_us, max_us, histogram)
        at = after
    return transactions


def packed_by_name(contents: Mapping[str, bytes]) -> bytes:
    """Contents by their names: of each the name, a zero, the length in 4 bytes, and the content."""
    return b"".join(
        b"%b\0%b%b" % (name.encode(), len(each).to_bytes(4, "little"), each) for name, each in contents.items()
    )


def unpacked_by_name(packed: bytes) -> dict[str, bytes]:
    contents, at = {}, 0
    while at < len(packed):
        end = packed.index(b"\0", at)
        begin = end + 5
        after = begin + int.from_bytes(packed[end + 1 : begin], "little")
        contents[packed[at:end].decode()] = packed[begin:after]
        at = after
    return contents


def event_row(event: RunEvent, key: int) -> dict[str, Any]:
    """A row of ``events``; raises ``ValueError`` for an event without a number, which would replace another one."""
    if not event.number:
        raise ValueError(f"an event without a number can't be kept: {event!r}")
    return {
        "run_key": key,
        "number": event.number,
        "at_seconds": event.at_seconds,
        "kind": event.kind.value,
        "label": event.label,
        "code": event.code.value,
        "data": dict(event.data) or None,
        "client": event.client,
        "detail": event.detail,
        "by_hand": event.by_hand,
        "is_fault": event.is_fault,
    }


def event_of(row: RowMapping) -> RunEvent:
    return RunEvent(
        at_seconds=row["at_seconds"],
        kind=EventKind(row["kind"]),
        label=row["label"],
        code=EventCode(row["code"]),
        data=row["data"] or {},
        client=row["client"],
        detail=row["detail"],
        by_hand=row["by_hand"],
        is_fault=row["is_fault"],
        number=row["number"],
    )
