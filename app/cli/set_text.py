"""A run set as the terminal prints it: a row for each run, the median run, and that run's clients."""

from collections.abc import Sequence

from rich.table import Table

from app.cli.rate_column import RateColumn
from app.cli.result_text import result_text
from app.cli.terminal import one_line
from app.cli.text_page import TextPage, plain_table
from engine.analysis.comparing.run_set import RunSet, difference_warning, set_runs
from engine.analysis.comparing.run_sets import SetFigures, set_figures
from engine.analysis.headline import headline_of
from engine.figure_text import decimal, percent, spaced, whole
from engine.record.record import RunRecord
from engine.report.run_listing import RunListing

_NUMBERS = ("variability %", "p95 ms", "errors")


def set_text(
    run_set: RunSet, records: Sequence[RunRecord], width: int | None = None, *, warnings: Sequence[str]
) -> str:
    """Text of ``width`` columns, without a trailing newline; ``None``: lines are not wrapped.

    ``records`` are those of the set's runs, in their order; ``warnings`` are those of the runs that count.
    """
    figures = set_figures(set_runs(records))
    page = TextPage(width)
    page.line(_head(run_set))
    page.table(_table(records, figures))
    for sentence in set_sentences(records, figures):
        page.line(sentence)
    for warning in warnings:
        page.line(f"Warning: {one_line(warning)}")
    parts = [page.text()]
    if figures.median.run is not None and len(records) > 1:
        parts.append(result_text(_named(records, figures.median.run.run_id), width))
    return "\n".join(parts)


def set_sentences(records: Sequence[RunRecord], figures: SetFigures) -> list[str]:
    """The sentences below a set's runs: median run, best, worst, spread, and whether the plans differ.

    Of mixed runs the further loads have a median of their own, by their headline.
    """
    found = ["", *_median_sentences(records, figures)]
    for load in range(1, min((len(record.plan.loads) for record in records), default=0)):
        of_load = [record.of_load(load) for record in records]
        sentences = _median_sentences(of_load, set_figures(set_runs(of_load)))
        found.append(f"Load {load + 1}, {headline_of(of_load[0].plan.workload).workload}: {' '.join(sentences)}")
    warning = difference_warning(records)
    if warning:
        found.append(f"Warning: {warning}")
    return [spaced(sentence) for sentence in found]


def _median_sentences(records: Sequence[RunRecord], figures: SetFigures) -> list[str]:
    found = [figures.median.sentence]
    if figures.best is not None and figures.worst is not None and figures.headline_rate_spread is not None:
        headline = headline_of(records[0].plan.workload)
        best, worst = headline.text(figures.best.headline_rate), headline.text(figures.worst.headline_rate)
        found.append(
            f"Best {best} {figures.best.metric}, worst {worst}, spread"
            f" {headline.text(figures.headline_rate_spread)} ({percent(figures.spread_pct)})."
        )
    return found


def _head(run_set: RunSet) -> str:
    runs = "1 run" if len(run_set.run_ids) == 1 else f"{len(run_set.run_ids)} runs"
    lines = [f"\n{one_line(run_set.name)}  ·  set of {runs}"]
    if run_set.configuration:
        lines.append(f"measured on {one_line(run_set.configuration)}")
    if run_set.note:
        lines.append(one_line(run_set.note))
    return "\n".join((*lines, ""))


def _table(records: Sequence[RunRecord], figures: SetFigures) -> Table:
    metric = RateColumn(headline_of(record.plan.workload) for record in records)
    numbers = (metric.title, *_NUMBERS)
    table = plain_table(("run", "name", "state", *numbers, ""), numbers=numbers, folding=("name",))
    places = _places(figures)
    for record in records:
        run = RunListing.of(record)
        table.add_row(
            run.run_id,
            one_line(run.name),
            run.state.value,
            metric.text(headline_of(record.plan.workload), run.headline_rate),
            decimal(run.variability_pct, 2),
            decimal(run.p95_ms),
            whole(run.errors),
            places.get(run.run_id, ""),
        )
    return table


def _places(figures: SetFigures) -> dict[str, str]:
    """The role of each run in its set, by id; "median run" before "best" when it is both."""
    places = {each.run.run_id: "left out" for each in figures.median.left_out}
    for name, run in (("worst", figures.worst), ("best", figures.best), ("median", figures.median.run)):
        if run is not None:
            places[run.run_id] = name
    return places


def _named(records: Sequence[RunRecord], run_id: str) -> RunRecord:
    return next(record for record in records if record.run_id == run_id)
