"""The import of host figures: which run, how it lies beside it, and what is kept."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.host.files import HostFile, HostFileKind
from engine.analysis.host.series import HostSeries
from engine.report.run_listing import RunListing
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_series
from tests.widgets.library.runs import a_stored_run
from tests.widgets.parts.charts import drawn_points
from widgets.library.host_import_dialog import HostImportDialog
from widgets.parts.look import Look

RUNS = [a_stored_run(name=f"run {number}", minutes_later=60 * number) for number in range(2)]
LISTINGS = [RunListing.of(record) for record, _ in RUNS]
IDS = [record.run_id for record, _ in RUNS]


@pytest.fixture
def dialog(look: Look, qtbot: QtBot) -> HostImportDialog:
    dialog = HostImportDialog(look, "meter.csv")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def a_file(*series: HostSeries, has_zone: bool = True) -> HostFile:
    return HostFile(
        kind=HostFileKind.METER, series=series or (a_series(),), notes=("Line 7 is too short.",), has_zone=has_zone
    )


def test_proposed_run_is_requested_and_shown(dialog: HostImportDialog, qtbot: QtBot) -> None:
    assert not dialog.import_button.isEnabled()
    with qtbot.waitSignal(dialog.run_chosen) as signal:
        dialog.offer_runs(LISTINGS, IDS[1])
    assert signal.args == [IDS[1]]
    dialog.show_file(RUNS[0][1], a_file())
    assert not dialog.import_button.isEnabled()
    dialog.show_file(RUNS[1][1], a_file(has_zone=False))
    assert dialog.import_button.isEnabled()
    assert "power meter: 1 counter." in dialog.about.text()
    assert "no time zone" in dialog.about.text()
    assert "Line 7 is too short." in dialog.about.text()


def test_another_run_can_be_selected(dialog: HostImportDialog, qtbot: QtBot) -> None:
    dialog.offer_runs(LISTINGS, IDS[0])
    dialog.show_file(RUNS[0][1], a_file())
    dialog.runs.setFocus()
    with qtbot.waitSignal(dialog.run_chosen) as signal:
        qtbot.keyClick(dialog.runs, Qt.Key.Key_Down)
    assert signal.args == [IDS[1]]
    assert not dialog.import_button.isEnabled()


def test_shift_is_shown_and_emitted_with_the_note(dialog: HostImportDialog, qtbot: QtBot) -> None:
    dialog.offer_runs(LISTINGS, IDS[0])
    dialog.show_file(RUNS[0][1], a_file(a_series(first=-89)))
    assert "no value lies in the span" in dialog.about.text()
    dialog.shift.setValue(90)
    QApplication.processEvents()
    assert "no value" not in dialog.about.text()
    assert len(drawn_points(dialog.charts.by_group["power", 0], (1, 0))[0]) > 10
    qtbot.keyClicks(dialog.note, " at the rack ")
    with qtbot.waitSignal(dialog.import_requested) as signal:
        qtbot.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)
    assert signal.args == [IDS[0], 90.0, "at the rack"]


def test_unreadable_file_is_reported(dialog: HostImportDialog) -> None:
    dialog.offer_runs(LISTINGS, IDS[0])
    dialog.show_trouble(IDS[1], "too late")
    assert dialog.trouble == "Reading the file …"
    dialog.show_trouble(IDS[0], "The file holds nothing.")
    assert dialog.trouble == "The file holds nothing."
    assert not dialog.import_button.isEnabled()


def test_every_control_has_a_name(dialog: HostImportDialog) -> None:
    dialog.offer_runs(LISTINGS, IDS[0])
    dialog.show_file(RUNS[0][1], a_file())
    assert nameless_controls(dialog) == []
