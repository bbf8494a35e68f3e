"""A stored run as a result file has it: JSON with its recoveries, samples as CSV; a mixed run with all its loads."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from app.library.judgement import run_recoveries
from engine.record.record import RunRecord
from engine.report.mixed_result import mixed_result, write_run_csv
from engine.report.result import result
from engine.telemetry.sample import Sample

if TYPE_CHECKING:
    from engine.analysis.recovery.settings import RecoverySettings
    from engine.library.library import Library


def run_document(library: "Library", record: RunRecord, settings: "RecoverySettings | None" = None) -> dict[str, Any]:
    """The result of a run under the names of ``spindle run --json``; faults are judged by ``settings``. Raises
    ``UserError``."""

    def of(each: RunRecord) -> dict[str, Any]:
        return result(
            each,
            library.events(each.run_id),
            run_recoveries(library, each.run_id, settings),
            library.host.of_run(record.run_id),
            library.host.collectors(record.run_id),
        )

    if not record.plan.is_mixed:
        return of(record)
    whole = result(
        record,
        library.events(record.run_id),
        measurements=library.host.of_run(record.run_id),
        collectors=library.host.collectors(record.run_id),
    )
    return mixed_result(record, whole, [of(load) for load in record.loads])


def write_run_json(
    file: TextIO, library: "Library", record: RunRecord, settings: "RecoverySettings | None" = None
) -> None:
    """Write ``run_document``. Raises ``UserError``."""
    json.dump(run_document(library, record, settings), file, indent=2, ensure_ascii=False)
    file.write("\n")


def write_samples(file: TextIO, record: RunRecord, samples_of: Callable[[RunRecord], Iterable[Sample]]) -> None:
    """Write the samples of a run as CSV; ``samples_of`` reads those of a run or of one load."""
    write_run_csv(file, record, [samples_of(load) for load in record.loads])
