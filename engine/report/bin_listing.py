"""A deleted run as a row of the bin's table."""

from dataclasses import dataclass
from datetime import datetime

from engine.report.run_listing import RunListing


@dataclass(frozen=True, kw_only=True)
class BinListing:
    """``stored_bytes`` is about the disk space that the run takes until it is removed from the bin."""

    run: RunListing
    deleted_at: datetime
    stored_bytes: int
