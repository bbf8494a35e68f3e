"""The editor of campaigns, with its templates."""

import pytest
from pytestqt.qtbot import QtBot

from widgets.campaigns.editor import TEMPLATES, CampaignEditor
from widgets.parts.look import Look

SMALL = 1_170
"""The room for it, in pixels, in a window of 1280."""


@pytest.mark.parametrize("name", [name for _, name in TEMPLATES])
def test_no_line_of_a_template_is_wider_than_the_editor_in_a_small_window(qtbot: QtBot, name: str) -> None:
    editor = CampaignEditor(Look())
    qtbot.addWidget(editor)
    editor.resize(SMALL, 700)
    editor.show()
    editor.put_template(name)
    lines, metrics = editor.text.toPlainText().splitlines(), editor.text.fontMetrics()
    room = editor.text.viewport().width() - 2 * editor.text.document().documentMargin()
    assert [line for line in lines if metrics.horizontalAdvance(line) > room] == []
