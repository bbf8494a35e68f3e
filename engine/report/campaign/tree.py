"""The runs of a campaign as a tree: the campaign, its points, the runs of each, and their median run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.analysis.comparing.run_set import RunSet, set_runs
from engine.analysis.comparing.run_sets import SetFigures, set_figures
from engine.campaign.fields import point_text
from engine.campaign.journal import CampaignRecord, EntryState, JournalEntry
from engine.campaign.steps import StepKind
from engine.campaign.units import attempt_text, step_name
from engine.record.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


@dataclass(frozen=True, kw_only=True)
class Branch:
    """The runs of one point that completed, in order.

    ``step`` is the number of the step from 1, ``point`` its values (empty for steps without a sweep or search),
    ``text`` these in words, after the name of the step where several steps have runs. ``set_name`` is that of their run
    set, empty without one. Runs that were deleted are missing.
    """

    step: int
    place: str
    point: Mapping[str, Any]
    text: str
    set_name: str
    runs: tuple[RunRecord, ...]

    @property
    def run_set(self) -> RunSet:
        """The runs as a set, also where the library has none of them."""
        ids = tuple(run.run_id for run in self.runs)
        return RunSet(name=self.set_name or self.text, made_at=self.runs[0].started_at, run_ids=ids)

    @property
    def figures(self) -> SetFigures:
        return set_figures(set_runs(self.runs))

    @property
    def median(self) -> RunRecord | None:
        """The median run, or the only one; ``None`` when no run counts."""
        chosen = self.figures.median.run
        return None if chosen is None else next(run for run in self.runs if run.run_id == chosen.run_id)


@dataclass(frozen=True, kw_only=True)
class CampaignTree:
    """A campaign with its branches; ``others`` are runs of its journal that did not complete, and were done again or
    left."""

    campaign: CampaignRecord
    branches: tuple[Branch, ...]
    others: tuple[RunRecord, ...]

    @classmethod
    def of(cls, campaign: CampaignRecord, records: Mapping[str, RunRecord]) -> "CampaignTree":
        """The tree of a campaign, with the records of its runs by id; runs without a record are left out."""
        kept = {
            entry.run_id: entry
            for entry in campaign.last_entries()
            if entry.kind == StepKind.RUN and entry.state is EntryState.DONE and entry.run_id in records
        }
        places: dict[str, list[JournalEntry]] = {}
        for entry in kept.values():
            places.setdefault(str(entry.data.get("place", entry.path)), []).append(entry)
        branches = [_branch(campaign, place, entries, records) for place, entries in places.items()]
        if len({branch.step for branch in branches}) > 1:
            branches = [
                replace(branch, text=", ".join(filter(None, (step_name(campaign.plan, branch.step), branch.text))))
                for branch in branches
            ]
        others = [records[run_id] for run_id in campaign.run_ids if run_id in records and run_id not in kept]
        return cls(campaign=campaign, branches=tuple(branches), others=tuple(others))

    @property
    def runs(self) -> list[RunRecord]:
        """The runs of all branches."""
        return [run for branch in self.branches for run in branch.runs]


def read_tree(library: "Library", campaign: CampaignRecord) -> CampaignTree:
    """The tree of a campaign of the library."""
    return CampaignTree.of(campaign, {run.run_id: run for run in library.runs(campaign=campaign.name)})


def _branch(
    campaign: CampaignRecord, place: str, entries: Sequence[JournalEntry], records: Mapping[str, RunRecord]
) -> Branch:
    point = entries[0].data.get("point", {})
    runs = tuple(records[entry.run_id] for entry in entries)
    return Branch(
        step=int(place.split("/")[0]),
        place=place,
        point=point,
        text=point_text(campaign.plan.plan, point) + attempt_text(place),
        set_name=next((run.run_set for run in runs if run.run_set), ""),
        runs=runs,
    )
