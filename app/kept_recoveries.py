"""The recoveries of a kept run, for what is printed and written of it; computed as the run's page computes them."""

from typing import TYPE_CHECKING, Any

from app.library_jobs import open_run

if TYPE_CHECKING:
    from engine.analysis.recovery_figures import Recovery
    from engine.analysis.recovery_settings import RecoverySettings
    from engine.library.library import Library


def kept_recoveries(
    library: "Library", run_id: str, settings: "RecoverySettings | None" = None
) -> dict[int, dict[str, Any]]:
    """The recovery from each fault of a run as plain values, by its event's number, with what it was judged by.

    Raises ``UserError``.
    """
    from engine.analysis.recovery_settings import RecoverySettings

    settings = settings or RecoverySettings()
    judged_by = {"settings": settings.to_dict()}
    recoveries = recoveries_of_run(library, run_id, settings)
    return {recovery.fault.number: recovery.to_dict() | judged_by for recovery in recoveries}


def recoveries_of_run(library: "Library", run_id: str, settings: "RecoverySettings | None" = None) -> "list[Recovery]":
    """The recovery from each fault of a run, in the order of their times. Without a fault no sample is even read.

    ``settings`` are what the faults are judged by, the usual ones when none are given. Raises ``UserError``.
    """
    if not any(event.is_fault for event in library.events(run_id)):
        return []
    from engine.analysis.recovery import recoveries_of, times_spans
    from engine.analysis.recovery_settings import RecoverySettings
    from engine.analysis.recovery_times import BlockHistograms

    settings = settings or RecoverySettings()
    _, run = open_run(library, run_id, tell=_nobody, cancelled=_never)
    histograms = BlockHistograms(library.histogram_blocks(run_id), times_spans(run, settings))
    return recoveries_of(run, settings, histograms=histograms)


def _nobody(_doing: str, _share: float) -> None:
    """Nobody is told of the progress."""


def _never() -> bool:
    return False
