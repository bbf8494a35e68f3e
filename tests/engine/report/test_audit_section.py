import re
from dataclasses import replace

from engine.audit.report import AuditReport, FaultLoss, OrderCounts, StoreAudit, Verdict
from engine.report.audit_section import audit_section
from engine.target.target import Target
from tests.engine.report.reported import a_plan, a_reported_run, rows_of, table_of, texts_of
from tests.texts import plain

CLEAN = StoreAudit(target="t", database="ds2_1", verdict=Verdict.CLEAN, counts=OrderCounts(present=14_732))
LOST = StoreAudit(
    target="t", database="ds2_2", verdict=Verdict.LOST, counts=OrderCounts(present=1_200, lost=3, in_doubt_absent=2),
    notes=('could not look: user "telling_name" in /var/lib/pg',),
)  # fmt: skip


def test_section_without_audit_says_so() -> None:
    (text,) = texts_of(audit_section(a_reported_run().record).blocks)
    assert "is not known" in text


def test_the_verdict_and_the_orders_by_class() -> None:
    audit = AuditReport(verdict=Verdict.CLEAN, stores=(CLEAN,)).to_dict()
    blocks = audit_section(replace(a_reported_run().record, audit=audit)).blocks
    assert plain(texts_of(blocks)[0]) == "No order was lost: the server holds all of 14 732 acknowledged orders."
    rows = rows_of(table_of(blocks, "Orders by"))
    assert [row[:2] for row in rows[:3]] == [("Acknowledged", "14 732"), ("Present", "14 732"), ("Lost", "0")]
    assert all(row[-1] for row in rows)


def test_several_stores_have_a_total_and_say_which_lost() -> None:
    losses = (FaultLoss(at_seconds=64.0, label="Kill primary", gone=3, oldest_age_seconds=0.52),)
    audit = AuditReport(verdict=Verdict.LOST, stores=(CLEAN, LOST), faults=losses).to_dict()
    plan = a_plan(targets=(Target.parse("postgresql://telling_name@db1/shop")[0],))
    blocks = audit_section(replace(a_reported_run(plan=plan).record, audit=audit)).blocks
    table = table_of(blocks, "Orders by")
    assert [column.title for column in table.columns] == ["Orders", "ds2_1", "ds2_2", "Total", "Meaning"]
    assert rows_of(table)[2][:4] == ("Lost", "0", "3", "3")
    texts = texts_of(blocks)
    assert texts[0].startswith("LOST: 3 of")
    assert any("0.52 s before it" in text for text in texts)
    assert "telling_name" not in "".join(texts)
    assert "/var" not in "".join(texts)


def test_an_audit_that_was_not_possible_has_no_table() -> None:
    audit = AuditReport(verdict=Verdict.NOT_POSSIBLE, stores=(replace(LOST, counts=OrderCounts()),)).to_dict()
    blocks = audit_section(replace(a_reported_run().record, audit=audit)).blocks
    assert texts_of(blocks)[0] == "The audit was not possible."
    assert len(texts_of(blocks)) == len(blocks)


def test_a_run_of_wholesale_reads_new_orders() -> None:
    audit = AuditReport(verdict=Verdict.CLEAN, stores=(CLEAN,)).to_dict()
    plan = a_plan(clients=1, workload="wholesale", parameters={"warehouses": 10})
    section = audit_section(replace(a_reported_run().record, plan=plan, audit=audit))
    assert section.title == "Audit of the New-Orders"
    assert plain(texts_of(section.blocks)[0]).startswith("No New-Order was lost")
    table = table_of(section.blocks, "New-Orders by what was acknowledged and what the servers hold")
    assert table.columns[0].title == "New-Orders"
    assert not re.search(r"(?<!New-)\borders?\b", " ".join(sum(table.rows, ())), re.IGNORECASE)
