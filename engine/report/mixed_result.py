"""A mixed run as plain values for JSON, and its samples as CSV: what belongs to the run once, then each load."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from engine.record.projection import Projection
from engine.record.record import RunRecord
from engine.report.result import csv_columns, csv_rows, is_paced, write_csv
from engine.telemetry.sample import Sample

_OF_THE_RUN = (
    "name",
    "state",
    "failure",
    "started_at",
    "ended_at",
    "origin",
    "note",
    "tags",
    "run_set",
    "campaign",
    "configuration",
    "plan",
    "phases",
    "volumes",
    "host_findings",
    "machines",
    "events",
    "environment",
)
"""The keys of a run's result that are the same for all of its loads."""


def mixed_result(record: RunRecord, whole: Mapping[str, Any], loads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The result of a mixed run from that of the ``whole`` run and those of its ``loads``.

    Each is made by ``engine.report.result.result``, of ``record`` or of one of ``record.loads``.

    Under ``loads`` each has its figures as a run of its own would have them, with its number, title and workload.
    """
    documents = []
    for number, (load, title, of) in enumerate(zip(loads, record.plan.titles, record.plan.loads, strict=True), start=1):
        own = {key: value for key, value in load.items() if key not in _OF_THE_RUN}
        documents.append({"load": number, "title": title, "workload": of.workload, **own})
    common = {key: whole[key] for key in _OF_THE_RUN if key in whole}
    return {"run_id": record.run_id, **common, "plan": record.plan.to_dict(), "loads": documents}


def write_run_csv(file: TextIO, record: RunRecord, samples: Sequence[Iterable[Sample]]) -> None:
    """The samples of each load of a run, those of one load after the other.

    Of a mixed run each row has the number of its load and the columns of all workloads; a cell that a workload does not
    have is empty. Clients have their numbers in the run. Of any other run it is what ``write_csv`` writes.
    """
    if not record.plan.is_mixed:
        write_csv(file, record, samples[0])
        return
    columns = [csv_columns(each.workload, is_paced=is_paced(each)) for each in record.plan.loads]
    united = tuple(dict.fromkeys(column for of_load in columns for column in of_load))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("load", *united))
    for index, (load, own, of_load) in enumerate(zip(record.loads, columns, samples, strict=True)):
        before = Projection.of(record.plan, index).before
        for cells in csv_rows(load, of_load):
            by_column = dict(zip(own, cells, strict=True))
            by_column["client"] += before
            writer.writerow((index + 1, *(by_column.get(column) for column in united)))
