"""The response times in a run's document: the transactions and their steps, limits, the clients as intended.

Called by ``one_run``; the rows are those of the terminal and of the run page.
"""

from engine.analysis.headline import headline_of
from engine.analysis.latency.response_limits import limit_rows
from engine.analysis.latency.step_times import TimesColumns, has_two_times, time_rows
from engine.analysis.specification import measured_mix, verdict_sentences
from engine.analysis.stages.table import shortfall_sentences
from engine.draft.wording import closed_loop_sentence
from engine.figure_text import decimal, milliseconds, signed, whole
from engine.plan.plan import RunPlan
from engine.record.totals import NO_TIMES, Figures, Totals
from engine.report.document import Block, Column, DataTable, Figure, Text
from engine.report.result_tables import number_columns


def key_times(totals: Totals, plan: RunPlan) -> list[Figure]:
    """The p95 for the begin of a document: with a schedule as service time and as intended; in an open loop, where
    these are the same, also of all transactions of a mix, or with what was still due when measuring ended."""
    served = milliseconds(totals.times.p95)
    if not has_two_times(totals, is_open_loop=plan.is_open_loop):
        return [Figure(name="Response time, p95", value=served, unit="ms")]
    scheduled = milliseconds((totals.intended or NO_TIMES).p95)
    of_more = "All transactions" if headline_of(plan.workload).is_mixed else "With those still due"
    names = ("Response time", of_more) if plan.is_open_loop else ("Service time", "As intended")
    return [
        Figure(name=f"{name}, p95", value=value, unit="ms")
        for name, value in zip(names, (served, scheduled), strict=True)
    ]


def times_tables(totals: Totals, plan: RunPlan) -> list[Block]:
    """The transactions and their steps, and their limits; of several clients also their percentiles, as service times
    and as intended."""
    rows = time_rows(totals, is_open_loop=plan.is_open_loop)
    if not rows:
        return []
    columns = TimesColumns(rows)
    steps = DataTable(
        caption="Response times of the measuring phase",
        columns=(Column(title="What"), *number_columns("Count", "Mean, ms", *columns.percentiles, "Max")),
        rows=tuple((row.name.capitalize(), whole(row.count), *map(milliseconds, columns.of(row))) for row in rows),
        note=" ".join([closed_loop_sentence(plan), *shortfall_sentences(plan, totals)]),
    )
    return [steps, *_limits(totals), *_specified(totals, plan), *_clients(totals, plan)]


def _limits(totals: Totals) -> list[Block]:
    rows = limit_rows(totals)
    if not rows:
        return []
    table = DataTable(
        caption="Limits of the response times",
        columns=(Column(title="What"), *number_columns("Limit of p90, ms", "p90, ms"), Column(title="Verdict")),
        rows=tuple((row.name, whole(row.limit_ms), milliseconds(row.p90_ms), row.verdict) for row in rows),
    )
    return [table]


def _specified(totals: Totals, plan: RunPlan) -> list[Block]:
    """The mix of transactions, and what is specified of the run as a whole."""
    said = [Text(text=each) for each in verdict_sentences(plan, totals)]
    rows = measured_mix(totals)
    if not rows:
        return [*said]
    table = DataTable(
        caption="Mix of the transactions",
        columns=(
            Column(title="What"),
            *number_columns("Specified, %", "Share, %", "Difference, % of it"),
            Column(title="Verdict"),
        ),
        rows=tuple(
            (
                each.name,
                decimal(each.specified_pct),
                decimal(each.share_pct, 2),
                signed(each.deviation_pct, 2),
                each.verdict,
            )
            for each in rows
        ),
    )
    return [table, *said]


def _clients(totals: Totals, plan: RunPlan) -> list[Block]:
    if len(totals.clients) < 2 or not has_two_times(totals, is_open_loop=plan.is_open_loop):
        return []
    headline = headline_of(plan.workload)
    of_all = " of all transactions" if headline.is_mixed else ""
    served, scheduled, heading, overdue = (
        ("Response", f"those{of_all} with what was still due", "With those due", f"{headline.heading} still due")
        if plan.is_open_loop
        else ("Service", f"the times{of_all} as intended", "As intended", f"Overdue {headline.units}")
    )
    return [
        DataTable(
            caption=f"{served} times of the clients' {headline.many} and {scheduled}, ms",
            columns=(
                Column(title="Client"),
                *number_columns(f"{served} p95", f"{served} p99", f"{heading} p95", f"{heading} p99", overdue),
            ),
            rows=tuple((client.label, *_both(client)) for client in totals.clients),
            total=("All clients", *_both(totals)),
        )
    ]


def _both(figures: Figures) -> tuple[str, ...]:
    served, intended = figures.times, figures.intended or NO_TIMES
    times = (served.p95, served.p99, intended.p95, intended.p99)
    return *map(milliseconds, times), whole(figures.overdue)
