"""Where the ledgers of runs are: a folder a run beside the library, a file a client. Called by those who start, audit,
measure and purge runs."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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
        for path in _ledgers(library, run_id):
            path.unlink()
        _folder(library, run_id).rmdir()


def _folder(library: Path, run_id: str) -> Path:
    return library.parent / _FOLDER / run_id


def _ledgers(library: Path, run_id: str) -> Iterator[Path]:
    return _folder(library, run_id).glob("client-*.ledger")
