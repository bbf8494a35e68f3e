"""A deleted run as one line of a list."""

from dataclasses import dataclass
from datetime import datetime

from engine.report.run_listing import RunListing


@dataclass(frozen=True, kw_only=True)
class BinListing:
    """``stored_bytes`` is about what the run takes of the disk until it is removed for good."""

    run: RunListing
    deleted_at: datetime
    stored_bytes: int
