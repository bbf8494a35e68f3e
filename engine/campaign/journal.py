"""The journal of a campaign: an entry for each time that a piece of work was begun, and what a resumption repeats.

The library stores it (``engine.library.campaigns``). Entries are added and ended, never removed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import OnFailure, RunStep
from engine.campaign.units import Round, Unit


class EntryState(StrEnum):
    """The state of a piece of work; the values are stored.

    ``INTERRUPTED``: the process died meanwhile. ``STOPPED``: the user stopped the campaign.
    """

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class CampaignState(StrEnum):
    """The state of a campaign; the values are stored. All but the first and ``COMPLETED`` can be resumed."""

    RUNNING = "running"
    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def predicate(self) -> str:
        """What is said of a campaign in this state: ``is completed``, ``has failed``."""
        return f"has {self}" if self is CampaignState.FAILED else f"is {self}"


@dataclass(frozen=True, kw_only=True)
class JournalEntry:
    """One piece of work, begun once; times are UTC.

    ``number`` counts the entries of a campaign from 1; ``attempt`` those of the same ``path``. ``reason`` says in a
    sentence why it ended as it did, where that needs saying. ``run_id`` is that of its run, also when the run never
    came into the library or was deleted. ``data`` holds what the kind of work has beside: the ``point`` and the
    ``place`` of a run; ``audit`` of an action; the verdict of a point of a search.
    """

    number: int
    path: str
    attempt: int
    kind: str
    title: str
    state: EntryState
    began_at: datetime
    ended_at: datetime | None = None
    reason: str = ""
    run_id: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CampaignRecord:
    """A campaign of the library, with its journal. ``reason`` says why it ended as it did."""

    name: str
    plan: CampaignPlan
    state: CampaignState
    made_at: datetime
    ended_at: datetime | None = None
    reason: str = ""
    entries: tuple[JournalEntry, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The runs of the campaign in the order in which they began, those that were done again among them."""
        return tuple(entry.run_id for entry in self.entries if entry.run_id)

    def again(self) -> list[JournalEntry]:
        """The entries of work that had been begun before."""
        return [entry for entry in self.entries if entry.attempt > 1]

    def last_entries(self) -> list[JournalEntry]:
        """The last entry of each path, in the order of the paths' first entries."""
        return list({entry.path: entry for entry in self.entries}.values())


class Journal(Protocol):
    """The journal of one campaign; every call is durable when it returns, and raises ``UserError`` when it can't be."""

    def entries(self) -> Sequence[JournalEntry]: ...

    def begin(self, path: str, kind: str, title: str, data: Mapping[str, Any]) -> JournalEntry:
        """Add an entry that is running."""
        ...

    def note(
        self, path: str, kind: str, title: str, data: Mapping[str, Any], *, state: EntryState, reason: str
    ) -> JournalEntry:
        """Add an entry that has ended already."""
        ...

    def set_run(self, number: int, run_id: str) -> None: ...

    def end(self, number: int, state: EntryState, reason: str = "", data: Mapping[str, Any] | None = None) -> None:
        """End an entry; ``data`` is added to what it has."""
        ...

    def is_stop_requested(self) -> bool:
        """Whether another program asked for the end of the campaign."""
        ...


def is_settled(entry: JournalEntry | None, unit: Unit) -> bool:
    """Whether a unit with this last entry needs no further attempt: it was done, left out, or failed as allowed."""
    if entry is None:
        return False
    if entry.state is EntryState.FAILED:
        return on_failure_of(unit) is not OnFailure.STOP
    return entry.state in (EntryState.DONE, EntryState.SKIPPED)


def on_failure_of(unit: Unit) -> OnFailure:
    """What a failure of the unit means for the campaign."""
    return getattr(unit.step, "on_failure", OnFailure.STOP)


def to_be_repeated(work: Round, last: Mapping[str, JournalEntry]) -> frozenset[str]:
    """The paths of a round's units that were done, and have to be done again, since the run that they prepared failed.

    A run that was interrupted has changed its stores: what prepares it are the units since the run before it in its
    round, and each of them whose last entry is older than that of the run is done again. ``last`` has the last entry of
    each path.
    """
    found: set[str] = set()
    preparing: list[Unit] = []
    for unit in work.units:
        if not isinstance(unit.step, RunStep):
            preparing.append(unit)
            continue
        entry = last.get(unit.path)
        if entry is not None and entry.run_id and not is_settled(entry, unit):
            found.update(
                each.path for each in preparing if (done := last.get(each.path)) is None or done.number < entry.number
            )
        preparing = []
    return frozenset(found)


def last_by_path(entries: Iterable[JournalEntry]) -> dict[str, JournalEntry]:
    """The last entry of each path."""
    return {entry.path: entry for entry in entries}
