"""Tables and bars of results: headline rate relative to the first result, that of the clients, response times.

Called by the comparison and by the document of a set. The first result is the baseline of all others.
"""

from collections.abc import Sequence
from itertools import zip_longest

from engine.analysis.comparing.comparison import Difference, Unit, differences
from engine.analysis.comparing.set_comparison import ClientsCompared, compare_clients
from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import Headline
from engine.figure_text import (
    UNKNOWN,
    decimal,
    listed,
    milliseconds,
    signed_percent,
    times,
    variability_text,
    whole,
)
from engine.report.document import BarChart, Bars, Block, ChartFigure, Column, DataTable
from engine.report.results import Result

_MOST_CLIENT_BARS = 32
_TIMES = ("mean", "p50", "p95", "p99", "max")
_CHARTED_TIMES = ("mean", "p95", "p99")
_INTENDED = {"p95 as intended": "p95", "p99 as intended": "p99"}
_COUNTS = ("count", "headline peak", "Rollbacks", "Errors", "Retries", "Reconnects", "Measured")


def number_columns(*titles: str) -> tuple[Column, ...]:
    """Numeric columns with these titles."""
    return tuple(Column(title=title, is_number=True) for title in titles)


def chart_value(number: float | None) -> float | None:
    """A figure as the value of a bar."""
    return None if number is None else float(number)


def against(results: Sequence[object], *cells: str) -> tuple[str, ...]:
    """Cells with differences, which a table only has if it has several results."""
    return cells if len(results) > 1 else ()


def headline_table(results: Sequence[Result]) -> DataTable:
    """The headline rate of each result, its difference from the first, and its variability."""
    rates, label = _figures(results)["headline running"], results[0].headline.label
    return DataTable(
        caption=f"{results[0].headline.label} of all clients",
        columns=(
            Column(title="Result"),
            *number_columns(label, "Difference", "In per cent", "Times", "Variability"),
        ),
        rows=tuple(
            (
                result.name,
                result.headline.text(result.headline_rate),
                *((UNKNOWN,) * 3 if place == 0 else change_texts(result.headline, rates, place)),
                variability_text(totals_variability_pct(result.totals)),
            )
            for place, result in enumerate(results)
        ),
        note=f"Differences are against {results[0].name}." if len(results) > 1 else "",
    )


def change_texts(headline: Headline, figure: Difference, place: int) -> tuple[str, str, str]:
    """The difference of a figure of the result at that place from the first: absolute, per cent, factor."""
    absolute = headline.signed(figure.absolute[place], figure.values[place])
    return absolute, signed_percent(figure.percent[place]), times(figure.times[place])


def headline_bars(results: Sequence[Result]) -> ChartFigure:
    """A bar for the headline rate of each result."""
    shown = ", ".join(f"{result.name} {result.headline.text(result.headline_rate)}" for result in results)
    return ChartFigure(
        caption=f"{results[0].headline.label} of all clients",
        chart=BarChart(
            y_label=results[0].headline.label,
            groups=tuple(result.name for result in results),
            bars=(
                Bars(
                    label=results[0].headline.label,
                    values=tuple(chart_value(result.headline_rate) for result in results),
                ),
            ),
            digits=results[0].headline.metric.digits,
            alt=f"Bars of the {results[0].headline.rate}: {shown}.",
        ),
    )


def clients_table(results: Sequence[Result]) -> DataTable:
    """The headline rate of every client of each result as published tables show it: a row for each client, and the
    total."""
    labels, note = _client_labels(results)
    columns = [[result.headline.text(rate) for _, rate in result.clients] for result in results]
    return DataTable(
        caption=f"{results[0].headline.label} of each client",
        columns=(Column(title="Client"), *number_columns(*(result.name for result in results))),
        rows=tuple((label, *cells) for label, *cells in zip_longest(labels, *columns, fillvalue="")),
        total=("Total", *(result.headline.text(result.headline_rate) for result in results)),
        note=" ".join(filter(None, (note, _variability_note(results)))),
    )


def clients_bars(results: Sequence[Result]) -> list[Block]:
    """Bars for the headline rate of each client; none when there are too many to distinguish."""
    labels, _ = _client_labels(results)
    if not 2 <= len(labels) <= _MOST_CLIENT_BARS // len(results):
        return []
    bars = [
        Bars(
            label=result.name,
            values=tuple(chart_value(rate) for rate in [rate for _, rate in result.clients] + [None] * len(labels))[
                : len(labels)
            ],
        )
        for result in results
    ]
    chart = BarChart(
        y_label=results[0].headline.label,
        groups=tuple(labels),
        bars=tuple(bars),
        digits=results[0].headline.metric.digits,
        alt=f"Bars of the {results[0].headline.rate} of each client; the table of clients holds the figures.",
    )
    return [ChartFigure(caption=f"{results[0].headline.label} of each client", chart=chart)]


def client_changes(results: Sequence[Result]) -> list[Block]:
    """The difference of each client from the one with the same label in the first measured result, if all have the
    label."""
    measured = [result for result in results if result.run is not None]
    if len(measured) < 2:
        return []
    compared = compare_clients(results[0].headline, [result.totals for result in measured])
    if len(compared.clients) < 2:
        return []
    return [
        DataTable(
            caption=f"Clients of the same label, against {measured[0].name}",
            columns=(
                Column(title="Client"),
                Column(title="Result"),
                *number_columns(results[0].headline.label, "Difference", "In per cent", "Times"),
            ),
            rows=_client_change_rows(measured, compared),
            note=f"Not in all of them: {', '.join(compared.unmatched)}." if compared.unmatched else "",
        )
    ]


