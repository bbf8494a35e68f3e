"""Curves over one x-axis, with marks, bands and a level, drawn into matplotlib's axes. Called by ``charts``."""

from collections.abc import Iterator, Sequence
from itertools import count
from math import ceil, floor, log10
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, MultipleLocator, NullLocator

from engine.analysis.series.bins import min_max_bins
from engine.figure_text import clock, shortest
from engine.report.charts.palette import Palette, dashes
from engine.report.charts.text import POINTS_PER_INCH, SMALL, shortened, text_width_pt
from engine.report.document import AxisFormat, BandTone, Level, Line, LineChart, LineStyle, Mark

_HEADROOM, _HEADROOM_WITH_BANDS = 1.06, 1.16
_TICK_LABELS_PT = 38.0
_MOST_LOGARITHMIC_TICKS, _LOGARITHMIC_FOOTROOM = 8, 1.09
_ROW_PT, _ABOVE_PT, _BESIDE_PT = 10.0, 4.0, 3.0
_MOST_ROWS = 5
_LABEL_SHARE = 0.5
_TICK_WIDTH_PT = 62.0
_TICK_DIGITS = 9
_CLOCK_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800)
_LEGEND_HANDLE_PT = 40.0
_WEIGHTS = {
    LineStyle.TOTAL: 1.1,
    LineStyle.AVERAGE: 0.8,
    LineStyle.SERIES: 1.0,
    LineStyle.STEPS: 1.1,
    LineStyle.BACKGROUND: 0.6,
}
_AVERAGE_DASHES = (0, (8, 3))


def draw_lines(figure: Figure, axes: Axes, chart: LineChart, palette: Palette) -> None:
    """Draw the chart into empty axes, and its legend below them."""
    width_pt = figure.get_figwidth() * POINTS_PER_INCH - _TICK_LABELS_PT
    _set_axes(axes, chart, palette, width_pt)
    _draw_bands(axes, chart, palette, width_pt)
    handles = [_draw_line(axes, *each) for each in zip(chart.lines, _styles(chart.lines, palette), strict=True)]
    if chart.level is not None:
        handles.append(_draw_level(axes, chart.level, palette))
    _draw_marks(axes, chart, palette, width_pt)
    if len(handles) > 1:
        draw_legend(figure, [str(handle.get_label()) for handle in handles], palette, handles)


def draw_legend(figure: Figure, labels: list[str], palette: Palette, handles: Sequence[Any]) -> None:
    """Draw a legend below the axes, in as many columns as fit."""
    widest = max(map(text_width_pt, labels)) + _LEGEND_HANDLE_PT
    columns = max(1, min(len(labels), int(figure.get_figwidth() * POINTS_PER_INCH / widest)))
    figure.legend(
        handles,
        labels,
        loc="outside lower left",
        ncols=columns,
        fontsize=SMALL,
        frameon=False,
        labelcolor=palette.text,
        handlelength=2.6,
        columnspacing=1.6,
        borderaxespad=0.2,
    )


