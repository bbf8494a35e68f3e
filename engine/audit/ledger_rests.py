"""What a client's ledger could not take by its end, for its disk is full: in a file where there is room.

The client writes it as it leaves, the audit reads it with the ledger, and it joins the ledger when the library is
opened with room again (``engine.audit.ledger_files``). Like a ledger it begins with a header, and goes on with whole
records.
"""

import os
from pathlib import Path

from engine.disk_space import found_spares, open_new, spare_name, spare_paths


def write_rest(ledger: Path, content: bytes | bytearray) -> Path | None:
    """Write what belongs to a ledger to where there is room; ``None`` is nowhere."""
    for path in spare_paths(rest_name(ledger)):
        try:
            file = open_new(path)
        except OSError:
            continue
        try:
            with os.fdopen(file, "wb") as rest:
                rest.write(content)
        except OSError:
            path.unlink()
        else:
            return path
    return None


def rest_of(ledger: Path) -> Path | None:
    """The file that holds the rest of a ledger; ``None`` when there is none."""
    return next(iter(found_spares(rest_name(ledger))), None)


def rest_name(ledger: Path) -> str:
    """The name of the file for the rest of ``<home>/ledgers/<run>/client-N.ledger``."""
    return spare_name(ledger.parents[2], f"{ledger.parent.name}-{ledger.stem}.rest")
