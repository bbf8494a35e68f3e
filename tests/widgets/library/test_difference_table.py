"""The table of differences."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.comparison import Unit, differences
from engine.analysis.comparing.noise import Noise
from engine.analysis.headline import headline_of
from tests.doubles.samples import OPM
from tests.totals import totals_with
from widgets.library.difference_table import DifferenceModel, DifferenceTable
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, shape_icon

Role = Qt.ItemDataRole
NAMES = ["before", "after"]
TOTALS = [
    totals_with(opm=180_000, rt_ms={"mean": 8.25}, rollback_pct=1.9, errors={}),
    totals_with(opm=150_000, rt_ms={"mean": 12.5}, rollback_pct=2.0, errors={"timeout": 3}),
]


def row_of(model: DifferenceModel, figure: str) -> list[str]:
    columns = range(model.columnCount())
    rows = [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]
    return next(row for row in rows if row[0] == figure)


def sign_of(model: DifferenceModel, figure: str) -> QImage:
    """The image beside a figure's verdict."""
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == figure)
    image: QImage = model.index(row, model.columnCount() - 1).data(Role.DecorationRole).pixmap(16).toImage()
    return image


def titles(model: DifferenceModel) -> list[str]:
    return [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]


def test_model_passes_the_qt_model_tester(look: Look, qtmodeltester: ModelTester) -> None:
    model = DifferenceModel(look)
    qtmodeltester.check(model)
    model.show(NAMES, differences(OPM, TOTALS), 0)
    model.show([*NAMES, "third"], differences(OPM, [*TOTALS, None]), 2)


def test_a_narrow_title_has_the_beginning_and_the_end_of_a_runs_name(look: Look, qtbot: QtBot) -> None:
    def narrow(name: str) -> QImage:
        table = DifferenceTable(look)
        qtbot.addWidget(table)
        table.show_differences([name, "after"], differences(OPM, TOTALS), 0)
        table.resize(600, 200)
        with qtbot.waitExposed(table):
            table.show()
        table.horizontalHeader().resizeSection(1, 120)
        return table.horizontalHeader().grab().toImage()

    same = "with its write cache off, measured again"
    assert narrow(f"first {same} 1") == narrow(f"first {same} 1")
    assert narrow(f"first {same} 1") != narrow(f"later {same} 1")
    assert narrow(f"first {same} 1") != narrow(f"first {same} 2")


def test_differences_are_shown_except_for_the_baseline(look: Look) -> None:
    model = DifferenceModel(look)
    model.show(NAMES, differences(OPM, TOTALS), 0)
    assert titles(model) == ["Figure", "before", "after", "Δ", "Δ %", "Verdict"]
    opm = row_of(model, "OPM running")
    assert opm[1:] == ["180\u202f000", "150\u202f000", "−30\u202f000", "−16.7", "noise unknown"]
    assert row_of(model, "Service time mean, ms")[1:] == ["8.25", "12.5", "+4.25", "+51.5", "noise unknown"]
    assert row_of(model, "Rollbacks, %")[1:] == ["1.90", "2.00", "+0.10", "+5.3", ""]
    assert row_of(model, "Errors")[1:] == ["0", "3", "+3", "–", "worse"]
    assert row_of(model, "Orders")[1:] == ["–"] * 4 + [""]


def test_equal_figures_have_a_verdict_and_no_arrow(look: Look) -> None:
    model = DifferenceModel(look)
    model.show(NAMES, differences(OPM, [TOTALS[0]] * 2), 0, [{}, {"headline running": Noise(percent=1.0, basis="")}])
    for figure, changes in (("OPM running", ["0", "0.0"]), ("Errors", ["0", "–"])):
        assert row_of(model, figure)[3:] == [*changes, "no difference"]
    assert row_of(model, "Rollbacks, %")[-1] == ""
    assert sign_of(model, "OPM running") == shape_icon(Shape.BAR, "muted", look).pixmap(16).toImage()


def test_changing_the_baseline_recomputes_differences(look: Look) -> None:
    model = DifferenceModel(look)
    model.show(NAMES, differences(OPM, TOTALS, baseline=1), 1)
    assert titles(model) == ["Figure", "before", "Δ", "Δ %", "Verdict", "after"]
    opm = row_of(model, "OPM running")
    assert opm[1:] == ["180\u202f000", "+30\u202f000", "+20.0", "noise unknown", "150\u202f000"]