def plain_axes(axes: Axes, palette: Palette) -> None:
    """Set what all charts have in common: no frame, unobtrusive ticks."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(palette.muted)
    axes.spines["bottom"].set_linewidth(0.6)
    axes.tick_params(length=0, colors=palette.muted, pad=5)


def _set_axes(axes: Axes, chart: LineChart, palette: Palette, width_pt: float) -> None:
    known = [line for line in chart.lines if not np.isnan(line.y).all()]
    first, last = _span(chart)
    highest = max((float(np.nanmax(line.y)) for line in known), default=0.0)
    if chart.level is not None:
        highest = max(highest, chart.level.y)
    headroom = _HEADROOM_WITH_BANDS if any(band.label for band in chart.bands) else _HEADROOM
    axes.set_xlim(first, last)
    if chart.is_logarithmic:
        _set_logarithmic(axes, min(float(line.y[line.y > 0].min()) for line in known), highest, headroom)
    else:
        axes.set_ylim(0, highest * headroom or 1.0)
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    ticks = max(2, int(width_pt / _TICK_WIDTH_PT))
    if chart.x_format is AxisFormat.CLOCK:
        axes.xaxis.set_major_locator(MultipleLocator(_clock_step((last - first) / ticks)))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(_clock if chart.x_format is AxisFormat.CLOCK else _number))
    axes.yaxis.set_major_formatter(FuncFormatter(_number))
    axes.set_xlabel(chart.x_label, fontsize=SMALL, color=palette.muted, loc="right", labelpad=3)
    axes.grid(axis="y", color=palette.faint, linewidth=0.5)
    axes.set_axisbelow(True)
    plain_axes(axes, palette)


def _set_logarithmic(axes: Axes, lowest: float, highest: float, headroom: float) -> None:
    """A logarithmic y-axis with ticks at 1, 2 and 5 of every decade, or only at 1, as in the window."""
    below = lowest / _LOGARITHMIC_FOOTROOM
    powers = range(floor(log10(below)), ceil(log10(highest)) + 1)
    steps = [multiple * 10.0**power for power in powers for multiple in (1, 2, 5)]
    bottom = max(step for step in steps if step <= below)
    shown = [step for step in steps if bottom <= step <= highest]
    if len(shown) > _MOST_LOGARITHMIC_TICKS:
        shown = [step for step in (10.0**power for power in powers) if bottom <= step <= highest]
    axes.set_yscale("log", nonpositive="mask")
    axes.set_ylim(bottom, bottom * (highest / bottom) ** headroom)
    axes.yaxis.set_major_locator(FixedLocator(shown))
    axes.yaxis.set_minor_locator(NullLocator())


def _span(chart: LineChart) -> tuple[float, float]:
    """From the first to the last x of all curves and bands."""
    ends = [float(x) for line in chart.lines if len(line.x) for x in (line.x[0], line.x[-1])]
    ends += [x for band in chart.bands for x in (band.x0, band.x1)]
    first, last = min(ends, default=0.0), max(ends, default=1.0)
    return (first, last) if last > first else (first, first + 1.0)


def _clock_step(least: float) -> float:
    return next((step for step in _CLOCK_STEPS if step >= least), _CLOCK_STEPS[-1] * (1 + least // _CLOCK_STEPS[-1]))


def _number(value: float, _place: int | None) -> str:
    return shortest(value, _TICK_DIGITS)


def _clock(value: float, _place: int | None) -> str:
    return clock(value)


def _styles(lines: tuple[Line, ...], palette: Palette) -> Iterator[dict[str, Any]]:
    series = count()
    for line in lines:
        style: dict[str, Any] = {"linewidth": _WEIGHTS[line.style]}
        if line.style is LineStyle.TOTAL:
            style |= {"color": palette.text, "zorder": 3.0}
        elif line.style is LineStyle.AVERAGE:
            style |= {"color": palette.text, "linestyle": _AVERAGE_DASHES, "zorder": 2.9}
        elif line.style is LineStyle.BACKGROUND:
            style |= {"color": palette.pale, "zorder": 1.9}
        else:
            number = next(series) if line.hue is None else line.hue
            style |= {"color": palette.hue(number), "linestyle": dashes(number), "zorder": 2.5}
        if line.style is LineStyle.STEPS:
            style["drawstyle"] = "steps-post"
        yield style


def _draw_line(axes: Axes, line: Line, style: dict[str, Any]) -> Line2D:
    places, values = min_max_bins(line.y)
    (drawn,) = axes.plot(line.x[places.astype(np.intp)], values, label=line.label, solid_capstyle="butt", **style)
    return drawn


def _draw_bands(axes: Axes, chart: LineChart, palette: Palette, width_pt: float) -> None:
    first, last = axes.get_xlim()
    tints = {BandTone.PHASE: palette.band, BandTone.PLAIN: "none", BandTone.LOW: palette.low, BandTone.OUT: palette.out}
    for band in chart.bands:
        axes.axvspan(band.x0, band.x1, facecolor=tints[band.tone], linewidth=0, zorder=0.5)
        room_pt = (band.x1 - band.x0) / (last - first) * width_pt
        if band.label and text_width_pt(band.label) + 4 <= room_pt:
            axes.annotate(
                band.label,
                xy=((band.x0 + band.x1) / 2, 1),
                xycoords=("data", "axes fraction"),
                xytext=(0, -2),
                textcoords="offset points",
                ha="center",
                va="top",
                color=palette.muted,
                fontsize=SMALL,
                bbox={"facecolor": tints[band.tone], "edgecolor": "none", "pad": 1.0},
            )


def _draw_level(axes: Axes, level: Level, palette: Palette) -> Line2D:
    return axes.axhline(
        level.y, label=level.label, color=palette.muted, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2.2
    )


def _draw_marks(axes: Axes, chart: LineChart, palette: Palette, width_pt: float) -> None:
    """Draw the label of the y-axis above it, and those of the marks beside it, in several rows where they would
    overlap."""
    axes.annotate(
        chart.y_label,
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(-_TICK_LABELS_PT / 2, 4),
        textcoords="offset points",
        ha="left",
        va="bottom",
        color=palette.muted,
        fontsize=SMALL,
    )
    first, last = axes.get_xlim()
    rows = [[(-_TICK_LABELS_PT, text_width_pt(chart.y_label) - _TICK_LABELS_PT / 2 + 6)]]
    for mark in sorted(chart.marks, key=lambda mark: mark.x):
        if first <= mark.x <= last:
            _draw_mark(axes, mark, (mark.x - first) / (last - first) * width_pt, rows, palette, width_pt)


def _draw_mark(
    axes: Axes,
    mark: Mark,
    at_pt: float,
    rows: list[list[tuple[float, float]]],
    palette: Palette,
    width_pt: float,
) -> None:
    weight, colour = (1.0, palette.mark) if mark.is_fault else (0.6, palette.muted)
    axes.axvline(mark.x, color=colour, linewidth=weight, linestyle=(0, (3, 2)), zorder=2.8)
    label = shortened(mark.label, _LABEL_SHARE * width_pt)
    wide = text_width_pt(label) + 6
    to_the_left = at_pt + wide > width_pt
    room = (at_pt - wide, at_pt) if to_the_left else (at_pt, at_pt + wide)
    row = _free_row(rows, room)
    if row is None:
        return
    side = -1 if to_the_left else 1
    axes.annotate(
        label,
        xy=(mark.x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(side * _BESIDE_PT, _ABOVE_PT + row * _ROW_PT),
        textcoords="offset points",
        ha="right" if to_the_left else "left",
        va="bottom",
        color=colour,
        fontsize=SMALL,
    )
    axes.annotate(
        "",
        xy=(mark.x, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, _ABOVE_PT + (row + 0.8) * _ROW_PT),
        textcoords="offset points",
        arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0},
    )


def _free_row(rows: list[list[tuple[float, float]]], room: tuple[float, float]) -> int | None:
    """The lowest row in which the space is free, which is then occupied; ``None`` when all are full."""
    for row in range(_MOST_ROWS):
        if row == len(rows):
            rows.append([])
        if all(end <= room[0] or room[1] <= begin for begin, end in rows[row]):
            rows[row].append(room)
            return row
    return None
