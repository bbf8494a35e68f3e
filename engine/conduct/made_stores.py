"""The stores that runs write for themselves and remove again: the files of storage runs.

Each is noted beside the library before it is written. So the next start of the program removes what a program that was
killed has left, or says where it is.
"""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

from engine.databases.database import USUAL_TIMEOUTS, Store, StoreState
from engine.errors import BadInput, TargetError, UserError
from engine.figure_text import capitalised
from engine.files.atomic import atomic_file
from engine.library.owner import Owner, this_process
from engine.target.kinds import kind_facts
from engine.target.target import Target
from engine.workloads.bindings import store_of
from engine.workloads.systems import system_of

_FOLDER = "made-stores"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Note:
    """A store that a run writes: its target and scale, by which process, and when it was written (empty before)."""

    url: str
    workload: str
    scale: str
    pid: int
    created: float
    as_built_at: str = ""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Raises ``OSError``, ``ValueError`` or ``TypeError``."""
        plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(**plain)

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            file.write(json.dumps(asdict(self)).encode())

    @property
    def title(self) -> str:
        target, _ = Target.parse(self.url)
        machine = target.storage.machine
        where = f" on machine {machine}" if machine else ""
        return f"{kind_facts(target.kind).subject.holder} {target.database}{where} ({self.scale})"

    def is_of(self, state: StoreState) -> bool:
        """Whether a store is the one of the note, and not one that was built since."""
        return not state.complete if not self.as_built_at else state.as_built_at == self.as_built_at


class MadeStores:
    """The stores that the runs of a process have written because they were missing, until ``remove``.

    Only kinds whose facts say so (``removes_made``) are remembered. ``library`` is the path of the runs' library.
    """

    def __init__(self, library: Path, notify: Callable[[str], None]) -> None:
        self._folder = library.parent / _FOLDER
        self._notify = notify
        self._made: dict[Path, tuple[_Note, Store]] = {}

    def begin(self, planned: Target, workload: str, scale: str, store: Store) -> None:
        """A run is about to write a store. Raises ``UserError`` when that can't be noted."""
        if not kind_facts(planned.kind).removes_made:
            return
        owner = this_process()
        note = _Note(url=planned.url, workload=workload, scale=scale, pid=owner.pid, created=owner.created)
        path = self._folder / f"{uuid4().hex}.json"
        note.write(path)
        self._made[path] = note, store
        self._notify(f"{capitalised(note.title)} is written for this run and removed at its end.")

    def complete(self, planned: Target, state: StoreState) -> None:
        """The store was written."""
        for path, (note, store) in self._made.items():
            if note.url == planned.url and not note.as_built_at:
                self._made[path] = replace(note, as_built_at=state.as_built_at), store
                self._made[path][0].write(path)
                return

    def __contains__(self, planned: Target) -> bool:
        return any(note.url == planned.url for note, _ in self._made.values())

    def remove(self) -> None:
        """Remove all of them. What can't be removed is reported, and tried again when the program starts next."""
        for path, (note, store) in list(self._made.items()):
            del self._made[path]
            try:
                _remove(note, store)
            except (UserError, TargetError) as error:
                self._notify(f"{capitalised(note.title)}, written for the run, is still there ({error.cause}).")
            else:
                path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def remove_left_stores(library: Path) -> list[str]:
    """Remove what processes that were killed have left on this machine; returns a sentence on each store.

    What is on another machine is only named: reaching it may take long, and may ask for something.
    """
    return [sentence for path in (library.parent / _FOLDER).glob("*.json") for sentence in _settled(path)]


def _settled(path: Path) -> Iterator[str]:
    try:
        note = _Note.read(path)
        if Owner(note.pid, note.created).is_alive():
            return
        target, _ = Target.parse(note.url)
    except (OSError, ValueError, TypeError, BadInput):
        _log.exception("the note %s can't be read", path)
        return
    if target.storage.machine:
        yield f"{note.title} was left by a run whose program was killed, and is still there; drop it."
    else:
        store = system_of(target.kind).store(target, None, USUAL_TIMEOUTS, store_of(note.workload, target.kind))
        try:
            if _remove(note, store):
                yield f"{note.title}, left by a run whose program was killed, was removed."
        except (UserError, TargetError) as error:
            yield f"{note.title}, left by a run whose program was killed, can't be removed ({error.cause})."
            return
    with suppress(OSError):
        path.unlink()


def _remove(note: _Note, store: Store) -> bool:
    """Remove a store if it is still the one that was noted; returns whether it was."""
    state = store.state()
    if state is None or not note.is_of(state):
        return False
    store.drop()
    return True
