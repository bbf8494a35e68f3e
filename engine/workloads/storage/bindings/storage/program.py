"""The program that makes the load of a client of the storage workload."""

from collections.abc import Mapping
from typing import Any

from engine.databases.program import LoadProgram
from engine.services.storage.access import Access
from engine.services.storage.fio.engines import engine_for
from engine.services.storage.fio.program import FioProgram
from engine.services.storage.system import place_of
from engine.target.target import Target
from engine.workloads.storage.transactions import IO
from engine.workloads.storage.workload import ANY_ENGINE


def program(target: Target, values: Mapping[str, Any], threads: int, seed: int) -> LoadProgram:
    """fio on the target's file, by the workload's values. Raises ``UserError``."""
    access = access_of(target, values, threads, seed)
    place = place_of(target)
    return FioProgram(place, access, engine=engine_for(place, access), both=IO)


def access_of(target: Target, values: Mapping[str, Any], threads: int, seed: int) -> Access:
    """What the values of the workload ask for."""
    engine = values["engine"]
    return Access(
        path=target.database,
        file_mb=values["file_size"].mb,
        threads=threads,
        queue_depth=values["queue_depth"],
        block_kb=values["block_kb"],
        read_pct=values["read_pct"],
        pattern=values["pattern"],
        cached=values["file_cache"],
        synced=values["synced_writes"],
        engine="" if engine == ANY_ENGINE else engine,
        seed=1 + seed,
    )
