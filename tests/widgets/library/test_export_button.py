"""What a run can be written as."""

import pytest
from pytestqt.qtbot import QtBot

from engine.report.export_kind import ExportKind
from widgets.library.export_button import ExportButton


@pytest.mark.parametrize("charts_only", [False, True])
def test_menu_lists_formats_and_emits_the_selected_one(charts_only: bool, qtbot: QtBot) -> None:
    button = ExportButton(charts_only=charts_only)
    qtbot.addWidget(button)
    kinds = [kind for kind in ExportKind if kind.is_chart or not charts_only]
    assert [action.text() for action in button.choices.actions()] == [kind.label for kind in kinds]
    for kind, action in zip(kinds, button.choices.actions(), strict=True):
        with qtbot.waitSignal(button.export_requested) as signal:
            action.trigger()
        assert signal.args == [kind]
        assert isinstance(signal.args[0], ExportKind)
