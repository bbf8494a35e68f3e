from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.widgets.contrast import weak_parts


def _on_white(qtbot: QtBot, *parts: QWidget) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    palette = QPalette(QColor("#ffffff"))
    for role in (QPalette.ColorRole.Base, QPalette.ColorRole.Window):
        palette.setColor(role, QColor("#ffffff"))
    window.setPalette(palette)
    layout = QVBoxLayout(window)
    for part in parts:
        layout.addWidget(part)
    window.show()
    return window


def _inked(widget: QWidget, colour: str) -> QWidget:
    palette = widget.palette()
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(role, QColor(colour))
    widget.setPalette(palette)
    return widget


def test_only_a_pale_label_is_found(qtbot: QtBot) -> None:
    window = _on_white(qtbot, _inked(QLabel("pale"), "#999999"), _inked(QLabel("dark"), "#555555"))
    assert [weak.what for weak in weak_parts(window)] == ["QLabel 'pale'"]


def test_a_large_label_needs_less(qtbot: QtBot) -> None:
    label = _inked(QLabel("large"), "#8a8a8a")  # 3.5 to white
    font = label.font()
    font.setPointSize(20)
    label.setFont(font)
    assert weak_parts(_on_white(qtbot, label)) == []


def test_a_pale_cell_is_found(qtbot: QtBot) -> None:
    cells = QListWidget()
    cells.setAccessibleName("runs")
    cells.addItems(["pale", "dark"])
    cells.item(0).setForeground(QColor("#bbbbbb"))
    cells.item(1).setForeground(QColor("#000000"))
    assert [weak.what for weak in weak_parts(_on_white(qtbot, cells))] == ["cell 'pale' of QListWidget 'runs'"]


def test_button_without_a_visible_edge_is_found(qtbot: QtBot) -> None:
    flat, framed = _inked(QPushButton("flat"), "#000000"), _inked(QPushButton("framed"), "#000000")
    flat.setStyleSheet("border: none; padding: 6px; background: #fafafa")
    framed.setStyleSheet("border: 1px solid #808080; padding: 6px; background: #fafafa")
    assert [weak.what for weak in weak_parts(_on_white(qtbot, flat, framed))] == ["frame of QPushButton 'flat'"]
