"""A run set as plain values for JSON, and the samples of its runs as CSV, for scripts."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from engine.analysis.comparing.run_set import RunSet, difference_warning, set_runs
from engine.analysis.comparing.run_sets import SetRun, set_figures
from engine.analysis.headline import headline_of
from engine.record.record import RunRecord
from engine.report.result import csv_columns, csv_rows, is_paced, result
from engine.telemetry.sample import Sample
from engine.workload.registry import DVD_STORE


def set_result(
    run_set: RunSet, records: Sequence[RunRecord], runs: Sequence[Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """A set and its runs under the names of ``spindle run --repeat N --json``; unknown figures are null.

    ``records`` are those of its runs, ``runs`` their results when these contain more than the records.
    """
    figures = set_figures(set_runs(records))
    metric = headline_of(records[0].plan.workload if records else DVD_STORE).metric.id
    median = figures.median.run
    return {
        "name": run_set.name,
        "note": run_set.note,
        "made_at": run_set.made_at.isoformat(),
        "configuration": run_set.configuration,
        metric: None if median is None else median.headline_rate,
        "median": _run(metric, median),
        "best": _run(metric, figures.best),
        "worst": _run(metric, figures.worst),
        f"spread_{metric}": figures.headline_rate_spread,
        "spread_pct": figures.spread_pct,
        "variability_pct": figures.variability_pct,
        "sentence": figures.median.sentence,
        "warning": difference_warning(records),
        "left_out": [{"run_id": each.run.run_id, "reason": each.reason} for each in figures.median.left_out],
        "runs": [result(record) for record in records] if runs is None else list(runs),
    }


def write_set_csv(file: TextIO, runs: Iterable[tuple[RunRecord, Iterable[Sample]]]) -> None:
    """The rows of ``engine.report.result.write_csv`` for one run after the other, with the run's id as first column."""
    writer = csv.writer(file, lineterminator="\n")
    for place, (record, samples) in enumerate(runs):
        if place == 0:
            writer.writerow(["run_id", *csv_columns(record.plan.workload, is_paced=is_paced(record.plan))])
        writer.writerows([record.run_id, *row] for row in csv_rows(record, samples))


def _run(metric: str, run: SetRun | None) -> dict[str, Any] | None:
    return None if run is None else {"run_id": run.run_id, "name": run.name, metric: run.headline_rate}
