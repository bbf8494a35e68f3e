"""A run set of the library as a row of a list."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.analysis.comparing.run_set import RunSet, difference_warning, set_runs
from engine.analysis.comparing.run_sets import median_run
from engine.record.record import RunRecord


@dataclass(frozen=True, kw_only=True)
class SetListing:
    """One set.

    ``median_id`` is its median run, empty when no run counts. ``sentence`` says which run was chosen and which were
    left out, ``warning`` that its runs had different plans, else it is empty.
    """

    name: str
    note: str
    run_ids: tuple[str, ...]
    configuration: str
    median_id: str
    sentence: str
    warning: str

    @classmethod
    def of(cls, run_set: RunSet, records: Mapping[str, RunRecord]) -> "SetListing":
        """The row of a set, with the records of its runs by id; runs without a record are left out."""
        members = [records[run_id] for run_id in run_set.run_ids if run_id in records]
        choice = median_run(set_runs(members))
        return cls(
            name=run_set.name,
            note=run_set.note,
            run_ids=tuple(record.run_id for record in members),
            configuration=run_set.configuration,
            median_id="" if choice.run is None else choice.run.run_id,
            sentence=choice.sentence,
            warning=difference_warning(members),
        )
