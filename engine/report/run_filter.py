"""The filter of the library's runs: text, tags, states, targets, campaigns, sets and dates."""

from dataclasses import dataclass
from datetime import datetime

from engine.record.record import RunState
from engine.report.run_listing import RunListing


@dataclass(frozen=True, kw_only=True)
class RunFilter:
    """The conditions; an empty or ``None`` one is not applied.

    ``text`` must occur in one of the lines of ``RunListing.searched``, the run must have every one of ``tags``, and its
    state, a target, its campaign and its set must be among ``states``, ``targets``, ``campaigns`` and ``run_sets``. It
    started at ``started_from`` or later and before ``started_to`` (both with a time zone).
    """

    text: str = ""
    tags: frozenset[str] = frozenset()
    states: frozenset[RunState] = frozenset()
    targets: frozenset[str] = frozenset()
    campaigns: frozenset[str] = frozenset()
    run_sets: frozenset[str] = frozenset()
    started_from: datetime | None = None
    started_to: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it matches every run."""
        return self == RunFilter()

    def matches(self, run: RunListing) -> bool:
        return (
            self.text.casefold() in run.searched
            and self.tags.issubset(run.tags)
            and (not self.states or run.state in self.states)
            and (not self.targets or not self.targets.isdisjoint(run.targets))
            and (not self.campaigns or run.campaign in self.campaigns)
            and (not self.run_sets or run.run_set in self.run_sets)
            and (self.started_from is None or run.started_at >= self.started_from)
            and (self.started_to is None or run.started_at < self.started_to)
        )
