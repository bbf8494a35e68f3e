from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.analysis.headline import headline_of
from engine.audit.report import AuditReport, Consistency, OrderCounts, OrderExample, StoreAudit, Verdict
from engine.record.clock import RunClock
from widgets.library.audit_tables import CLASSES, TextTable, as_lines, check_texts, count_texts, example_texts, tips_of
from widgets.parts.table.text_model import Texts

DVD = headline_of("dvdstore")

FIRST = StoreAudit(
    target="embedded:///ds2_1",
    database="ds2_1",
    verdict=Verdict.LOST,
    counts=OrderCounts(present=1_200, lost=3, replaced=1, in_doubt_present=2, in_doubt_absent=1),
    examples={
        "lost": (OrderExample(order=77, customer=5, net_cents=12_345, at_seconds=61.5),),
        "in_doubt_absent": (OrderExample(order=None, customer=6, net_cents=100, at_seconds=None),),
    },
    consistency=(Consistency(what="orders without lines", wrong=0), Consistency(what="history rows off", wrong=1_001)),
)
SECOND = StoreAudit(target="embedded:///ds2_2", database="ds2_2", verdict=Verdict.CLEAN, counts=OrderCounts(present=9))
REPORT = AuditReport(verdict=Verdict.LOST, stores=(FIRST, SECOND))


def test_orders_are_counted_by_class_store_and_total() -> None:
    texts = count_texts(REPORT, DVD)
    assert texts.titles == ("Orders", "ds2_1", "ds2_2", "All stores")
    assert texts.rows[0] == ("Acknowledged", "1\u202f204", "9", "1\u202f213")
    assert dict(row[:2] for row in texts.rows)["Lost"] == "3"
    assert len(texts.rows) == len(CLASSES)
    assert count_texts(AuditReport(verdict=Verdict.CLEAN, stores=(SECOND,)), DVD).titles == ("Orders", "ds2_2")


def test_consistency_checks_show_number_of_mismatches() -> None:
    assert check_texts(REPORT.stores).rows == (
        ("Orders without lines", "ds2_1", "none"),
        ("History rows off", "ds2_1", "1\u202f001"),
    )


def test_examples_show_known_fields_of_orders() -> None:
    assert example_texts(REPORT.stores, DVD, RunClock(origin_second=10, is_measuring=True)).rows == (
        ("Lost", "ds2_1", "77", "5", "123.45", "0:51.5"),
        ("Lost: 1 of 3 shown", "ds2_1", "…", "…", "…", "…"),
        ("In doubt, absent", "ds2_1", "–", "6", "1.00", "–"),
    )


def test_examples_of_a_workload_have_the_columns_that_it_records() -> None:
    titles = {
        workload: example_texts((without_amounts(),), headline_of(workload).recorded, RunClock()).titles
        for workload in ("wholesale", "brokerage", "mail")
    }
    assert titles["wholesale"][2:-1] == ("New-Order", "Customer")
    assert titles["brokerage"][2:-1] == ("Trade-Order or Trade-Result", "Account")
    assert titles["mail"][2:-1] == ("Message",)
    rows = example_texts((without_amounts(),), headline_of("mail").recorded, RunClock()).rows
    assert rows == (("Lost", "example.org", "7 in user3", "0:02.0"),)


def without_amounts() -> StoreAudit:
    example = OrderExample(order=7, customer=123, net_cents=None, at_seconds=2.0, place="user3")
    return replace(SECOND, database="example.org", counts=OrderCounts(lost=1), examples={"lost": (example,)})


def test_a_table_is_copied_with_tabs() -> None:
    assert as_lines(Texts(("a", "b"), (("1", "2"),))) == ["a\tb", "1\t2"]


def test_order_classes_have_explanations(qtbot: QtBot) -> None:
    table = TextTable("Orders")
    qtbot.addWidget(table)
    table.show_texts(count_texts(REPORT, DVD), tips_of(DVD))
    assert "same id" in table.model().index(3, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert table.model().index(3, 1).data(Qt.ItemDataRole.ToolTipRole) is None


def test_tables_and_tips_of_wholesale_name_new_orders() -> None:
    wholesale = headline_of("wholesale")
    assert count_texts(REPORT, wholesale).titles[0] == "New-Orders"
    assert example_texts(REPORT.stores, wholesale, RunClock()).titles[2] == "New-Order"
    assert "another New-Order" in tips_of(wholesale)["Replaced"]
