"""What runs were measured on: chosen, changed, written anew, taken back."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import Item
from engine.analysis.headline import headline_of
from engine.analysis.host.power import DeviceWatts
from tests.texts import lacks, plain
from tests.widgets.accessibility import nameless_controls
from widgets.library.configuration_dialog import ConfigurationDialog, Measured

SSD = Configuration(
    name="R630 with SSDs",
    note="rack 4",
    items=(Item(name="server", price=Decimal("7994.88")), Item(name="SSD", count=6, price=Decimal("500"))),
    watts=(DeviceWatts(device="server", active_watts=390, idle_watts=180), DeviceWatts(device="disks")),
    machines=("r630-a", "enclosure"),
    factors={"processors": "2"},
)
HDD = Configuration(name="R630 with HDDs")
RUN = Measured(
    title="It was measured on:", run_ids=("a",), rate=24_433, headline=headline_of("dvdstore"), configuration=SSD.name
)


def a_dialog(qtbot: QtBot, measured: Measured = RUN, proposed: Configuration | None = None) -> ConfigurationDialog:
    dialog = ConfigurationDialog(measured, [HDD, SSD], proposed)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_fields_begin_below_each_other(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    fields = (dialog.choice, dialog.form.name, dialog.form.note, dialog.form.machines)
    assert len({field.mapTo(dialog, field.rect().topLeft()).x() for field in fields}) == 1


def test_configuration_is_shown_and_saved_unchanged(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    assert dialog.choice.currentText() == SSD.name
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.save_button.click()
    assert signal.args == [RUN, SSD]


def test_cost_and_watts_per_opm_are_shown(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    text = plain(dialog.figures.text())
    assert "$10 994.88 in all, $0.45 per OPM at 24 433 OPM." in text
    assert "Not known: active watts of disks; idle watts of disks." in text
    dialog.form.watts.type_in(1, 1, "120")
    assert lacks(dialog.figures.text(), "510.0 W", "47.9 OPM per watt") == []


@pytest.mark.parametrize(
    ("table", "row", "text", "said"),
    [
        ("items", 1, "six", "count of 'SSD'"),
        ("watts", 0, "many", "server"),
    ],
)
def test_invalid_configuration_is_reported_and_not_saved(
    qtbot: QtBot, table: str, row: int, text: str, said: str
) -> None:
    dialog = a_dialog(qtbot)
    getattr(dialog.form, table).type_in(row, 1, text)
    assert said in dialog.problem.text()
    assert not dialog.save_button.isEnabled()
    dialog.choice.setCurrentIndex(0)
    assert dialog.save_button.isEnabled()


def test_duplicate_factor_is_reported(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    dialog.form.factors.type_in(1, 0, "processors")
    dialog.form.factors.type_in(1, 1, "4")
    assert "more than once" in dialog.problem.text()


def test_new_configuration_has_an_empty_form(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    dialog.choice.setCurrentIndex(1)
    assert dialog.problem.text() == ""
    qtbot.keyClicks(dialog.form.name, "Blade")
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.save_button.click()
    assert signal.args == [RUN, Configuration(name="Blade")]


def leave_the_name(qtbot: QtBot, dialog: ConfigurationDialog) -> None:
    with qtbot.waitActive(dialog):
        dialog.activateWindow()
    dialog.form.name.setFocus()
    qtbot.keyClick(dialog.form.name, Qt.Key.Key_Tab)


@pytest.mark.parametrize(
    "touch", [leave_the_name, lambda _, dialog: dialog.save_button.click()], ids=["left", "confirmed"]
)
def test_missing_name_is_reported_on_leaving_or_confirming(
    qtbot: QtBot, touch: Callable[[QtBot, ConfigurationDialog], None]
) -> None:
    dialog = a_dialog(qtbot)
    dialog.choice.setCurrentIndex(1)
    with qtbot.assertNotEmitted(dialog.save_requested):
        touch(qtbot, dialog)
    assert dialog.isVisible()
    assert "Name of the configuration is empty" in dialog.problem.text()
    assert not dialog.save_button.isEnabled()


def test_configuration_can_be_removed_from_the_runs(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    dialog.choice.setCurrentIndex(0)
    assert not dialog.form.isVisible()
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.save_button.click()
    assert signal.args == [RUN, None]


def test_proposed_configuration_can_only_be_saved(qtbot: QtBot) -> None:
    nothing = Measured(title="In a file:")
    dialog = a_dialog(qtbot, nothing, SSD)
    assert "none" not in dialog.choice.itemText(0)
    assert dialog.form.configuration() == SSD
    with qtbot.waitSignal(dialog.save_requested) as signal:
        dialog.save_button.click()
    assert signal.args == [nothing, SSD]


def test_items_are_imported_from_a_table(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    with qtbot.waitSignal(dialog.items_file_requested):
        dialog.form.items_button.click()
    dialog.set_items(Configuration(name="x", items=SSD.items[:1]))
    assert dialog.form.configuration().items == SSD.items[:1]
    assert "7\u202f994.88 in all" in dialog.figures.text()


def test_only_a_stored_configuration_can_be_deleted(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot)
    dialog.choice.setCurrentIndex(1)
    assert not dialog.delete_button.isEnabled()
    dialog.choice.setCurrentIndex(2)
    with qtbot.waitSignal(dialog.delete_requested) as signal:
        dialog.delete_button.click()
    assert signal.args == [HDD.name]


def test_every_control_has_a_name(qtbot: QtBot) -> None:
    assert nameless_controls(a_dialog(qtbot)) == []
