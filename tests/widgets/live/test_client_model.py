"""The client table's model: what each cell says, shows and sorts by."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.figure_text import UNKNOWN
from tests.doubles.live_runs import LOST_FROM, a_live_run, a_plan, a_second
from tests.texts import number_in
from widgets.live.client_cells import Column
from widgets.live.client_model import CLIENT_ROLE, SORT_ROLE, SPARK_ROLE, ClientModel
from widgets.parts.look import LIGHT, Look

TOTAL = 4


def a_model(run: RunData | None = None) -> ClientModel:
    model = ClientModel(Look())
    model.show_run(a_live_run(4, 120, troubled=False) if run is None else run)
    return model


def cell(model: ClientModel, row: int, column: Column, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    return model.index(row, column).data(role)


def test_model_passes_the_qt_model_tester(qtmodeltester: ModelTester) -> None:
    model = a_model()
    qtmodeltester.check(model)
    model.refresh()
    model.show_run(a_live_run(2, 10))
    assert model.rowCount() == 3


def test_an_empty_model_has_columns_and_no_rows(qtmodeltester: ModelTester) -> None:
    model = ClientModel(Look())
    qtmodeltester.check(model)
    model.refresh()
    assert (model.rowCount(), model.columnCount()) == (0, len(Column))


def test_row_has_the_figures_of_its_client(qtbot: QtBot) -> None:
    run = a_live_run(4, 120, troubled=False)
    model, figures = a_model(run), run.figures(2)
    assert cell(model, 1, Column.CLIENT) == "ds2_2"
    assert number_in(cell(model, 1, Column.HEADLINE_RUNNING)) == figures.headline_rate_running
    assert number_in(cell(model, 1, Column.HEADLINE_NOW)) == figures.headline_rate_now
    assert number_in(cell(model, 1, Column.COUNT)) == figures.orders
    assert cell(model, 1, Column.SHARE) == "25.0"
    assert cell(model, 1, Column.P95) == "11.8"
    assert cell(model, TOTAL, Column.CLIENT) == "Total"
    assert number_in(cell(model, TOTAL, Column.COUNT)) == run.figures().orders


def test_unknown_values_are_not_zero(qtbot: QtBot) -> None:
    model = a_model(RunData(a_plan(4)))
    unknown = (Column.HEADLINE_RUNNING, Column.HEADLINE_NOW, Column.SHARE, Column.P95)
    assert [cell(model, 0, column) for column in unknown] == [UNKNOWN] * 4
    assert cell(model, 0, Column.ERRORS) == "0"


def test_tick_emits_one_data_change(qtbot: QtBot) -> None:
    run = a_live_run(4, 60)
    model = a_model(run)
    changes: list[tuple[int, int, int, int]] = []

    def note(first: object, last: object) -> None:
        changes.append((first.row(), first.column(), last.row(), last.column()))  # type: ignore[attr-defined]

    model.dataChanged.connect(note)
    run.add(a_second(1, 60))
    model.refresh()
    assert changes == [(0, 0, TOTAL, len(Column) - 1)]


def test_states_have_unique_words_and_signs(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, LOST_FROM + 10))
    assert [cell(model, row, Column.STATE) for row in range(TOTAL)] == ["ok", "lost", "ok", "ok"]
    signs = [cell(model, row, Column.STATE, Qt.ItemDataRole.DecorationRole) for row in range(TOTAL + 1)]
    assert all(isinstance(sign, QIcon) for sign in signs[:-1])
    pictures = [sign.pixmap(16).toImage() for sign in signs[:-1] if isinstance(sign, QIcon)]
    assert pictures[0] == pictures[2]
    assert pictures[0] != pictures[1]
    assert signs[-1] is None


def test_clients_have_the_colour_of_their_curve(qtbot: QtBot) -> None:
    model = a_model()
    swatches = [cell(model, row, Column.CLIENT, Qt.ItemDataRole.DecorationRole) for row in range(TOTAL)]
    assert swatches == [QColor(colour) for colour in LIGHT.clients[:TOTAL]]


def test_numbers_sort_as_numbers(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, LOST_FROM + 10))
    keys = [cell(model, row, Column.HEADLINE_NOW, SORT_ROLE) for row in range(TOTAL)]
    assert keys[1] == -1
    assert all(isinstance(key, float) and key > 0 for key in (keys[0], keys[2], keys[3]))
    assert [cell(model, row, Column.CLIENT, SORT_ROLE) for row in range(TOTAL)] == [1.0, 2.0, 3.0, 4.0]


def test_cells_have_sort_keys_and_accessible_text(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, LOST_FROM + 10))
    for row in range(TOTAL + 1):
        for column in Column:
            assert isinstance(cell(model, row, column, SORT_ROLE), float | str)
            assert cell(model, row, column, Qt.ItemDataRole.AccessibleTextRole)
    assert cell(model, 0, Column.CLIENT, Qt.ItemDataRole.AccessibleTextRole) == "ds2_1, shown in the chart"
    assert cell(model, 1, Column.STATE, Qt.ItemDataRole.AccessibleTextRole) == "State lost"


def test_errors_have_a_tool_tip_by_class(qtbot: QtBot) -> None:
    model = a_model(a_live_run(4, 215))
    assert cell(model, 0, Column.ERRORS, Qt.ItemDataRole.ToolTipRole) == "connection lost: 36"


def test_unchecking_a_box_hides_the_curve_and_emits(qtbot: QtBot) -> None:
    model = a_model()
    index = model.index(1, Column.CLIENT)
    assert model.flags(index) & Qt.ItemFlag.ItemIsUserCheckable
    with qtbot.waitSignal(model.visible_changed) as changed:
        assert model.setData(index, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert changed.args == [2, False]
    assert Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) is Qt.CheckState.Unchecked
    assert not model.is_shown(2)
    model.show_run(a_live_run(4, 5))
    assert model.is_shown(2)


def test_the_total_has_no_box_and_no_client(qtbot: QtBot) -> None:
    model = a_model()
    total = model.index(TOTAL, Column.CLIENT)
    assert not model.flags(total) & Qt.ItemFlag.ItemIsUserCheckable
    assert not model.setData(total, Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert total.data(CLIENT_ROLE) is None


def test_external_hiding_is_not_emitted_again(qtbot: QtBot) -> None:
    model = a_model()
    with qtbot.assertNotEmitted(model.visible_changed):
        model.set_shown(3, False)
    assert model.item(2, Column.CLIENT).checkState() is Qt.CheckState.Unchecked


def test_isolated_client_is_bold(qtbot: QtBot) -> None:
    model = a_model()
    model.set_isolated(3)
    fonts = [cell(model, row, Column.CLIENT, Qt.ItemDataRole.FontRole) for row in range(TOTAL + 1)]
    assert [font is not None for font in fonts] == [False, False, True, False, True]


def test_headers_have_tool_tips(qtbot: QtBot) -> None:
    model = a_model()
    horizontal = Qt.Orientation.Horizontal
    assert model.headerData(Column.SHARE, horizontal) == "Share %"
    assert model.headerData(Column.SHARE, horizontal, Qt.ItemDataRole.ToolTipRole)


def test_spark_data_is_passed_to_the_delegate(qtbot: QtBot) -> None:
    model = a_model()
    values, top = model.index(0, Column.SPARK).data(SPARK_ROLE)
    assert len(values) == 120
    assert values.max() <= top


@pytest.mark.parametrize(("clients", "same"), [(8, False), (9, True)])
def test_clients_beyond_eight_share_one_hue(qtbot: QtBot, clients: int, same: bool) -> None:
    model = a_model(a_live_run(clients, 3))
    assert (model.colour(1) == model.colour(2)) is same