def test_differences_have_word_shape_and_colour(look: Look) -> None:
    model = DifferenceModel(look)
    in_set = Noise(percent=20.0, basis="the spread of the 5 runs of set “SSD”")
    noises = [{}, {"headline running": in_set, "Service time mean": in_set}]
    model.show(NAMES, differences(OPM, TOTALS), 0, noises)
    opm, mean, rollbacks = (
        [model.index(row, column) for column in (3, 4, 5)]
        for row in (
            next(row for row in range(model.rowCount()) if model.index(row, 0).data().startswith(name))
            for name in ("OPM running", "Service time mean", "Rollbacks")
        )
    )
    assert opm[2].data() == "within noise"
    assert {index.data(Role.ForegroundRole).color().name() for index in opm} == {look.colours.muted}
    assert opm[1].data(Role.ToolTipRole) == (
        "Higher is better. Up to ±20.0\u202f% may be chance: from the spread of the 5 runs of set “SSD”."
    )
    assert mean[2].data() == "worse"
    assert {index.data(Role.ForegroundRole).color().name() for index in mean} == {look.colours.bad}
    assert not mean[2].data(Role.DecorationRole).isNull()
    assert "Lower is better." in mean[2].data(Role.ToolTipRole)
    assert [index.data(Role.ForegroundRole) for index in rollbacks] == [None] * 3


def test_difference_below_display_precision_is_neutral(look: Look) -> None:
    model = DifferenceModel(look)
    model.show(NAMES, differences(OPM, [TOTALS[0], totals_with(TOTALS[0], opm=180_010)]), 0)
    assert row_of(model, "OPM running")[3:] == ["+10", "0.0", "no difference"]
    assert sign_of(model, "OPM running") == shape_icon(Shape.BAR, "muted", look).pixmap(16).toImage()
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "OPM running")
    assert model.index(row, 5).data(Role.ForegroundRole).color().name() == look.colours.muted


def test_differences_of_response_times_have_the_decimals_of_the_times(look: Look) -> None:
    model = DifferenceModel(look)
    before = totals_with(TOTALS[0], rt_ms={"mean": 10.59, "p95": 19.7, "max": 813.6})
    model.show(NAMES, differences(OPM, [before, totals_with(TOTALS[0], rt_ms={"mean": 9.5, "max": 527.1})]), 0)
    assert row_of(model, "Service time max, ms")[1:4] == ["814", "527", "−286"]
    assert row_of(model, "Service time mean, ms")[1:4] == ["10.6", "9.50", "−1.09"]
    assert row_of(model, "Service time p95, ms")[1:4] == ["19.7", "–", "–"]
    model.show(NAMES, differences(OPM, [totals_with(rt_ms={"max": 4.2}), totals_with(rt_ms={"max": 23_579.4})]), 0)
    assert row_of(model, "Service time max, ms")[1:4] == ["4.20", "23\u202f579", "+23\u202f575"]


def test_differences_of_small_rates_per_watt_have_the_decimals_of_the_rates(look: Look) -> None:
    model = DifferenceModel(look)
    per_watt = replace(
        differences(OPM, TOTALS)[0],
        title="Trades/s per watt",
        unit=Unit.RATE_PER_WATT,
        metric=headline_of("brokerage").metric,
        values=(0.034, 0.0362),
        absolute=(None, 0.0022),
    )
    model.show(NAMES, [per_watt], 0)
    assert row_of(model, "Trades/s per watt")[1:4] == ["0.0340", "0.0362", "+0.0022"]


def test_counts_of_runs_of_different_length_are_not_compared(look: Look) -> None:
    model = DifferenceModel(look)
    model.show(
        NAMES,
        differences(OPM, [totals_with(orders=60, measured_seconds=60), totals_with(orders=180, measured_seconds=180)]),
        0,
    )
    orders = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == "Orders")
    assert [model.index(orders, column).data() for column in range(1, 6)] == ["60", "180", "–", "–", ""]
    assert "measured for different times" in model.index(orders, 4).data(Role.ToolTipRole)


def test_difference_table_is_copied_as_text(look: Look, qtbot: QtBot) -> None:
    table = DifferenceTable(look)
    qtbot.addWidget(table)
    table.show_differences(NAMES, differences(OPM, TOTALS), 0)
    table.copy_all()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[:2] == [
        "Figure\tbefore\tafter\tΔ\tΔ %\tVerdict",
        "OPM running\t180000\t150000\t-30000\t-16.7\tnoise unknown",
    ]
    assert len(lines) == 15
