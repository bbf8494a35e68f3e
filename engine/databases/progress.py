"""How long work on a store reports its progress, and is cancelled."""

from collections.abc import Callable
from dataclasses import dataclass

IsCancelled = Callable[[], bool]
ReportProgress = Callable[["Progress"], None]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of long work: what is being done now, and the share of the whole that is done (0 to 1)."""

    doing: str
    share: float
