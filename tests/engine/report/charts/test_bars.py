from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from engine.report.charts.bars import bars_height_mm, draw_bars
from engine.report.charts.palette import PAPER
from engine.report.document import BarChart, Bars, Level
from tests.engine.report.charted import a_bar_chart


def drawn(chart: BarChart) -> Figure:
    figure = Figure(figsize=(6.7, 3), layout="constrained")
    draw_bars(figure, figure.add_subplot(), chart, PAPER)
    figure.draw_without_rendering()
    return figure


def test_every_bar_is_as_long_as_its_value_and_carries_it() -> None:
    axes = drawn(a_bar_chart()).axes[0]
    measured, published = (each for each in axes.containers if isinstance(each, BarContainer))
    assert [bar.get_width() for bar in measured] == [20_736, 186_604]
    assert [bar.get_width() for bar in published] == [24_085, 0]
    assert [each.get_text() for each in axes.texts] == ["20\u202f736", "186\u202f604", "24\u202f085", "–"]


def test_the_first_group_stands_on_top() -> None:
    axes = drawn(a_bar_chart()).axes[0]
    assert axes.yaxis_inverted()
    assert [each.get_text() for each in axes.get_yticklabels()] == ["4 databases, HDD", "4 databases, SSD"]


def test_a_long_name_is_broken_into_lines_within_the_picture() -> None:
    name = "four databases on solid state drives in one enclosure with everything " * 3
    figure = drawn(a_bar_chart(groups=(name, "b")))
    label = figure.axes[0].get_yticklabels()[0]
    assert label.get_text().count("\n") == 2
    assert label.get_window_extent().x0 >= 0


def test_single_series_has_no_legend() -> None:
    assert not drawn(a_bar_chart(bars=(Bars(label="OPM", values=(1.0, 2.0)),))).legends
    assert len(drawn(a_bar_chart()).legends[0].get_texts()) == 2


def test_bars_use_digits_and_level() -> None:
    chart = a_bar_chart(bars=(Bars(label="ms", values=(1.25, 2.0)),), digits=1, level=Level(y=300.0, label="level"))
    axes = drawn(chart).axes[0]
    assert {"1.2", "2.0", "level"} == {each.get_text() for each in axes.texts}
    assert axes.get_xlim()[1] > 300


def test_more_bars_are_higher() -> None:
    more = a_bar_chart(groups=("a", "b", "c"), bars=(Bars(label="OPM", values=(1.0, 2.0, 3.0)),) * 2)
    assert bars_height_mm(more) > bars_height_mm(a_bar_chart())
