"""The paths of ledgers: a folder for each run beside the library, with a file for each client.

Called where runs are started, audited, measured and purged, and where a library is opened.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.audit.ledger import HEADER, RECORD
from engine.files.disk_space import found_spares, label_of_spare, spare_name

_FOLDER = "ledgers"


def ledger_path(library: Path, run_id: str, client: int) -> Path:
    """The ledger of one client of a run, beside the library's file; the folder is made with the run's first ledger."""
    return _folder(library, run_id) / f"client-{client}.ledger"


def ledger_bytes(library: Path, run_id: str) -> int:
    """What a run's ledgers take on the disk; 0 when it has none."""
    return sum(path.stat().st_size for path in _ledgers(library, run_id))


def remove_ledgers(library: Path, run_id: str) -> None:
    """Remove a run's ledgers and nothing else; what can't be removed stays, since the run itself is gone already."""
    with suppress(OSError):
        for path in (*_ledgers(library, run_id), *found_spares(spare_name(library.parent, f"{run_id}-client-*.rest"))):
            path.unlink()
        _folder(library, run_id).rmdir()


def join_overflows(library: Path) -> None:
    """Append overflow files (``engine.audit.ledger_overflow``) to their ledgers; those without room yet stay."""
    for rest in found_spares(spare_name(library.parent, "*-client-*.rest")):
        run_id, _, client = label_of_spare(rest).rpartition("-client-")
        with suppress(OSError):
            ledger = _folder(library, run_id) / f"client-{client}.ledger"
            ledger.parent.mkdir(parents=True, exist_ok=True)
            _append(ledger, rest.read_bytes(), HEADER.size + len(run_id.encode()))
            rest.unlink()


def _append(ledger: Path, rest: bytes, header_bytes: int) -> None:
    """Put records behind the last whole one. Raises ``OSError``; then the ledger is as it was."""
    with os.fdopen(os.open(ledger, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        is_begun = size >= header_bytes
        end = size - (size - header_bytes) % RECORD.size if is_begun else 0
        try:
            file.seek(end)
            file.write(rest[header_bytes:] if is_begun else rest)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise


def _folder(library: Path, run_id: str) -> Path:
    return library.parent / _FOLDER / run_id


def _ledgers(library: Path, run_id: str) -> Iterator[Path]:
    return _folder(library, run_id).glob("client-*.ledger")
