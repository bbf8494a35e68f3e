import numpy as np
import pytest
from matplotlib.figure import Figure

from engine.report.charts.lines import draw_lines
from engine.report.charts.palette import PAPER
from engine.report.document import AxisFormat, Band, Level, Line, LineChart, LineStyle, Mark
from tests.engine.report.charted import a_line_chart


def drawn(chart: LineChart, width_inches: float = 6.7) -> Figure:
    figure = Figure(figsize=(width_inches, 3), layout="constrained")
    draw_lines(figure, figure.add_subplot(), chart, PAPER)
    figure.draw_without_rendering()
    return figure


def labels(figure: Figure) -> list[str]:
    return [each.get_text() for each in figure.axes[0].texts if each.get_text()]


def test_unknown_values_are_not_drawn() -> None:
    total = drawn(a_line_chart()).axes[0].lines[0]
    x, y = np.asarray(total.get_xdata()), np.asarray(total.get_ydata())
    assert np.isnan(y[(x >= 20) & (x < 30)]).all()
    assert not np.isnan(y[(x < 20) | (x >= 30)]).any()


def test_a_long_line_keeps_its_outage_of_a_second() -> None:
    y = np.full(86_400, 1_000.0)
    y[40_000] = 0.0
    figure = drawn(a_line_chart(lines=(Line(label="all", x=np.arange(86_400.0), y=y),), marks=(), bands=()))
    line = figure.axes[0].lines[0]
    places = np.flatnonzero(np.asarray(line.get_ydata()) == 0)
    assert np.asarray(line.get_xdata())[places].tolist() == [40_000]
    assert len(np.asarray(line.get_xdata())) < 2_000


def test_y_axis_begins_at_0_and_includes_the_level() -> None:
    low, high = drawn(a_line_chart(level=Level(y=9_000, label="goal"))).axes[0].get_ylim()
    assert low == 0
    assert high > 9_000


@pytest.mark.parametrize(
    ("lowest", "highest", "ticks"),
    [
        (2.2, 26_000.0, ["10", "100", "1\u202f000", "10\u202f000"]),
        (3.0, 40.0, ["2", "5", "10", "20"]),
        (10.0, 300.0, ["5", "10", "20", "50", "100", "200"]),
    ],
)
def test_logarithmic_axis_has_round_ticks_and_contains_the_values(
    lowest: float, highest: float, ticks: list[str]
) -> None:
    line = Line(label="p99", x=np.arange(4.0), y=np.array([lowest, np.nan, highest, 0.0]))
    axes = drawn(a_line_chart(lines=(line,), level=None, is_logarithmic=True)).axes[0]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log"
    assert low < lowest < highest < high
    assert [each.get_text() for each in axes.get_yticklabels() if low <= each.get_position()[1] <= high] == ticks


def test_the_legend_names_every_line_and_the_level() -> None:
    (legend,) = drawn(a_line_chart()).legends
    assert [each.get_text() for each in legend.get_texts()] == ["All clients", "ds2_1", "95 % of the baseline"]


def test_single_line_has_no_legend() -> None:
    chart = a_line_chart(level=None)
    assert not drawn(a_line_chart(lines=chart.lines[:1], level=None)).legends


def test_marks_that_are_close_stand_in_rows() -> None:
    figure = drawn(a_line_chart())
    texts = {each.get_text(): each for each in figure.axes[0].texts}
    fault, after = texts["Kill primary"], texts["After the switch"]
    assert not fault.get_window_extent().overlaps(after.get_window_extent())
    assert fault.get_color() == PAPER.mark
    assert after.get_color() == PAPER.muted


@pytest.mark.parametrize("at", [0.0, 30.0, 59.0])
def test_no_label_of_a_mark_leaves_the_picture(at: float) -> None:
    long = "Enclosure 5 pulled by hand and put back again after a while, as it was said to be"
    figure = drawn(a_line_chart(marks=(Mark(x=at, label=long),)), width_inches=3.6)
    shown = next(each for each in figure.axes[0].texts if each.get_text().startswith("Enclosure"))
    extent = shown.get_window_extent()
    assert extent.x0 >= 0
    assert extent.x1 <= figure.bbox.width


def test_marks_outside_of_the_axis_are_left_out() -> None:
    assert "late" not in labels(drawn(a_line_chart(marks=(Mark(x=99, label="late"),))))


def test_narrow_band_has_no_label() -> None:
    assert "warm-up" in labels(drawn(a_line_chart()))
    assert "warm-up" not in labels(drawn(a_line_chart(bands=(Band(x0=0, x1=1, label="warm-up"),))))


def test_a_clock_is_written_as_one() -> None:
    ticks = [each.get_text() for each in drawn(a_line_chart()).axes[0].get_xticklabels()]
    assert {"0:00", "0:30"} <= set(ticks)
    plain = [each.get_text() for each in drawn(a_line_chart(x_format=AxisFormat.NUMBER)).axes[0].get_xticklabels()]
    assert "20" in plain


def test_steps_hold_each_value_until_the_next() -> None:
    chart = a_line_chart()
    steps = Line(label="minutes", x=np.array([0.0, 30.0, 60.0]), y=np.array([1.0, 2.0, 2.0]), style=LineStyle.STEPS)
    line = drawn(a_line_chart(lines=(*chart.lines, steps))).axes[0].lines[2]
    assert line.get_drawstyle() == "steps-post"


def test_chart_without_known_values_is_empty() -> None:
    unknown = Line(label="all", x=np.arange(3.0), y=np.full(3, np.nan))
    figure = drawn(a_line_chart(lines=(unknown,), marks=(), bands=(), level=None))
    assert figure.axes[0].get_ylim()[0] == 0
    no_points = Line(label="all", x=np.empty(0), y=np.empty(0))
    assert drawn(a_line_chart(lines=(no_points,), marks=(), bands=(), level=None)).axes[0].get_xlim() == (0, 1)
