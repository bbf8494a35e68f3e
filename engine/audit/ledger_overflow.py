"""The overflow file of a client's ledger: records that did not fit because the disk was full, stored elsewhere.

The client writes it when it ends, the audit reads it together with the ledger, and it is appended to the ledger when
the library is opened and there is room again (``engine.audit.ledger_files``). Like a ledger it has a header followed by
complete records.
"""

import os
from pathlib import Path

from engine.files.disk_space import found_spares, open_new, spare_name, spare_paths


def write_overflow(ledger: Path, content: bytes | bytearray) -> Path | None:
    """Write records of a ledger to a place with room; ``None`` if there is none."""
    for path in spare_paths(overflow_name(ledger)):
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


def overflow_of(ledger: Path) -> Path | None:
    """The overflow file of a ledger; ``None`` if there is none."""
    return next(iter(found_spares(overflow_name(ledger))), None)


def overflow_name(ledger: Path) -> str:
    """The name of the overflow file of ``<home>/ledgers/<run>/client-N.ledger``."""
    return spare_name(ledger.parents[2], f"{ledger.parent.name}-{ledger.stem}.rest")
