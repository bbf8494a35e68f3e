"""Grouped bars, drawn into matplotlib's axes. Called by ``charts``.

The bars are horizontal, so that the name of each group has its own line and is neither turned nor cut off.
"""

import textwrap

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from engine.figure_text import decimal
from engine.report.charts.lines import draw_legend, plain_axes
from engine.report.charts.palette import Palette, hatch
from engine.report.charts.text import POINTS_PER_INCH, SMALL
from engine.report.document import BarChart

_BAR_MM = 5.2
_GROUP_GAP_MM = 3.2
_AROUND_MM = 14.0
_FILLED = 0.9
_NAME_SHARE = 0.32
_LETTER_PT = 4.4
_MOST_LINES = 3
_VALUE_ROOM = 1.16


def bars_height_mm(chart: BarChart) -> float:
    """The height that the bars need, with legend and axis label."""
    return _AROUND_MM + len(chart.groups) * (len(chart.bars) * _BAR_MM + _GROUP_GAP_MM)


def draw_bars(figure: Figure, axes: Axes, chart: BarChart, palette: Palette) -> None:
    """Draw the chart into empty axes, and its legend below them."""
    thick = _group_share(chart) / max(1, len(chart.bars))
    drawn = [_draw_kind(axes, chart, number, thick, palette) for number in range(len(chart.bars))]
    _set_axes(figure, axes, chart, palette)
    if len(chart.bars) > 1:
        draw_legend(figure, [bars.label for bars in chart.bars], palette, drawn)


def _group_share(chart: BarChart) -> float:
    """The share of a group's height that its bars fill; the rest separates it from the next."""
    filled = len(chart.bars) * _BAR_MM
    return _FILLED * filled / (filled + _GROUP_GAP_MM) if filled else _FILLED


def _draw_kind(axes: Axes, chart: BarChart, number: int, thick: float, palette: Palette) -> object:
    bars = chart.bars[number]
    shift = (number - (len(chart.bars) - 1) / 2) * thick
    places = [group + shift for group in range(len(chart.groups))]
    drawn = axes.barh(
        places,
        [0.0 if value is None else value for value in bars.values],
        height=thick * 0.92,
        color=palette.hue(number),
        edgecolor=palette.surface,
        linewidth=0,
        hatch=hatch(number),
    )
    for place, value in zip(places, bars.values, strict=True):
        axes.annotate(
            decimal(value, chart.digits if isinstance(chart.digits, int) else chart.digits(value or 0.0)),
            xy=(value or 0.0, place),
            xytext=(3, 0),
            textcoords="offset points",
            ha="left",
            va="center_baseline",
            color=palette.text,
            fontsize=SMALL,
        )
    return drawn


def _set_axes(figure: Figure, axes: Axes, chart: BarChart, palette: Palette) -> None:
    highest = max((value for bars in chart.bars for value in bars.values if value is not None), default=0.0)
    if chart.level is not None:
        highest = max(highest, chart.level.y)
    axes.set_xlim(0, highest * _VALUE_ROOM or 1.0)
    axes.set_ylim(len(chart.groups) - 0.5, -0.5)
    letters = int(figure.get_figwidth() * POINTS_PER_INCH * _NAME_SHARE / _LETTER_PT)
    axes.set_yticks(range(len(chart.groups)), [_wrapped(name, letters) for name in chart.groups])
    axes.set_xticks([])
    plain_axes(axes, palette)
    axes.tick_params(axis="y", colors=palette.text)
    axes.spines["bottom"].set_visible(False)
    axes.axvline(0, color=palette.muted, linewidth=0.8)
    axes.set_xlabel(chart.y_label, fontsize=SMALL, color=palette.muted, loc="left")
    if chart.level is not None:
        axes.axvline(chart.level.y, color=palette.muted, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.annotate(
            chart.level.label,
            xy=(chart.level.y, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=palette.muted,
            fontsize=SMALL,
        )


def _wrapped(name: str, letters: int) -> str:
    lines = textwrap.wrap(name, letters, break_long_words=True, max_lines=_MOST_LINES, placeholder=" …")
    return "\n".join(lines)
