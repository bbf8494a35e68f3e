"""How long work on a store reports its progress, and is cancelled."""

from collections.abc import Callable
from dataclasses import dataclass, replace

IsCancelled = Callable[[], bool]
ReportProgress = Callable[["Progress"], None]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of long work: what is being done now, and the share of the whole that is done (0 to 1)."""

    doing: str
    share: float


def named(report_progress: ReportProgress, work: str) -> ReportProgress:
    """Prefix the progress with the work and store that it is about, which the progress of a build or reset lacks."""
    return lambda step: report_progress(replace(step, doing=f"{work}: {step.doing}"))
