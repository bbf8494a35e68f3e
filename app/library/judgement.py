"""Warnings, findings and recoveries of a stored run, computed by opening it once, as its page shows them.

The terminal prints the judgement of a run, and the warnings of a set's runs; result files hold the recoveries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis.recovery.figures import Recovery
    from engine.analysis.recovery.settings import RecoverySettings
    from engine.library.library import Library
    from engine.record.record import RunRecord


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The warnings about a run's figures, the findings about its hosts, and the recovery from each fault, by time."""

    warnings: list[str]
    findings: list[str]
    recoveries: "list[Recovery]"

    @property
    def text(self) -> str:
        """The warnings and findings, one per line; empty without any."""
        said = [("warning", each) for each in self.warnings] + [("finding", each) for each in self.findings]
        return "\n".join(f"{label:<10} {sentence}" for label, sentence in said)


def judge_run(library: "Library", run_id: str, settings: "RecoverySettings | None" = None) -> Judgement:
    """Open a run and judge it; ``settings`` are those by which faults are judged, by default the usual ones.

    Raises ``UserError``.
    """
    from engine.analysis.recovery.judging import recoveries_of, times_spans
    from engine.analysis.recovery.settings import RecoverySettings
    from engine.library.whole_run import open_run, recovery_histograms
    from engine.report.host_findings import finding_sentences
    from engine.report.run_warnings import run_warnings
    from engine.report.volumes import volume_sentences

    settings = settings or RecoverySettings()
    record, run = open_run(library, run_id, on_progress=_nobody, cancelled=_never)
    spans = times_spans(run, settings)
    histograms = recovery_histograms(library, run_id, spans, cancelled=_never) if spans else None
    events, host = run.sorted_events(), library.host.of_run(run_id)
    return Judgement(
        warnings=run_warnings(record, run),
        findings=[*volume_sentences(record, events, host), *finding_sentences(record, events, host)],
        recoveries=recoveries_of(run, settings, histograms=histograms),
    )


def warnings_of_set(library: "Library", records: "Sequence[RunRecord]") -> list[str]:
    """The warnings about the runs of a set that count, one line each; ``records`` are those of all its runs.

    Raises ``UserError``.
    """
    from engine.analysis.comparing.run_set import set_runs
    from engine.library.whole_run import open_run
    from engine.report.run_warnings import run_warnings
    from engine.report.sets.warnings import set_warnings

    def warnings_of(run_id: str) -> list[str]:
        return run_warnings(*open_run(library, run_id, on_progress=_nobody, cancelled=_never))

    return [str(warning) for warning in set_warnings(set_runs(records), warnings_of)]


def run_recoveries(
    library: "Library", run_id: str, settings: "RecoverySettings | None" = None
) -> dict[int, dict[str, Any]]:
    """The recovery from each fault of a run as plain values, by the event's number, and the settings used.

    Without a fault no sample is read. Raises ``UserError``.
    """
    if not any(event.is_fault for event in library.events(run_id)):
        return {}
    from engine.analysis.recovery.settings import RecoverySettings

    settings = settings or RecoverySettings()
    judged_by = {"settings": settings.to_dict()}
    recoveries = judge_run(library, run_id, settings).recoveries
    return {recovery.fault.number: recovery.to_dict() | judged_by for recovery in recoveries}


def _nobody(_doing: str, _share: float) -> None:
    """Ignores progress."""


def _never() -> bool:
    return False