def times_table(results: Sequence[Result]) -> DataTable:
    """The response times of each result's headline transactions, ms, and how mean and p95 differ from the first.

    Service times; if any result has a schedule, p95 and p99 as intended as well, which are of all transactions.
    """
    figures = _figures(results)
    intended = _INTENDED if any(result.has_two_times for result in results) else {}
    mean, p95 = figures["Service time mean"], figures["Service time p95"]
    return DataTable(
        caption=_times_caption(results, has_intended=bool(intended)),
        columns=(
            Column(title="Result"),
            *number_columns(
                *("Mean", "p50", "p95", "p99", "Max", *intended),
                *against(results, "Mean, difference", "p95, difference"),
            ),
        ),
        rows=tuple(
            (
                result.name,
                *(milliseconds(result.times_ms.get(name)) for name in _TIMES),
                *(milliseconds(result.intended_ms.get(name)) for name in intended.values()),
                *against(results, *(_percent_text(figure, place) for figure in (mean, p95))),
            )
            for place, result in enumerate(results)
        ),
    )


def _times_caption(results: Sequence[Result], *, has_intended: bool) -> str:
    """In an open loop a response time begins when its transaction was due, so it is no service time."""
    headline = results[0].headline
    if not has_intended:
        return f"Response time of {headline.a_one}, ms"
    intended = "times of all transactions as intended" if headline.is_mixed else "its time as intended"
    is_open_loop = any(each.is_open_loop for each in results)
    return f"{'Response' if is_open_loop else 'Service'} time of {headline.a_one}, and {intended}, ms"


def times_bars(results: Sequence[Result]) -> ChartFigure:
    """Bars for the mean, p95 and p99 of each result's response times, and for those as intended if there are any."""
    intended = _INTENDED if any(result.has_two_times for result in results) else {}
    return ChartFigure(
        caption=f"Response time of {results[0].headline.a_one}",
        chart=BarChart(
            y_label="Response time, ms",
            groups=tuple(result.name for result in results),
            bars=tuple(
                Bars(label=name, values=tuple(chart_value(result.times_ms.get(name)) for result in results))
                for name in _CHARTED_TIMES
            )
            + tuple(
                Bars(label=label, values=tuple(chart_value(result.intended_ms.get(name)) for result in results))
                for label, name in intended.items()
            ),
            digits=1,
            alt=f"Bars of the {listed((*_CHARTED_TIMES, *intended))} of the response times, as in their table.",
        ),
    )


def counts_table(results: Sequence[Result]) -> DataTable:
    """The other counts of the measured seconds of each result."""
    figures = _figures(results)
    columns = [figures[name] for name in _COUNTS if name in figures]
    return DataTable(
        caption="Counts of the measured seconds",
        columns=(
            Column(title="Result"),
            *number_columns(*(f"{each.title}, {each.unit_text}" if each.unit else each.title for each in columns)),
        ),
        rows=tuple(
            (result.name, *(_count_text(result.headline, each, place) for each in columns))
            for place, result in enumerate(results)
        ),
    )


def _percent_text(figure: Difference, place: int) -> str:
    return UNKNOWN if place == 0 else signed_percent(figure.percent[place])


def _figures(results: Sequence[Result]) -> dict[str, Difference]:
    return {each.figure: each for each in differences(results[0].headline, [result.totals for result in results])}


def _count_text(headline: Headline, figure: Difference, place: int) -> str:
    value = figure.values[place]
    if figure.unit is Unit.RATE:
        return headline.text(value)
    return decimal(value, 2) if figure.figure == "Rollbacks" else whole(value)


def _client_labels(results: Sequence[Result]) -> tuple[list[str], str]:
    """The rows of the clients' table: the labels that all measured results share, else their numbers, with a note."""
    shared = {tuple(label for label, _ in result.clients) for result in results if result.run is not None}
    most = max((len(result.clients) for result in results), default=0)
    numbers = [f"client {number}" for number in range(1, most + 1)]
    labels = list(shared.pop()) if len(shared) == 1 else []
    if len(labels) == most:
        return labels, ""
    return numbers, "Clients are compared by their order, because their labels differ." if labels or shared else ""


def _variability_note(results: Sequence[Result]) -> str:
    shown = [variability_text(totals_variability_pct(result.totals)) for result in results]
    if all(text == UNKNOWN for text in shown):
        return ""
    order = ", in the order of the columns" if len(shown) > 1 else ""
    return f"Variability of the clients: {listed(shown)}{order}."


def _client_change_rows(measured: Sequence[Result], compared: ClientsCompared) -> tuple[tuple[str, ...], ...]:
    rows, headline = [], measured[0].headline
    for client in compared.clients:
        rates = client.figure("headline running")
        for place, result in enumerate(measured[1:], start=1):
            texts = headline.text(rates.values[place]), *change_texts(headline, rates, place)
            rows.append((client.label, result.name, *texts))
    return tuple(rows)
