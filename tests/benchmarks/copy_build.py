"""The yardstick for builds: the same store from ready-made files, by psql's COPY and the same statements after it.

The files hold the rows of a store that Spindle has built, in binary format: in text format the server takes half as
long again. Two tables are copied at a time, as Spindle's loaders do, and the rows come in frozen; then the paragraphs
of the scripts of keys and indexes, references and statistics are worked off, two at a time as well.
"""

import os
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engine.databases.postgresql.scripts import paragraphs
from engine.lab.binaries import client_tool
from engine.secrets import Secret
from engine.target.kinds import POSTGRESQL
from engine.target.target import Target
from engine.workloads.bindings import store_of

_AT_ONCE = 2
_OPTIONS = "-c search_path=public -c maintenance_work_mem=256MB -c client_min_messages=warning"


@dataclass(frozen=True, kw_only=True)
class CopyBuild:
    """What the two parts of a build took, in seconds, and psql's processor time."""

    load_seconds: float
    index_seconds: float
    cpu_seconds: float

    @property
    def seconds(self) -> float:
        return self.load_seconds + self.index_seconds


class Psql:
    """psql on one target."""

    def __init__(self, target: Target, secret: Secret) -> None:
        host = target.hosts[0]
        self._command = [
            str(client_tool("psql")), "-X", "-q", "-v", "ON_ERROR_STOP=1",
            "-h", host.name, "-p", str(host.port), "-U", target.user, "-d", target.database,
        ]  # fmt: skip
        self._environment = {**os.environ, "PGPASSWORD": secret.reveal(), "PGOPTIONS": _OPTIONS}

    def do(self, commands: Sequence[str]) -> None:
        """Execute commands in one session; raises ``CalledProcessError``."""
        text = "\n".join(commands) + "\n"
        subprocess.run(self._command, env=self._environment, input=text, text=True, check=True)


def write_files(target: Target, secret: Secret, folder: Path, workload: str) -> int:
    """Write every table of a store to a file of its own, in COPY's binary format; their size in bytes."""
    psql = Psql(target, secret)
    tables = store_of(workload, POSTGRESQL).load_order
    for table in tables:
        psql.do([f"\\copy {table} TO '{folder / table}' WITH (FORMAT BINARY)"])
    return sum((folder / table).stat().st_size for table in tables)


def build_from_files(target: Target, maintenance: Target, secret: Secret, folder: Path, workload: str) -> CopyBuild:
    """Make the target's database anew and fill it from the files."""
    Psql(maintenance, secret).do(
        [f"DROP DATABASE IF EXISTS {target.database};", f"CREATE DATABASE {target.database} TEMPLATE template0;"]
    )
    psql, store = Psql(target, secret), store_of(workload, POSTGRESQL)
    psql.do([store.script("tables")])
    cpu_before = _cpu_of_ended_children()
    began = time.monotonic()
    with ThreadPoolExecutor(_AT_ONCE) as copying:
        list(copying.map(lambda table: psql.do(_copy(table, folder)), store.load_order))
    loaded = time.monotonic()
    for name in ("indexes", "references", "statistics"):
        with ThreadPoolExecutor(_AT_ONCE) as working:
            work = paragraphs(store.script(name))
            list(working.map(lambda statements: psql.do([f"{each};" for each in statements]), work))
    psql.do([store.script("procedures")])
    return CopyBuild(
        load_seconds=loaded - began,
        index_seconds=time.monotonic() - loaded,
        cpu_seconds=_cpu_of_ended_children() - cpu_before,
    )


def _cpu_of_ended_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _copy(table: str, folder: Path) -> list[str]:
    return [
        "BEGIN;",
        f"TRUNCATE {table};",
        f"\\copy {table} FROM '{folder / table}' WITH (FORMAT BINARY, FREEZE)",
        "COMMIT;",
    ]
