"""What the tests of the library's widgets share."""

import pytest
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look


@pytest.fixture
def look(qtbot: QtBot) -> Look:
    return Look()
