"""Help, all keys, and what this is: reached from the menu and by F1."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl, qVersion
from PySide6.QtGui import QAction, QGuiApplication, QPixmap, QShortcut, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTableView

import resources
from app.licences import CALLED_ONLY, shipped_licences
from app.window.helping import TOPICS
from app.window.main_window import Place
from app.window.shortcuts import EVERYWHERE, shortcuts_of
from engine.secrets import Secret
from engine.workstation import application_version
from tests.app.pages import Pages
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, shared_desktop
from tests.doubles.live_runs import a_live_run
from tests.widgets.accessibility import nameless_controls
from tests.widgets.library.host import a_measurement
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.parts.key_help import KeyHelp

RUN = a_run()
NO_SECRET = "typed-in-the-wizard"


@pytest.fixture(scope="module")
def shared(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenDesktop]:
    home = tmp_path_factory.mktemp("helping") / "home"
    keep(home, RUN)
    with shared_desktop(qapp, request, home) as opened:
        yield opened


@pytest.fixture
def opened(shared: OpenDesktop) -> Iterator[OpenDesktop]:
    """The window, with the usual keys; dialogs are closed after the test."""
    yield shared
    markers = shared.desktop.live.widget.markers
    markers.set_kinds(DEFAULT_MARK_KINDS)
    markers.kinds_changed.emit(DEFAULT_MARK_KINDS)
    shared.close_dialogs()


def keys_of(opened: OpenDesktop) -> dict[str, list[KeyHelp]]:
    desktop = opened.desktop
    places = {desktop.new_run.widget: "New run", desktop.live.widget: "Live", desktop.library.widget: "Library"}
    return shortcuts_of(desktop.window, places)


@pytest.mark.parametrize(
    ("page", "topic"),
    [
        ("wizard targets", "new-run"),
        ("wizard faults", "faults"),
        ("no run", "live"),
        ("library", "library"),
        ("run", "library"),
        ("response times", "response-times"),
        ("recovery", "recovery"),
    ],
)
def test_f1_opens_the_help_of_the_current_page(opened: OpenDesktop, page: str, topic: str) -> None:
    desktop = opened.desktop
    pages = Pages(
        desktop=desktop,
        wait_for=opened.wait_for,
        run_ids=[RUN.run_id],
        live_run=a_live_run(1, 5),
        host=a_measurement(),
    )
    pages.show(page)
    with opened.qtbot.waitActive(desktop.window):
        desktop.window.activateWindow()
    with opened.qtbot.waitSignal(desktop.window.help_requested):
        opened.qtbot.keyClick(desktop.window, Qt.Key.Key_F1)
    help_window = desktop.helping.show_help()
    assert help_window.text.toPlainText().startswith(dict(TOPICS)[topic])
    assert nameless_controls(help_window) == []


def test_every_page_of_help_is_in_the_list_and_links_lead_from_one_to_another(opened: OpenDesktop) -> None:
    files = {path.stem for path in (Path(resources.__file__).parent / "help").glob("*.md")}
    assert files == {name for name, _ in TOPICS}
    help_window = opened.desktop.helping.show_help()
    help_window.show_topic("live")
    help_window.text.anchorClicked.emit(QUrl("recovery.md"))
    assert help_window.text.toPlainText().startswith("Recovery from a fault")
    assert help_window.contents.currentItem().text() == "Recovery from a fault"


def test_pictures_of_a_page_are_shown_and_fit(opened: OpenDesktop) -> None:
    help_window = opened.desktop.helping.show_help()
    help_window.show_topic("architecture")
    text = help_window.text
    picture = text.document().resource(QTextDocument.ResourceType.ImageResource, QUrl("pictures/architecture.svg"))
    assert isinstance(picture, QPixmap)
    assert 0 < picture.width() < text.viewport().width()
    opened.wait_for(lambda: text.horizontalScrollBar().maximum() == 0)  # once it is laid out


def test_help_lists_every_action_with_a_shortcut(opened: OpenDesktop) -> None:
    window = opened.desktop.window
    expected = {key.keys for keys in keys_of(opened).values() for key in keys}
    actions = {action.shortcut().toString() for action in window.findChildren(QAction) if action.shortcut().toString()}
    assert actions <= expected
    silent = [each.key().toString() for each in window.findChildren(QShortcut) if not each.whatsThis()]
    assert set(silent) <= {"Esc"}  # which the button beside it says


def test_help_lists_keys_with_their_context(opened: OpenDesktop) -> None:
    keys = keys_of(opened)
    assert KeyHelp("F1", "Help") in keys[EVERYWHERE]
    assert KeyHelp("Ctrl+3", "Show Library") in keys[EVERYWHERE]
    assert KeyHelp("F9", "Mark Enclosure pulled") in keys[EVERYWHERE]
    assert KeyHelp("Ctrl+Z", "Undo the last change of a mark") in keys["Live"]
    assert KeyHelp("F", "Full screen") in keys["Charts"]
    assert KeyHelp("L", "Logarithmic scale") in keys["Charts"]
    assert len(keys["Charts"]) == len(set(keys["Charts"]))


def test_chart_keys_do_not_conflict_with_window_keys(opened: OpenDesktop) -> None:
    keys = keys_of(opened)
    wide = {key.keys for section in (EVERYWHERE, "Live") for key in keys[section]}
    of_charts = {each for key in keys["Charts"] for each in key.keys.split(", ")}
    assert wide & of_charts == set()


def test_help_lists_changed_mark_keys(opened: OpenDesktop) -> None:
    helping = opened.desktop.helping
    first = helping.show_shortcuts()
    opened.desktop.window.marks_requested.emit()
    (editor,) = opened.desktop.window.findChildren(MarkKindsEditor)
    editor.kinds_changed.emit([MarkKind(label="Cable out", key="F6")])
    opened.wait_for(lambda: KeyHelp("F10", "Mark Failover") not in keys_of(opened)[EVERYWHERE])  # its key goes late
    second = helping.show_shortcuts()
    assert first is not second
    rows = [row[1:] for row in _rows(second.table)]
    assert ("F6", "Mark Cable out") in rows
    assert not any(what == "Mark Failover" for _, what in rows)


def test_question_mark_opens_the_shortcuts_and_is_typed_in_fields(opened: OpenDesktop) -> None:
    desktop, qtbot = opened.desktop, opened.qtbot
    desktop.window.show_place(Place.LIBRARY)
    desktop.library.show_table()  # an earlier test may have opened a run
    opened.activate()
    opened.wait_for(lambda: desktop.library.page.table.isVisible())  # once the runs are read
    field = next(each for each in desktop.library.page.findChildren(QLineEdit) if each.isVisible())
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_Question, Qt.KeyboardModifier.ShiftModifier)
    assert field.text() == "?"
    field.clear()
    desktop.library.page.table.setFocus()
    with qtbot.waitSignal(desktop.window.shortcuts_requested):
        qtbot.keyClick(desktop.library.page.table, Qt.Key.Key_Question)  # Qt takes Shift away as the layout says


def test_about_has_versions_and_licences_and_copies_diagnostics(opened: OpenDesktop) -> None:
    desktop = opened.desktop
    desktop.workbench.remember({"postgresql://me@db1:5432": Secret(NO_SECRET)})
    log = desktop.workbench.places.log
    log.parent.mkdir(exist_ok=True)
    log.write_text(f"2026-11-26 13:00:00,000 ERROR app: the server said {NO_SECRET}\n", encoding="utf-8")
    desktop.window.about_requested.emit()
    opened.wait_for(lambda: desktop.about.dialog is not None)
    dialog = desktop.about.dialog
    assert dialog is not None
    assert nameless_controls(dialog) == []
    facts, licences = _rows(dialog.facts), _rows(dialog.licences)
    assert {("Qt", qVersion()), ("SQLite", sqlite3.sqlite_version)} <= set(facts)
    assert licences == [(each.package, each.version, each.licence) for each in shipped_licences()]
    assert CALLED_ONLY in {label.text() for label in dialog.findChildren(QLabel)}
    opened.qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    opened.wait_for(lambda: dialog.note.text.startswith("Copied."))
    copied = QGuiApplication.clipboard().text()
    assert f"Spindle: {application_version()}" in copied
    assert f"Qt: {qVersion()}, offscreen" in copied
    assert "theme: system, shown" in copied
    assert "\nScreen: " in copied
    assert "library.sqlite: revision" in copied
    assert copied.endswith("ERROR app: the server said •••\n")
    dialog.close()
    opened.wait_for(lambda: desktop.about.dialog is None)


def _rows(table: QTableView) -> list[tuple[str, ...]]:
    model = table.model()
    columns = range(model.columnCount())
    return [tuple(model.index(row, column).data() for column in columns) for row in range(model.rowCount())]


def test_marks_and_keys_dialog_is_named_like_its_menu(opened: OpenDesktop) -> None:
    opened.desktop.window.marks_requested.emit()
    (editor,) = opened.desktop.window.findChildren(MarkKindsEditor)
    assert editor.windowTitle() == "Marks and keys"
