"""The searches of a campaign: the answer, the path as a table and a chart, and the judged figure over the value.

Called by the document of a campaign.
"""

from collections.abc import Sequence

import numpy as np

from engine.campaign.criteria import Criterion
from engine.campaign.fields import label_of
from engine.campaign.journal import CampaignRecord, JournalEntry
from engine.campaign.searching import Point, Verdict
from engine.campaign.steps import SearchStep
from engine.figure_text import UNKNOWN, capitalised
from engine.report.campaign.result import is_search_result
from engine.report.document import (
    Block,
    ChartFigure,
    Column,
    DataTable,
    Level,
    Line,
    LineChart,
    LineStyle,
    Mark,
    Section,
    Text,
    Warn,
)
from engine.report.redaction import redactor


def search_sections(campaign: CampaignRecord) -> list[Section]:
    """A section for each search that came to its end."""
    return [_section(campaign, entry) for entry in campaign.last_entries() if is_search_result(entry)]


def _section(campaign: CampaignRecord, entry: JournalEntry) -> Section:
    step = campaign.plan.steps[int(entry.path) - 1]
    assert isinstance(step, SearchStep)
    redact = redactor(campaign.plan.plan)
    points = [Point.from_dict(plain) for plain in entry.data["points"]]
    label = label_of(campaign.plan.plan, step.field)
    answer = redact(entry.reason)
    blocks: list[Block] = [Text(text=answer) if entry.data["is_certain"] else Warn(text=answer)]
    remarks = dict.fromkeys(redact(remark) for point in points for remark in point.remarks)
    blocks += [Warn(text=remark) for remark in remarks]
    criteria = campaign.plan.criteria_of(step)
    blocks.append(_table(criteria, label, points, campaign))
    blocks += [_path_chart(label, points, entry.data["highest"]), *_figure_charts(criteria, label, points)]
    return Section(title=f"Search: {label[:1].lower()}{label[1:]}", blocks=tuple(blocks))


def _table(criteria: Sequence[Criterion], label: str, points: Sequence[Point], campaign: CampaignRecord) -> DataTable:
    redact = redactor(campaign.plan.plan)
    figures = {_title(criterion): criterion.figure.key for criterion in criteria}
    return DataTable(
        caption="The path of the search, in the order in which it was measured",
        columns=(
            Column(title="No.", is_number=True),
            Column(title=label, is_number=True),
            *(Column(title=title, is_number=True) for title in figures),
            Column(title="Verdict"),
            Column(title="Why"),
            Column(title="Run"),
        ),
        rows=tuple(
            (
                str(number),
                f"{point.value:g}",
                *(_figure(point, key) for key in figures.values()),
                point.verdict.value,
                redact(", ".join(point.reasons)),
                point.run_id or UNKNOWN,
            )
            for number, point in enumerate(points, start=1)
        ),
        note="It holds where " + " and ".join(criterion.text for criterion in criteria) + ".",
    )


def _title(criterion: Criterion) -> str:
    figure = criterion.figure
    return f"{figure.label}, {figure.unit}" if figure.unit else figure.label


def _figure(point: Point, key: str) -> str:
    value = point.figures.get(key)
    return UNKNOWN if value is None else f"{value:.6g}"


def _path_chart(label: str, points: Sequence[Point], highest: float | None) -> ChartFigure:
    numbers = np.arange(1, len(points) + 2, dtype=np.float64)  # the last value lasts as long as the others
    chart = LineChart(
        x_label="Measurement",
        y_label=label,
        lines=(
            Line(
                label="Measured",
                x=numbers,
                y=np.array([point.value for point in (*points, points[-1])], dtype=np.float64),
                style=LineStyle.STEPS,
            ),
        ),
        marks=tuple(
            Mark(x=float(number), label=point.verdict.value, is_fault=point.verdict is not Verdict.HOLDS)
            for number, point in enumerate(points, start=1)
        ),
        level=None if highest is None else Level(y=float(highest), label="highest that holds"),
        alt="The values that the search measured, one after the other; the table of its path holds them.",
    )
    return ChartFigure(caption="The path of the search", chart=chart)


def _figure_charts(criteria: Sequence[Criterion], label: str, points: Sequence[Point]) -> list[Block]:
    """Each judged figure over the value, with its bound; only where two points or more have it, and not all is 0."""
    found: list[Block] = []
    for criterion in criteria:
        figure = criterion.figure
        known = {point.value: value for point in points if (value := point.figures.get(figure.key)) is not None}
        if len(known) < 2 or not any((*known.values(), criterion.limit)):
            continue
        values = sorted(known)
        chart = LineChart(
            x_label=label,
            y_label=_title(criterion),
            lines=(
                Line(
                    label=figure.label,
                    x=np.array(values, dtype=np.float64),
                    y=np.array([known[value] for value in values], dtype=np.float64),
                    style=LineStyle.TOTAL,
                ),
            ),
            level=Level(y=criterion.limit, label=criterion.text),
            alt=f"{figure.label} of the points by value, with the bound; the table of the path holds the figures.",
        )
        found.append(ChartFigure(caption=f"{capitalised(figure.label)} by {label[:1].lower()}{label[1:]}", chart=chart))
    return found
