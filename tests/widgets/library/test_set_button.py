"""The button for run sets, by its menu's actions and the dialogs that they open."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from tests.widgets.library.runs import listings
from widgets.library.set_button import SetButton
from widgets.library.set_dialogs import NewSetDialog, RenameSetDialog
from widgets.parts.look import Look

FREE = [replace(run, name=f"R630 #{number}") for number, run in enumerate(listings(3), start=1)]
IN_SET = [replace(run, run_id=f"x{run.run_id}", run_set="SSD & more") for run in FREE]


def a_set(name: str, runs: list[RunListing]) -> SetListing:
    return SetListing(
        name=name,
        note="",
        run_ids=tuple(run.run_id for run in runs),
        configuration="",
        median_id=runs[0].run_id if runs else "",
        sentence="",
        warning="",
    )


SETS = [a_set("SSD & more", IN_SET), a_set("HDD", [])]


@pytest.fixture
def button(qtbot: QtBot) -> SetButton:
    button = SetButton(Look())
    qtbot.addWidget(button)
    button.show()
    return button


def ids(runs: list[RunListing]) -> list[str]:
    return [run.run_id for run in runs]


def test_set_button_is_disabled_without_runs(button: SetButton) -> None:
    assert not button.isEnabled()
    button.show_selection(FREE, SETS)
    assert button.isEnabled()


def test_runs_without_a_set_form_a_set_in_chronological_order(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection(FREE[::-1], SETS)
    button.make_action.trigger()
    dialog = button.findChild(NewSetDialog)
    assert isinstance(dialog, NewSetDialog)
    assert dialog.name.text() == "R630"
    dialog.name.clear()
    assert not dialog.accept_button.isEnabled()
    assert "empty" in dialog.problem.text
    assert dialog.problem.is_wrong
    qtbot.keyClicks(dialog.name, "hdd")
    assert not dialog.accept_button.isEnabled()
    assert "already" in dialog.problem.text
    qtbot.keyClicks(dialog.name, " 20 ms")
    with qtbot.waitSignal(button.create_requested) as signal:
        qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    assert signal.args == ["hdd 20 ms", ids(FREE)]


@pytest.mark.parametrize(
    ("names", "suggested"),
    [
        (("X, run 1/2", "X, run 2/2"), "X"),
        (("X, run 1", "X, run 2"), "X"),
        (("X 20 ms #1", "X 20 ms #12"), "X 20 ms"),
        (("X run 1 of 3", "X run 3 of 3"), "X"),
        (("R630", "R630"), "R630"),
        (("R630", "R730"), ""),
        (("run 1", "run 2"), "run"),
    ],
)
def test_common_name_is_suggested(button: SetButton, names: tuple[str, str], suggested: str) -> None:
    button.show_selection([replace(run, name=name) for run, name in zip(FREE[:2], names, strict=True)], SETS)
    button.make_action.trigger()
    (dialog,) = button.findChildren(NewSetDialog)
    assert dialog.name.text() == suggested


def test_runs_of_a_set_can_not_form_another_set(button: SetButton) -> None:
    button.show_selection([FREE[0], IN_SET[0]], SETS)
    assert not button.make_action.isEnabled()
    assert button.add_menu.isEnabled()


def test_only_runs_without_a_set_are_added(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection([FREE[0], IN_SET[0]], SETS)
    choices = {action.data(): action for action in button.add_menu.actions()}
    assert choices["SSD & more"].text() == "SSD && more"
    with qtbot.waitSignal(button.add_requested) as signal:
        choices["HDD"].trigger()
    assert signal.args == ["HDD", [FREE[0].run_id]]


def test_runs_are_removed_from_their_sets(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection([*IN_SET[:2], FREE[0]], SETS)
    with qtbot.waitSignal(button.remove_requested) as signal:
        button.take_out_action.trigger()
    assert signal.args == ["SSD & more", ids(IN_SET[:2])]


def test_the_set_of_a_selected_run_is_renamed_and_dissolved(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection(IN_SET[:1], SETS)
    with qtbot.waitSignal(button.select_runs_requested) as runs:
        button.select_action.trigger()
    assert runs.args == [ids(IN_SET)]
    button.rename_action.trigger()
    dialog = button.findChild(RenameSetDialog)
    assert isinstance(dialog, RenameSetDialog)
    qtbot.keyClicks(dialog.name, "NVMe")
    with qtbot.waitSignal(button.rename_requested) as renamed:
        dialog.accept_button.click()
    assert renamed.args == ["SSD & more", "NVMe"]
    with qtbot.waitSignal(button.dissolve_requested) as dissolved:
        button.dissolve_action.trigger()
    assert dissolved.args == ["SSD & more"]


def test_unchanged_name_is_not_emitted(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection(IN_SET[:1], SETS)
    button.rename_action.trigger()
    dialog = button.findChild(RenameSetDialog)
    assert isinstance(dialog, RenameSetDialog)
    with qtbot.assertNotEmitted(button.rename_requested):
        dialog.accept_button.click()


def test_runs_of_several_sets_have_no_common_set(button: SetButton) -> None:
    other = replace(FREE[0], run_set="HDD")
    button.show_selection([other, IN_SET[0]], SETS)
    one_set = (button.select_action, button.rename_action, button.dissolve_action)
    assert not any(action.isEnabled() for action in one_set)
    assert button.take_out_action.isEnabled()


def test_configuration_is_requested_for_all_selected_runs(button: SetButton, qtbot: QtBot) -> None:
    button.show_selection([FREE[0], IN_SET[0]], SETS)
    with qtbot.waitSignal(button.configuration_requested) as signal:
        button.configuration_action.trigger()
    assert {run.run_id for run in signal.args[0]} == {FREE[0].run_id, IN_SET[0].run_id}
