"""The model of a table of texts."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from widgets.parts.table.text_model import TextModel, Texts

ROLE = Qt.ItemDataRole


def test_model_passes_the_qt_model_tester(qapp: object) -> None:
    model = TextModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_texts(Texts(("a", "b", "c"), (("1", "2", "3"),)))
    assert (model.rowCount(), model.columnCount()) == (1, 3)
    model.show_texts(Texts(("a",), (("1",), ("2",))))
    assert (model.rowCount(), model.columnCount()) == (2, 1)
    model.show_texts(Texts((), ()))
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    assert tester.model() is model


def test_text_is_left_and_numbers_are_right_aligned_with_tool_tips(qapp: object) -> None:
    model = TextModel(tips={"lost": "not there"})
    model.show_texts(Texts(("What", "Of", "Count"), (("lost", "ds2", "3"),), words=2))
    cells = [model.index(0, column) for column in range(3)]
    is_right = [bool(each.data(ROLE.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight) for each in cells]
    assert is_right == [False, False, True]
    assert [model.headerData(column, Qt.Orientation.Horizontal) for column in range(3)] == ["What", "Of", "Count"]
    assert [each.data(ROLE.ToolTipRole) for each in cells] == ["not there", None, None]
    assert model.headerData(3, Qt.Orientation.Horizontal) is None
    assert model.data(QModelIndex()) is None
