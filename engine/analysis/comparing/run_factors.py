"""The factors in which compared runs differ and which influence their figures: load, store, length, database.

Pure; called by the library's compare page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.figure_text import UNKNOWN, capitalised, duration, planned_length, shortest, whole, with_unit
from engine.lab.shapes import LabShape
from engine.plan.pace import uses_think_time
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.subject import Subject
from engine.target.target import EMBEDDED
from engine.workload.registry import find_workload

_SAME_LENGTH = 0.01
"""Runs whose measured times differ by no more than this share count as equally long."""


@dataclass(frozen=True, kw_only=True)
class Factor:
    """Something that differs between runs, with its value in each of them, in their order; ``–`` is unknown."""

    name: str
    texts: tuple[str, ...]


def differing_factors(records: Sequence[RunRecord], faults: Sequence[int]) -> list[Factor]:
    """The factors in which the runs differ; ``faults`` is the number of faults of each. Unknown values do not count as
    different."""
    found = [
        Factor(name=name, texts=tuple(UNKNOWN if text is None else text for text in texts))
        for name, read in _FACTORS.items()
        if len(set(texts := [read(record) for record in records]) - {None}) > 1
    ]
    if not same_length([_measured_seconds(record) for record in records]):
        found.append(Factor(name="measured time", texts=tuple(duration(_measured_seconds(each)) for each in records)))
    if len({count > 0 for count in faults}) > 1:
        found.append(Factor(name="faults", texts=tuple(whole(count) if count else "none" for count in faults)))
    return found


def factors_sentence(factors: Sequence[Factor]) -> str:
    """The differing factors in one sentence; empty when there are none."""
    each = "; ".join(f"{factor.name} ({' / '.join(factor.texts)})" for factor in factors)
    return f"The runs differ in {each}." if factors else ""


def same_length(seconds: Sequence[float | None]) -> bool:
    """Whether measured times are about equal; unknown ones count as equal."""
    known = [each for each in seconds if each is not None]
    return not known or max(known) - min(known) <= _SAME_LENGTH * max(known)


def _measured_seconds(record: RunRecord) -> float | None:
    return (record.totals or NO_TOTALS).measured_seconds


def _products(record: RunRecord, subject: Subject) -> str | None:
    """What was under test, of a run on such a subject."""
    if find_workload(record.plan.workload).subject is not subject:
        return None
    names = dict.fromkeys(str(server.get("product") or "") for server in _servers(record))
    return ", ".join(filter(None, names)) or None


def _lab(record: RunRecord) -> str | None:
    """How many embedded servers there were, and how they replicated."""
    shapes = dict.fromkeys(LabShape.of(each).in_words() for each in record.plan.targets if each.kind == EMBEDDED)
    return ", ".join(shapes) or None


def _size(record: RunRecord) -> str | None:
    sizes = dict.fromkeys(str((server.get("store") or {}).get("size") or "") for server in _servers(record))
    built = ", ".join(filter(None, sizes))
    return built or (None if record.plan.scale is None else str(record.plan.scale))


def _freshness(record: RunRecord) -> str | None:
    """Whether the stores were as built when the run began."""
    counts = [(server.get("store") or {}).get("orders_beyond") for server in _servers(record)]
    known = [count for count in counts if count is not None]
    if not known:
        return None
    return "not reset" if any(known) else "as built"


def _mix(record: RunRecord) -> str:
    return find_workload(record.plan.workload).in_words(record.plan.parameters)


def _each(who: str, plan: RunPlan) -> str | None:
    return whole(plan.threads) if find_workload(plan.workload).wording.who[1] == who else None


def _think_time(record: RunRecord) -> str | None:
    return with_unit(shortest(record.plan.think_time_ms), "ms") if uses_think_time(record.plan) else None


def _servers(record: RunRecord) -> Sequence[dict[str, Any]]:
    servers: Sequence[dict[str, Any]] = record.environment.get("servers") or ()
    return servers


_FACTORS: dict[str, Callable[[RunRecord], str | None]] = {
    "how they ended": lambda record: record.state.value,
    "database": lambda record: _products(record, Subject.DATABASE),
    "mail server": lambda record: _products(record, Subject.MAIL),
    "program": lambda record: _products(record, Subject.STORAGE),
    "embedded servers": _lab,
    "clients": lambda record: whole(len(record.client_labels)),
    "users of each client": lambda record: _each("users", record.plan),
    "threads of each client": lambda record: _each("threads", record.plan),
    "think time": _think_time,
    "store size": _size,
    "stores at the start": _freshness,
    "workload": lambda record: find_workload(record.plan.workload).title,
    "workload mix": _mix,
    "warm-up": lambda record: planned_length(record.plan.warmup_seconds),
}


def factor_lines(factors: Sequence[Factor], names: Sequence[str]) -> list[str]:
    """Each factor in a line that names the runs with each value."""
    return [
        f"{capitalised(factor.name)}: "
        + ", ".join(f"{text} ({name})" for text, name in zip(factor.texts, names, strict=False))
        for factor in factors
    ]
