import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.saved import own_preset
from engine.plan.presets import PRESETS, load_keys, presets_of
from engine.target.connection_result import ConnectionResult
from engine.workload.registry import DVD_STORE, MAIL, WHOLESALE
from widgets.parts.look import Look
from widgets.wizard.load_page import LoadPage


@pytest.fixture
def page(qtbot: QtBot) -> LoadPage:
    made = LoadPage(Look())
    qtbot.addWidget(made)
    made.load(PlanDraft())
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    return made


def _type(qtbot: QtBot, page: LoadPage, name: str, text: str) -> None:
    field = page.form.rows[name].field
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


def test_the_demonstration_is_the_quick_preset(page: LoadPage) -> None:
    assert page.preset.currentText().startswith("Quick")


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_each_preset_fills_the_fields(qtbot: QtBot, page: LoadPage, number: int) -> None:
    page.preset.setCurrentIndex(0)
    for _ in range(number + 1):
        qtbot.keyClick(page.preset, Qt.Key.Key_Down)
    preset = PRESETS[number]
    assert page.preset.currentText() == preset.name
    plan = page.draft.plan()
    assert {name: plan.value(name) for name in preset.values} == dict(preset.values)
    assert preset.describes[1:] in page.form.rows["preset"].note.text


def test_changed_value_selects_the_custom_preset_until_reverted(qtbot: QtBot, page: LoadPage) -> None:
    _type(qtbot, page, "threads", "9")
    assert page.preset.currentText() == "Custom load"
    _type(qtbot, page, "threads", "8")
    assert page.preset.currentText().startswith("Quick")


def test_preset_is_recognised_with_any_time_format(qtbot: QtBot, page: LoadPage) -> None:
    for typed in ("48s", "0.8", "0:48"):
        _type(qtbot, page, "minutes", "1")
        assert page.preset.currentText() == "Custom load"
        _type(qtbot, page, "minutes", typed)
        assert page.preset.currentText().startswith("Quick")
    assert page.draft.plan().minutes == 0.8


def test_custom_load_can_be_saved_as_a_preset(qtbot: QtBot, page: LoadPage) -> None:
    _type(qtbot, page, "threads", "64")
    assert page.form.rows["preset"].note.text == "None of the presets."
    with qtbot.waitSignal(page.presets_changed):
        page.saved.save_requested.emit("night")
    assert page.preset.currentText() == "night"
    assert page.form.rows["preset"].note.text == "A preset of your own."
    page.preset.setCurrentIndex(0)
    qtbot.keyClick(page.preset, Qt.Key.Key_Down)
    assert page.draft.typed["threads"] == "8"
    qtbot.keyClick(page.preset, Qt.Key.Key_End)
    assert (page.preset.currentText(), page.draft.typed["threads"]) == ("night", "64")
    page.saved.rename_requested.emit("night", "day")
    assert page.preset.currentText() == "day"
    page.saved.delete_requested.emit("day")
    assert page.preset.currentText() == "Custom load"
    assert page.own_presets == []
    assert page.draft.typed["threads"] == "64"


def test_form_height_is_kept_for_a_custom_load(qtbot: QtBot, page: LoadPage) -> None:
    page.resize(900, 900)
    with qtbot.waitExposed(page):
        page.show()
    before = page.form.rows["seed"].field.y()
    _type(qtbot, page, "threads", "64")
    qtbot.wait(50)
    assert page.form.rows["seed"].field.y() == before


def test_invalid_load_can_not_be_saved_as_a_preset(qtbot: QtBot, page: LoadPage) -> None:
    _type(qtbot, page, "threads", "many")
    save = next(action for action in page.saved.menu().actions() if action.text().startswith("Save"))
    assert not save.isEnabled()


def test_connections_and_highest_opm_follow_the_entered_load(qtbot: QtBot, page: LoadPage) -> None:
    assert page.reach.text() == "Connections: 16 · highest OPM by think time: 48\u202f000, by Little's law"
    _type(qtbot, page, "think_time_ms", "0")
    assert page.reach.text() == "Connections: 16 · highest OPM by think time: no limit without think time"
    _type(qtbot, page, "think_time_ms", "2o")
    assert page.reach.text() == "Connections: – · highest OPM by think time: –"
    assert page.form.rows["think_time_ms"].note.text == "Think time is '2o'; give a number."


def _wholesale(qtbot: QtBot, **typed: str) -> LoadPage:
    made = LoadPage(Look())
    qtbot.addWidget(made)
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    made.show()
    draft = PlanDraft(workload=WHOLESALE, typed=typed)
    made.load(draft)
    made.show_errors(draft.validate())
    return made


def test_wholesale_says_what_its_results_compare_with(qtbot: QtBot, page: LoadPage) -> None:
    assert "not comparable to published TPC-C results" in _wholesale(qtbot).comparability.text
    page.show()
    assert not page.comparability.isVisible()
    assert page.lead.text() == "Users are closed-loop: each waits for its order, thinks, and places the next."


def test_lead_says_what_users_do_at_a_rate(qtbot: QtBot, page: LoadPage) -> None:
    closed = page.lead.text()
    _type(qtbot, page, "think_time_ms", "0")
    _type(qtbot, page, "rate", "600")
    assert page.lead.text() == (
        "Orders are due at a rate, whether or not answers come: a user that is free begins what is due next."
    )
    _type(qtbot, page, "rate", "")
    qtbot.keyClick(page.form.rows["rate"].field, Qt.Key.Key_Backspace)
    assert page.lead.text() == closed


