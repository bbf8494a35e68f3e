"""What limits the runs behind a set: its best, worst and spread and the choice of its median stand on all that count.

Called by the document of a set, the comparison, and the terminal by way of ``app.library.judgement``.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.analysis.comparing.run_set import set_runs
from engine.analysis.comparing.run_sets import SetRun, median_run
from engine.figure_text import listed
from engine.report.discreet import discreet
from engine.report.results import ReportedRun, ReportedSet
from engine.report.run_warnings import run_warnings


class SetWarning(NamedTuple):
    """A sentence, and the names of the runs that it is true of."""

    runs: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.runs}: {self.sentence}"


def set_warnings(runs: Sequence[SetRun], warnings_of: Callable[[str], list[str]]) -> list[SetWarning]:
    """The warnings of those of a set's runs that count, in their order, each once with all runs that have it.

    ``warnings_of`` gives those of a run by its id; of runs that don't count it is not asked.
    """
    counted = median_run(runs).counted
    names: dict[str, list[str]] = {}
    for run in (each for each in runs if each in counted):
        for sentence in dict.fromkeys(warnings_of(run.run_id)):
            names.setdefault(sentence, []).append(run.name or run.run_id)
    return [SetWarning(listed(those), sentence) for sentence, those in names.items()]


def reported_warnings(run: ReportedRun) -> list[str]:
    """Those of one run, fit for a document that is handed on."""
    hide = discreet(run.record.plan)
    return [hide(sentence) for sentence in run_warnings(run.record, run.data)]


def reported_set_warnings(reported: ReportedSet) -> list[SetWarning]:
    """Those of a set, fit for the same."""
    runs = set_runs([run.record for run in reported.runs])
    return set_warnings(runs, lambda run_id: reported_warnings(reported.run(run_id)))
