"""Published results: those that come with Spindle stay, the user's own are typed and removed."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.references import Reference, shipped_references
from engine.figure_text import UNKNOWN
from engine.workload.registry import WHOLESALE
from tests.widgets.accessibility import nameless_controls
from widgets.library.references_dialog import ReferencesDialog

OWN = Reference(name="Ours", source="a white paper", client_headline_rates=(100, 90), factors={"storage": "NVMe"})


@pytest.fixture
def dialog(qtbot: QtBot) -> ReferencesDialog:
    dialog = ReferencesDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.show_references([*shipped_references(), OWN])
    return dialog


def cells(dialog: ReferencesDialog, row: int) -> list[str]:
    items = [dialog.table.item(row, column) for column in range(dialog.table.columnCount())]
    return [item.text() for item in items if item is not None]


def test_references_are_listed_with_figures_and_source(dialog: ReferencesDialog) -> None:
    assert cells(dialog, 0)[:4] == ["R630, 4 databases, HDD, 100 ms", "20\u202f736", "OPM", "29.13\u202f%"]
    assert cells(dialog, 0)[4] == shipped_references()[0].source
    assert cells(dialog, dialog.table.rowCount() - 1) == ["Ours", "190", "OPM", "10.00\u202f%", "a white paper"]


def test_only_own_references_can_be_removed(dialog: ReferencesDialog, qtbot: QtBot) -> None:
    dialog.table.selectRow(0)
    assert not dialog.remove_button.isEnabled()
    assert "Comes with Spindle" in dialog.remove_button.toolTip()
    dialog.table.selectRow(dialog.table.rowCount() - 1)
    with qtbot.waitSignal(dialog.remove_requested) as signal:
        qtbot.mouseClick(dialog.remove_button, Qt.MouseButton.LeftButton)
    assert signal.args == ["Ours"]


def test_typed_reference_is_validated_and_added(dialog: ReferencesDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.fields["name"], "Theirs")
    assert "Source of a reference is empty" in dialog.problem.text()
    qtbot.keyClicks(dialog.fields["source"], "their site")
    qtbot.keyClicks(dialog.fields["headline_rate"], "many")
    assert dialog.problem.text().startswith("OPM is 'many'; give")
    assert not dialog.add_button.isEnabled()
    dialog.fields["headline_rate"].clear()
    qtbot.keyClicks(dialog.fields["clients"], "5,567; 6,055")
    dialog.factors.type_in(0, 0, "storage")
    dialog.factors.type_in(0, 1, "SSD")
    with qtbot.waitSignal(dialog.add_requested) as signal:
        qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    added = signal.args[0]
    assert (added.name, added.client_headline_rates, dict(added.factors)) == (
        "Theirs",
        (5567, 6055),
        {"storage": "SSD"},
    )
    dialog.show_references([*shipped_references(), OWN, added])
    assert dialog.fields["name"].text() == ""
    assert dialog.factors.rows() == []


def test_rejected_reference_stays_in_the_form(dialog: ReferencesDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.fields["name"], "Theirs")
    dialog.show_references([*shipped_references(), OWN])
    assert dialog.fields["name"].text() == "Theirs"


def test_import_button_requests_a_csv_file(dialog: ReferencesDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.import_requested):
        qtbot.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)


def test_every_control_has_a_name(dialog: ReferencesDialog) -> None:
    assert nameless_controls(dialog) == []


def test_each_field_and_the_factors_have_a_label(dialog: ReferencesDialog) -> None:
    labelled = {label.buddy() for label in dialog.findChildren(QLabel)}
    assert {*dialog.fields.values(), dialog.workload, dialog.factors} <= labelled


def test_a_result_of_wholesale_is_typed_in_its_own_words(dialog: ReferencesDialog, qtbot: QtBot) -> None:
    dialog.workload.setCurrentIndex(dialog.workload.findData(WHOLESALE))
    buddies = {label.buddy(): label.text() for label in dialog.findChildren(QLabel) if label.buddy() is not None}
    assert buddies[dialog.fields["headline_rate_lowest"]] == "&Lowest running NOPM after it"
    assert not any("OPM" in text and "NOPM" not in text for text in buddies.values())
    for name, text in (("name", "Theirs"), ("source", "a paper"), ("headline_rate_before", "many")):
        qtbot.keyClicks(dialog.fields[name], text)
    assert dialog.problem.text().startswith("Running NOPM before is 'many'")
    for name, text in (("headline_rate_before", "90000"), ("headline_rate_lowest", "80000"), ("back_seconds", "9.5")):
        dialog.fields[name].clear()
        qtbot.keyClicks(dialog.fields[name], text)
    with qtbot.waitSignal(dialog.add_requested) as signal:
        qtbot.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
    assert signal.args == [
        Reference(
            name="Theirs",
            source="a paper",
            workload=WHOLESALE,
            headline_rate_before=90_000,
            headline_rate_lowest=80_000,
            back_seconds=9.5,
        )
    ]
    dialog.show_references(signal.args)
    assert cells(dialog, 0) == ["Theirs", "90\u202f000", "NOPM", UNKNOWN, "a paper"]
