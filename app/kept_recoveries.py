"""The recoveries of a kept run, for what is printed and written of it; computed as the run's page computes them."""

from typing import TYPE_CHECKING, Any

from app.library_jobs import open_run

if TYPE_CHECKING:
    from engine.analysis.recovery_figures import Recovery
    from engine.library.library import Library


def kept_recoveries(library: "Library", run_id: str) -> dict[int, dict[str, Any]]:
    """The recovery from each fault of a run as plain values, by its event's number. Raises ``UserError``."""
    return {recovery.fault.number: recovery.to_dict() for recovery in recoveries_of_run(library, run_id)}


def recoveries_of_run(library: "Library", run_id: str) -> "list[Recovery]":
    """The recovery from each fault of a run, in the order of their times. Without a fault no sample is even read.

    Raises ``UserError``.
    """
    if not any(event.is_fault for event in library.events(run_id)):
        return []
    from engine.analysis.recovery import recoveries_of, times_spans
    from engine.analysis.recovery_times import BlockHistograms

    _, run = open_run(library, run_id, tell=_nobody, cancelled=_never)
    histograms = BlockHistograms(library.histogram_blocks(run_id), times_spans(run))
    return recoveries_of(run, histograms=histograms)


def _nobody(_doing: str, _share: float) -> None:
    """Nobody is told of the progress."""


def _never() -> bool:
    return False
