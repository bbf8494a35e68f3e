"""What the swept fields of a campaign did to its headline: a table against the first value, and a chart.

Called by the document of a campaign.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.analysis.comparing.scaling import ScalingPoint
from engine.analysis.headline import Headline
from engine.campaign.fields import label_of, point_text
from engine.campaign.steps import SweepStep
from engine.figure_text import capitalised
from engine.record.totals import NO_TOTALS
from engine.report.campaign.tree import Branch, CampaignTree
from engine.report.document import BarChart, Bars, Block, ChartFigure, Line, LineChart, LineStyle, Section
from engine.report.growth import scaling_blocks
from engine.report.result_tables import chart_value

_LEAST_POINTS = 3


def sweep_sections(tree: CampaignTree, headline: Headline) -> list[Section]:
    """A section for each sweep that has two points or more."""
    sections = []
    for number, step in enumerate(tree.campaign.plan.steps, start=1):
        branches = [branch for branch in tree.branches if branch.step == number and branch.median is not None]
        if isinstance(step, SweepStep) and len(branches) > 1:
            fields = list(step.over)
            title = "By " + " and ".join(_field(tree, name) for name in fields)
            blocks = (
                _one(tree, headline, fields[0], branches)
                if len(fields) == 1
                else _two(tree, headline, fields, branches)
            )
            sections.append(Section(title=title, blocks=tuple(blocks)))
    return sections


def _field(tree: CampaignTree, name: str) -> str:
    label = label_of(tree.campaign.plan.plan, name)
    return f"{label[:1].lower()}{label[1:]}"


def _rate(branch: Branch) -> float | None:
    median = branch.median
    return None if median is None else (median.totals or NO_TOTALS).headline_rate


def _one(tree: CampaignTree, headline: Headline, name: str, branches: Sequence[Branch]) -> list[Block]:
    """Of one field: the scaling against the first value, drawn where it has three numbers or more, else bars."""
    points = [ScalingPoint(factor=str(branch.point[name]), headline_rate=_rate(branch)) for branch in branches]
    blocks = scaling_blocks(headline, _field(tree, name), points)
    if not any(isinstance(block, ChartFigure) for block in blocks):
        blocks.append(_bars(tree, headline, branches))
    return blocks


def _two(tree: CampaignTree, headline: Headline, fields: Sequence[str], branches: Sequence[Branch]) -> list[Block]:
    """Of two fields: a line over the one with more values for each value of the other one; bars where these are few."""
    by_values = {name: list(dict.fromkeys(branch.point[name] for branch in branches)) for name in fields}
    x_name = max(fields, key=lambda name: len(by_values[name]))
    (other,) = (name for name in fields if name != x_name)
    if len(by_values[x_name]) < _LEAST_POINTS or not all(_is_number(value) for value in by_values[x_name]):
        return [_bars(tree, headline, branches)]
    lines = []
    for value in by_values[other]:
        chosen = sorted((b for b in branches if b.point[other] == value), key=lambda branch: branch.point[x_name])
        lines.append(
            Line(
                label=point_text(tree.campaign.plan.plan, {other: value}),
                x=np.array([branch.point[x_name] for branch in chosen], dtype=np.float64),
                y=np.array([np.nan if _rate(b) is None else _rate(b) for b in chosen], dtype=np.float64),
                style=LineStyle.SERIES,
            )
        )
    x_label, caption = _field(tree, x_name), f"{headline.label} by {_field(tree, x_name)} and {_field(tree, other)}"
    chart = LineChart(
        x_label=capitalised(x_label),
        y_label=headline.label,
        lines=tuple(lines),
        alt=f"{caption}; the table of runs holds the figures.",
    )
    return [ChartFigure(caption=f"{caption}, of median runs", chart=chart)]


def _bars(tree: CampaignTree, headline: Headline, branches: Sequence[Branch]) -> ChartFigure:
    chart = BarChart(
        y_label=headline.label,
        groups=tuple(point_text(tree.campaign.plan.plan, branch.point) for branch in branches),
        bars=(Bars(label=headline.label, values=tuple(chart_value(_rate(branch)) for branch in branches)),),
        digits=headline.metric.digits,
        alt=f"Bars of the {headline.rate} of each point's median run.",
    )
    return ChartFigure(caption=f"{headline.label} by point, of median runs", chart=chart)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
