"""The file that is measured, as a store: written in full, verified, and removed.

Another file beside it, ``PATH.spindle.json``, records its intended size, its seed, and whether it was written to its
end. What runs write into the file does not affect later runs, so a reset has nothing to do.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

from engine.databases.database import BuildReport, ServerInfo, StoreState
from engine.databases.definition import Check
from engine.databases.lease import NO_LEASE, HeldLease, OpenLease
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.replacing import Replacement
from engine.errors import Remedy, RemedyKind, UserError
from engine.figure_text import counted
from engine.secrets import Secret
from engine.services.storage.access import SEQUENTIAL, Access
from engine.services.storage.checks import THIN, FileFacts, check_place, check_room, facts_of, remarks_on
from engine.services.storage.fio.command import fill_arguments
from engine.services.storage.fio.engines import engine_for, fio_version
from engine.services.storage.fio.output import WRITE
from engine.services.storage.fio.until_end import statuses_until_end
from engine.services.storage.place import Place
from engine.target.store_layout import StoreLayout
from engine.target.target import Target

_MB = 1024 * 1024
_BESIDE = ".spindle.json"
_FULL = 0.99
"""The share of a file that has to be allocated; not all, since file systems count some blocks differently."""


@dataclass(frozen=True)
class StorageDefinition:
    """The definition of a workload's store on storage, which is a file; ``workload`` is the workload's id."""

    workload: str


class FileStore:
    """Implements ``engine.databases.database.Store`` for the file of a target. A scale is its size, as ``51200MB``."""

    def __init__(self, target: Target, place: Place, definition: StorageDefinition) -> None:
        self._target = target
        self._path = target.database
        self._place = place
        self._definition = definition

    def server(self) -> ServerInfo:
        began = time.monotonic()
        facts = self._checked()
        version = fio_version(self._place)
        engine = engine_for(self._place, Access(path=self._path, file_mb=1))
        settings = {"file system": facts.filesystem or "unknown", "disk": facts.disk or "unknown", "I/O engine": engine}
        return ServerInfo(
            product="fio",
            version=version,
            host=self._place.name,
            writable=True,
            settings=settings,
            connect_ms=round(1000 * (time.monotonic() - began), 1),
            warnings=remarks_on(facts),
        )

    def state(self) -> StoreState | None:
        facts, written = facts_of(self._place, self._path), self._written()
        if written is None or not self._is_there(facts):
            return None
        return StoreState(
            workload=self._definition.workload,
            scale=f"{written['file_mb']}MB",
            seed=written["seed"],
            complete=written["complete"] and (facts.is_device or facts.size_bytes == written["file_mb"] * _MB),
            as_built_at=written.get("written_at", ""),
        )

    def replacement(self, scale: str) -> Replacement | None:
        state = self.state()
        if state is None or not state.complete:
            return None
        return Replacement(scale=state.scale, host=self._place.name, obstacle="the file is written anew in its place")

    def build(
        self,
        scale: str,
        seed: int,
        *,
        replace: bool,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
        layout: StoreLayout | None = None,
        delete_first: bool = False,
        lease: HeldLease = NO_LEASE,
    ) -> BuildReport:
        """Write the file in full with incompressible data; a cancelled build removes it."""
        file_mb = int(scale.removesuffix("MB"))
        if layout is not None:
            raise UserError("a file has no layout of a database's files; leave it out.")
        facts, state = self._checked(), self.state()
        if state is not None and state.complete and not replace:
            raise UserError(
                f"{self._path} on {self._place.name} is there already ({state.scale})",
                remedy=Remedy(kind=RemedyKind.REPLACE_FILE),
            )
        if state is None and self._is_there(facts) and not facts.is_device:
            raise UserError(
                f"{self._path} on {self._place.name} is a file that Spindle did not write; give another path, or"
                " remove it."
            )
        fio_version(self._place)  # raises where there is none, with how to get it
        check_room(facts, self._place, self._path, file_mb)
        began = time.monotonic()
        self._note(file_mb, seed, complete=False)
        try:
            self._fill(file_mb, seed, report_progress, cancelled)
        except BaseException:
            self._remove(facts)
            raise
        self._note(file_mb, seed, complete=True)
        seconds = time.monotonic() - began
        return BuildReport(
            rows={}, bytes_streamed=file_mb * _MB, load_seconds=seconds, index_seconds=0.0, notes=(THIN,)
        )

    def _fill(self, file_mb: int, seed: int, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        access = Access(
            path=self._path, file_mb=file_mb, queue_depth=8, block_kb=1024, read_pct=0, pattern=SEQUENTIAL, seed=seed
        )
        words = fill_arguments(access, engine=engine_for(self._place, access))
        failed = f"{self._path} on {self._place.name} could not be written"
        for status in statuses_until_end(self._place, words, failed, cancelled):
            share = min(1.0, status.done[WRITE].ios / file_mb)
            report_progress(Progress(doing=f"writing {self._path}", share=share))

    def verify(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> list[Check]:
        facts, written = self._checked(), self._written()
        if written is None:
            raise UserError(f"{self._path} on {self._place.name} was not written by Spindle; build it first.")
        size = written["file_mb"] * _MB
        found = 0 if facts.size_bytes is None else facts.size_bytes
        allocated = facts.allocated_bytes >= _FULL * size
        return [
            Check(what="written to its end", expected="yes", found=_yes(written["complete"]), ok=written["complete"]),
            Check(
                what="size of the file", expected=counted(size, "byte"), found=counted(found, "byte"), ok=found == size
            ),
            Check(
                what="blocks that the file system has allocated",
                expected=f"at least {_FULL:.0%} of the size",
                found=counted(facts.allocated_bytes, "byte"),
                ok=allocated,
            ),
        ]

    def reset(self, *, report_progress: ReportProgress, cancelled: IsCancelled) -> None:
        state = self.state()
        if state is None or not state.complete:
            raise UserError(f"{self._path} on {self._place.name} is not a complete file of Spindle; build it first.")

    def drop(self, *, lease: HeldLease = NO_LEASE) -> str:
        if self._written() is None:
            raise UserError(f"{self._path} on {self._place.name} is no file of Spindle; there is nothing to drop.")
        self._remove(facts_of(self._place, self._path))
        return f"{self._path} on {self._place.name}"

    def open_lease(self) -> OpenLease | None:
        return None

    def load_account(self) -> tuple[str, Secret] | None:
        return None

    def _checked(self) -> FileFacts:
        facts = facts_of(self._place, self._path)
        check_place(facts, self._place, self._path, device=self._target.storage.device)
        return facts

    @staticmethod
    def _is_there(facts: FileFacts) -> bool:
        return facts.is_device or facts.size_bytes is not None

    def _written(self) -> dict[str, Any] | None:
        """The content of the record beside the file; ``None`` if it can't be read."""
        said = self._place.run(["cat", "--", self._path + _BESIDE])
        if said.code:
            return None
        try:
            written: dict[str, Any] = json.loads(said.output)
            return written if {"file_mb", "seed", "complete"} <= written.keys() else None
        except (ValueError, AttributeError):
            return None

    def _note(self, file_mb: int, seed: int, *, complete: bool) -> None:
        written_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = json.dumps({"file_mb": file_mb, "seed": seed, "complete": complete, "written_at": written_at})
        said = self._place.run(["sh", "-c", 'cat > "$1"', "sh", self._path + _BESIDE], text=text)
        if said.code:
            raise UserError(f"{self._path}{_BESIDE} can't be written ({said.errors.strip()}); give another folder.")

    def _remove(self, facts: FileFacts) -> None:
        """Remove what Spindle wrote; a device keeps its data."""
        files = [self._path + _BESIDE] if facts.is_device else [self._path, self._path + _BESIDE]
        self._place.run(["rm", "-f", "--", *files])


def _yes(value: object) -> str:
    return "yes" if value else "no"
