"""The record of a store: the one row of the table ``spindle_store`` in its database, on every DBMS.

Stores of format 1 are of a time with one workload, the DVD Store. Their record has a column for each count, 0 until the
store is complete, and the scale in ``db_size``.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.databases.database import StoreState
from engine.databases.definition import StoreDefinition
from engine.databases.refusals import newer_format, no_store, other_workload, partly_built
from engine.databases.snapshot import Reader
from engine.target.target import Target
from engine.workload.registry import DVD_STORE

STORE_FORMAT = 2
STORE_TABLE = "spindle_store"
_NO_COUNTS = frozenset({
    "one", "format", "state", "db_size", "seed", "made_database", "built_at", "salt", "backup_file", "notes",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StoreRecord:
    """What a build has noted. ``counts`` is empty until the store has been complete once.

    ``salt`` is what the load account's password is made with, ``backup_file`` the server's backup of the store as
    built, both where the DBMS has it.
    """

    format: int
    workload: str
    scale: str
    seed: int
    state: str
    counts: Mapping[str, int]
    made_database: bool
    salt: bytes
    backup_file: str

    @property
    def is_complete(self) -> bool:
        return self.state == "complete"

    @property
    def forgotten(self) -> str:
        """The assignments that make the record one of a store that was never complete."""
        counts = ["counts = '{}'"] if self.format > 1 else [f"{name} = 0" for name in self.counts]
        return ", ".join(["state = 'building'", *counts])


def record_of(row: Mapping[str, Any], target: Target, workload: str) -> StoreRecord:
    """The record of a row of the table; raises ``UserError`` for a newer format, and for another workload's store."""
    if row["format"] > STORE_FORMAT:
        raise newer_format(row["format"])
    is_first = row["format"] == 1
    found = DVD_STORE if is_first else str(row["workload"])
    if found != workload:
        raise other_workload(target, found, workload)
    salt = row.get("salt") or b""
    return StoreRecord(
        format=int(row["format"]),
        workload=found,
        scale=str(row["db_size" if is_first else "scale"]),
        seed=int(row["seed"]),
        state=str(row["state"]),
        counts=_first_counts(row) if is_first else json.loads(row["counts"]),
        made_database=bool(row["made_database"]),
        salt=bytes.fromhex(salt) if isinstance(salt, str) else bytes(salt),
        backup_file=str(row.get("backup_file") or ""),
    )


def require_complete(record: StoreRecord | None, target: Target) -> StoreRecord:
    """The record of a complete store; raises ``UserError`` if there is none."""
    if record is None:
        raise no_store(target)
    if not record.is_complete:
        raise partly_built(target)
    return record


def state_of(
    record: StoreRecord,
    definition: StoreDefinition,
    reader: Reader,
    identity: Callable[[], Sequence[Any]],
    *,
    is_reset_interrupted: bool = False,
) -> StoreState:
    """The state of a store with a record; ``identity`` reads when a complete one was built, and its high water."""
    state = StoreState(
        workload=record.workload,
        scale=record.scale,
        seed=record.seed,
        complete=record.is_complete,
        is_reset_interrupted=is_reset_interrupted,
        has_backup=bool(record.backup_file),
    )
    if not record.is_complete:
        return state
    as_built_at, high_water = identity()
    beyond = definition.counted_beyond(reader, record.counts)
    return replace(state, beyond=beyond, as_built_at=str(as_built_at), high_water=int(high_water))


def counts_text(counts: Mapping[str, int]) -> str:
    """Counts as they are stored."""
    return json.dumps(dict(counts))


def _first_counts(row: Mapping[str, Any]) -> dict[str, int]:
    counts = {name: int(value or 0) for name, value in row.items() if name not in _NO_COUNTS}
    return counts if all(counts.values()) else {}
