"""Which load of mixed runs is compared: one that is called the same in each of the runs."""

from collections.abc import Sequence

from engine.record.record import RunRecord


def loads_in_common(records: Sequence[RunRecord]) -> list[str]:
    """What the loads are called that all of the runs have, in the order of the first run; a run that is not mixed has
    one, which is called as its workload."""
    first, *others = ([*record.plan.titles] for record in records)
    return [title for title in first if all(title in titles for titles in others)]


def load_called(record: RunRecord, title: str) -> RunRecord:
    """The run as that of the load that is called so; without such a load, as it is."""
    titles = record.plan.titles
    return record.of_load(titles.index(title)) if title in titles else record
