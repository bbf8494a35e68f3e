from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft
from engine.plan.plan import RunPlan
from engine.target.target import MSSQL, POSTGRESQL
from engine.workload.registry import DVD_STORE, MAIL, STORAGE, WHOLESALE
from engine.workloads.bindings import layout_of
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.wholesale.sizing import Warehouses
from widgets.parts.look import Look
from widgets.parts.table.columns import column_title, shown_columns
from widgets.wizard.database_page import DatabasePage


@pytest.fixture
def page(qtbot: QtBot) -> DatabasePage:
    made = DatabasePage(Look())
    qtbot.addWidget(made)
    made.load(PlanDraft(typed={"databases": "2"}))
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    return made


def _type_size(qtbot: QtBot, page: DatabasePage, text: str) -> None:
    page.size_field.selectAll()
    qtbot.keyClick(page.size_field, Qt.Key.Key_Delete)
    qtbot.keyClicks(page.size_field, text)


def test_rows_and_bytes_follow_the_entered_size(qtbot: QtBot, page: DatabasePage) -> None:
    customers = page.model.index(3, 1)
    assert customers.data() == "200\u202f000"
    assert page.sum_note.text.startswith("A store of 100MB needs about ")
    assert "; 2 stores need " in page.sum_note.text
    _type_size(qtbot, page, "40")
    assert customers.data() == "80\u202f000"
    qtbot.keyClick(page.unit, Qt.Key.Key_Down)
    assert customers.data() == "80\u202f000\u202f000"
    assert page.draft.scale() == DbSize(40, "GB")


def test_a_unit_typed_with_the_number_is_chosen(qtbot: QtBot, page: DatabasePage) -> None:
    _type_size(qtbot, page, "10gb")
    assert (page.unit.currentText(), page.draft.scale()) == ("GB", DbSize(10, "GB"))


@pytest.mark.parametrize("text", ["", "much"])
def test_without_a_size_there_is_no_estimate(qtbot: QtBot, page: DatabasePage, text: str) -> None:
    _type_size(qtbot, page, text)
    assert page.model.index(3, 1).data() == "–"
    assert page.form.rows["db_size"].note.is_wrong is (text == "much")


def test_reset_option_is_stored_in_the_draft(qtbot: QtBot, page: DatabasePage) -> None:
    assert page.reset_first.isChecked()
    with qtbot.waitSignal(page.edited):
        page.as_it_is.click()
    assert not page.draft.reset
    page.load(PlanDraft(reset=True))
    assert page.reset_first.isChecked()


def test_requests_include_stores_with_an_invalid_load(qtbot: QtBot, page: DatabasePage) -> None:
    page.draft.typed["threads"] = "many"
    stores = RunPlan(databases=2, parameters={"db_size": DbSize(100, "MB")})
    for button, signal in (
        (page.work.verify, page.verify_requested),
        (page.work.reset, page.reset_requested),
        (page.work.build, page.build_requested),
    ):
        with qtbot.waitSignal(signal) as requested:
            button.click()
        assert requested.args[0] == stores
    assert requested.args == [stores, False, None]


def test_work_without_a_target_focuses_its_field(qtbot: QtBot, page: DatabasePage) -> None:
    page.draft.targets = [TargetDraft(kind=POSTGRESQL)]
    page.show_errors(page.draft.validate())
    with qtbot.assertNotEmitted(page.build_requested), qtbot.waitSignal(page.field_requested) as requested:
        page.work.build.click()
    assert requested.args == ["targets.0.hosts"]


def test_work_requires_a_valid_size_and_build_a_size(qtbot: QtBot, page: DatabasePage) -> None:
    _type_size(qtbot, page, "0")
    assert not page.work.build.isEnabled()
    assert not page.work.reset.isEnabled()
    assert page.work.build.toolTip().startswith("Store size is 0MB; ")
    _type_size(qtbot, page, "")
    assert not page.work.build.isEnabled()
    assert page.work.verify.isEnabled()
    _type_size(qtbot, page, "10")
    assert page.work.build.isEnabled()


@pytest.fixture
def sql_server(page: DatabasePage) -> DatabasePage:
    page.load(PlanDraft(targets=[TargetDraft(kind=MSSQL, hosts="db1")]))
    page.show_errors(page.draft.validate())
    page.show()
    return page


def test_file_layout_is_shown_only_for_sql_server(qtbot: QtBot, sql_server: DatabasePage) -> None:
    assert sql_server.layout_form.isVisible()
    sql_server.load(PlanDraft(targets=[TargetDraft(kind=POSTGRESQL, hosts="db1")]))
    sql_server.show_errors({})
    assert not sql_server.layout_form.isVisible()


def test_build_request_includes_the_file_layout(qtbot: QtBot, sql_server: DatabasePage) -> None:
    qtbot.keyClicks(sql_server.layout_form.fields["customers.files"], "4")
    with qtbot.waitSignal(sql_server.build_requested) as requested:
        sql_server.work.build.click()
    suggested = layout_for(DbSize(100, "MB"))
    assert requested.args[2] == replace(suggested, customers=replace(suggested.customers, files=4))