def test_wholesale_has_presets_of_its_own(qtbot: QtBot) -> None:
    page = _wholesale(qtbot)
    assert page.preset.currentText() == "Quick: 8 users, 20 ms, 6 + 48 s"
    for preset in presets_of(WHOLESALE):
        qtbot.keyClick(page.preset, Qt.Key.Key_Down)
        page.preset.setCurrentText(preset.name)
        page.preset.activated.emit(page.preset.currentIndex())
        plan = page.draft.plan()
        assert {key: plan.value(key) for key in preset.values} == dict(preset.values)


def test_times_as_specified_take_the_place_of_the_think_time(qtbot: QtBot) -> None:
    page = _wholesale(qtbot, threads="10", clients="1")
    think_time, specified = page.form.rows["think_time_ms"], page.form.rows["specified_times"].field
    assert isinstance(specified, QCheckBox)
    assert (think_time.field.isEnabled(), think_time.note.text) == (
        True,
        "Mean pause of a user after each transaction.",
    )
    assert page.reach.text().endswith("highest NOPM by think time: 13\u202f500, by Little's law")
    specified.click()
    assert not think_time.field.isEnabled()
    assert page.reach.text().endswith("highest NOPM by think time: 13, by Little's law")  # TPC-C: 12.86 a warehouse


def test_a_name_is_used_once_for_each_workload(qtbot: QtBot, page: LoadPage) -> None:
    page.show_presets([own_preset("night", PlanDraft(workload=WHOLESALE).values(load_keys(WHOLESALE)), WHOLESALE)])
    assert page.preset.findData("night") == -1
    page.draft.typed["threads"] = "64"
    page.saved.save_requested.emit("night")
    assert [(each.workload, each.values["threads"]) for each in page.own_presets] == [(WHOLESALE, 8), (DVD_STORE, 64)]
    assert page.preset.findData("night") > 0
    page.saved.delete_requested.emit("night")
    assert [each.workload for each in page.own_presets] == [WHOLESALE]


def test_a_load_is_added_edited_and_removed(qtbot: QtBot, page: LoadPage) -> None:
    page.loads_changed.connect(lambda: (page.load(page.draft), page.show_errors(page.draft.validate())))
    page.load_chosen.connect(lambda: page.load(page.draft))
    assert not page.loads.list.isVisibleTo(page)
    page.loads.add.click()
    assert page.further.isVisibleTo(page)
    field = page.further.rows["threads"].field
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, "4")
    qtbot.keyClicks(page.further.targets, "embedded:///other")
    assert [load.threads for load in page.draft.plan().loads] == [8, 4]
    assert page.draft.plan().loads[1].targets[0].database == "other"
    assert page.loads.list.item(1).text() == "2  Wholesale, 4 users per client"
    qtbot.keyClick(page.loads.list, Qt.Key.Key_Up)
    assert not page.further.isVisibleTo(page)
    assert page.form.isVisibleTo(page)
    assert page.reach.text().startswith("Connections of this load: 16 ")
    page.focus_field("further_loads.0.targets")
    page.loads.remove.click()
    assert page.draft.further_loads == []
    assert page.reach.text().startswith("Connections: 16 ")


def test_wrong_field_of_a_further_load_is_shown_at_it(qtbot: QtBot, page: LoadPage) -> None:
    page.draft.further_loads = [LoadDraft(WHOLESALE, typed={"warehouses": "many"})]
    page.load(page.draft)
    page.show_errors(page.draft.validate())
    assert "has errors" in page.loads.list.item(1).data(Qt.ItemDataRole.AccessibleTextRole)
    qtbot.keyClick(page.loads.list, Qt.Key.Key_Down)
    page.load(page.draft)
    page.show_errors(page.draft.validate())
    assert "Warehouses" in page.further.rows["warehouses"].note.text


def test_a_further_load_has_a_password_presets_and_a_connection_test(qtbot: QtBot, page: LoadPage) -> None:
    page.draft.further_loads = [LoadDraft(MAIL)]
    page.load(page.draft)
    page.loads.list.setCurrentRow(1)
    page.load(page.draft)
    form = page.further
    assert not form.password.isVisibleTo(page)
    qtbot.keyClicks(form.targets, "mail://user@mx.lab/example.org")
    assert form.password.isVisibleTo(page)
    qtbot.keyClicks(form.password, "a mail password")
    (name,) = form.secrets()
    assert (name, form.secrets()[name].reveal()) == ("mail://user@mx.lab:143", "a mail password")

    with qtbot.waitSignal(page.test_requested) as asked:
        form.test.button.click()
    number, store, workload = asked.args or (0, None, "")
    assert (store.url, workload) == ("mail://user@mx.lab:143/example.org", MAIL)
    page.further.test.show_result(number, ConnectionResult(ok=False, sentence="mail server mx.lab refused it."))
    assert form.test.note.text == "Mail server mx.lab refused it."
    qtbot.keyClicks(form.targets, "x")
    assert form.test.note.text == ""

    published = next(each for each in presets_of(MAIL) if each.name.startswith("As published"))
    form.preset.setCurrentIndex(form.preset.findData(published.name))
    form.preset.activated.emit(form.preset.currentIndex())
    load = page.draft.plan_of("databases", "further_loads").loads[1]
    assert (load.threads, load.parameters["profile"]) == (500, "exchange_200")
    assert page.draft.plan().minutes == 0.8, "the times are the run's"
    assert not form.rows["rate"].field.isEnabled(), "users have tasks due at a rate of their own"
