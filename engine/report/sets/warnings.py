"""The warnings of all runs of a set that count, as best, worst, spread and the median depend on all of them.

Called by the document of a set, the comparison, and the terminal by way of ``app.library.judgement``.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.analysis.comparing.run_set import set_runs
from engine.analysis.comparing.run_sets import SetRun, median_run
from engine.figure_text import listed
from engine.report.redaction import redactor
from engine.report.results import ReportedRun, ReportedSet
from engine.report.run_warnings import run_warnings

_MOST_NAMES = 3


def few_of(names: Sequence[str]) -> str:
    """A list of names, of many the first and the number of the others: ``a, b, c and 9 others``."""
    others = len(names) - _MOST_NAMES
    return listed(names if others < 2 else (*names[:_MOST_NAMES], f"{others} others"))


class SetWarning(NamedTuple):
    """A sentence, and the names of the runs that it applies to."""

    names: tuple[str, ...]
    sentence: str

    @property
    def runs(self) -> str:
        """The names in a list, of many the first."""
        return few_of(self.names)

    def __str__(self) -> str:
        return f"{self.runs}: {self.sentence}"


def set_warnings(runs: Sequence[SetRun], warnings_of: Callable[[str], list[str]]) -> list[SetWarning]:
    """The warnings of a set's runs that count, each once with all its runs.

    ``warnings_of`` returns those of a run by id; it is only called for runs that count.
    """
    counted = median_run(runs).counted
    names: dict[str, list[str]] = {}
    for run in (each for each in runs if each in counted):
        for sentence in dict.fromkeys(warnings_of(run.run_id)):
            names.setdefault(sentence, []).append(run.name or run.run_id)
    return [SetWarning(tuple(those), sentence) for sentence, those in names.items()]


def reported_warnings(run: ReportedRun) -> list[str]:
    """The warnings of one run for a document that is passed on."""
    redact = redactor(run.record.plan)
    return [redact(sentence) for sentence in run_warnings(run.record, run.data)]


def reported_set_warnings(reported: ReportedSet) -> list[SetWarning]:
    """The warnings of a set for a document that is passed on."""
    runs = set_runs([run.record for run in reported.runs])
    return set_warnings(runs, lambda run_id: reported_warnings(reported.run(run_id)))