def test_invalid_file_is_reported_in_its_row_and_nothing_is_built(qtbot: QtBot, sql_server: DatabasePage) -> None:
    qtbot.keyClicks(sql_server.layout_form.fields["customers.files"], "9")
    assert sql_server.layout_form.notes["customers"].is_wrong
    with qtbot.assertNotEmitted(sql_server.build_requested):
        sql_server.work.build.click()
    assert not sql_server.work.build.isEnabled()
    assert sql_server.work.verify.isEnabled()
    assert sql_server.own(sql_server.draft.validate()) != {}
    sql_server.activateWindow()
    sql_server.focus_field("layout.customers")
    assert sql_server.layout_form.fields["customers.folder"].hasFocus()


def test_another_workload_shows_its_own_parameters(qtbot: QtBot, page: DatabasePage, toy: str) -> None:
    page.load(PlanDraft(workload=toy))
    page.show()
    assert not page.size_field.isVisible()
    assert page.model.index(0, 0).data() == "shop"
    field = page.form.rows["shops"].field
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert page.draft.typed["shops"] == "11"
    page.show_errors(page.draft.validate())
    with qtbot.waitSignal(page.build_requested) as requested:
        page.work.build.click()
    assert requested.args[0].parameters["shops"] == 11
    page.load(PlanDraft())
    assert page.size_field.isVisible()
    assert "shops" not in page.form.rows


def _placeholder(page: DatabasePage, path: str) -> str:
    field = page.layout_form.fields[path]
    assert isinstance(field, QLineEdit)
    return field.placeholderText()


def _choose(page: DatabasePage, workload: str) -> None:
    """As a user does; the wizard loads every page again then."""
    page.workload_chosen.connect(lambda: page.load(page.draft))
    page.workload.setCurrentIndex(page.workload.findData(workload))
    page.workload.activated.emit(page.workload.currentIndex())


def test_the_workload_is_chosen_among_all(page: DatabasePage, toy: str) -> None:
    again = DatabasePage(Look())
    titles = [again.workload.itemText(number) for number in range(again.workload.count())]
    again.deleteLater()
    assert titles == ["DVD Store 2", "Wholesale", "Brokerage", "Mail", "Storage", "Toy"]


def test_wholesale_asks_for_warehouses_and_shows_its_tables(qtbot: QtBot, page: DatabasePage) -> None:
    page.show()
    _choose(page, WHOLESALE)
    assert page.lead.text().startswith("Each store is a Wholesale database of a whole number of warehouses")
    assert "not comparable to published TPC-C results" in page.form.rows["workload"].note.text
    assert not page.size_field.isVisible()
    assert page.reset_first.text() == "R&eset the stores before the run"
    warehouses = page.form.rows["warehouses"].field
    assert page.first_control() is warehouses
    qtbot.keyClick(warehouses, Qt.Key.Key_Up)
    assert page.draft.typed["warehouses"] == "2"
    assert [page.model.index(row, 0).data() for row in range(3)] == ["item", "warehouse", "district"]
    assert page.model.index(1, 1).data() == "2"
    assert page.sum_note.text.startswith("A store of 2 warehouses needs about 22")
    assert "twelve consistency conditions" in page.work.verify.toolTip()
    with qtbot.waitSignal(page.build_requested) as signal:
        page.work.build.click()
    plan, _, layout = signal.args
    assert (plan.workload, str(plan.scale), layout) == (WHOLESALE, "2W", None)
    _choose(page, DVD_STORE)
    assert page.size_field.isVisible()
    assert "warehouses" not in page.form.rows
    assert page.lead.text() == "Each store is a DVD Store 2 database of a whole number of MB or GB; 1000MB is not 1GB."
    assert page.reset_first.text() == "R&eset the stores before the run, as the published tests do"


def test_sql_servers_files_are_those_of_the_workload(page: DatabasePage) -> None:
    page.draft.targets = [TargetDraft(kind=MSSQL, hosts="db1")]
    page.show()
    page.load(page.draft)
    assert _placeholder(page, "misc.size_mb") == str(layout_for(DbSize(100, "MB")).misc.size_mb)
    _choose(page, WHOLESALE)
    assert page.layout_form.isVisible()
    assert _placeholder(page, "misc.size_mb") == str(layout_of(WHOLESALE, Warehouses(1)).misc.size_mb)
    assert "Each database takes" in page.layout_form.sum_note.text


def test_mail_is_shown_by_its_own_words(page: DatabasePage) -> None:
    page.draft.choose_workload(MAIL)
    page.load(page.draft)
    assert page.heading.text() == "Mailboxes"
    model = page.table.model()
    headings = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert headings == ["Content", "Messages", "Data", "Indexes"]
    assert model.rowCount() == 1
    assert page.work.build.toolTip() == "Fills each mailbox with messages, and creates Spindle's folders in it."
    assert "database" not in page.work.replaces.toolTip()


def test_a_file_of_storage_has_no_indexes(page: DatabasePage) -> None:
    for workload, columns in (
        (STORAGE, ["Content", "Files", "Data"]),
        (DVD_STORE, ["Table", "Rows", "Data", "Indexes"]),
    ):
        page.draft.choose_workload(workload)
        page.load(page.draft)
        assert [column_title(page.table, column) for column in shown_columns(page.table)] == columns
