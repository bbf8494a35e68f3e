import re

import pytest

from app.cli.audit_text import audit_exit_code, audit_text
from app.cli.result_text import details_text
from engine.analysis.headline import headline_of
from engine.audit.report import AuditReport, OrderCounts, StoreAudit, Verdict
from tests.app.runs import a_run

DVD = headline_of("dvdstore")


def report(verdict: Verdict = Verdict.LOST, *databases: str, counts: OrderCounts | None = None) -> AuditReport:
    found = OrderCounts(present=12_343, lost=2, in_doubt_absent=3) if counts is None else counts
    return AuditReport(
        verdict=verdict,
        stores=tuple(
            StoreAudit(target=f"embedded:///{name}", database=name, verdict=verdict, counts=found, notes=("A note.",))
            for name in databases or ("ds2",)
        ),
    )


def rows(text: str) -> dict[str, list[str]]:
    return {name: cells for name, *cells in (re.split(" {2,}", line) for line in text.splitlines())}


def test_audit_text_has_verdict_and_order_classes() -> None:
    text = audit_text(report(), DVD)
    assert text.splitlines()[:4] == [
        "LOST: 2 of 12\u202f345 acknowledged orders.",
        "2 orders acknowledged and missing.",
        "3 purchases in doubt: 0 on the server, 3 not.",
        "A note.",
    ]
    table = rows(text)
    assert table["acknowledged"] == ["12\u202f345"]
    assert table["lost"] == ["2"]
    assert table["in doubt, absent"] == ["3"]


def test_audit_text_has_a_column_for_each_store_and_a_total() -> None:
    table = rows(audit_text(report(Verdict.LOST, "one", "two"), DVD))
    assert table["orders"] == ["one", "two", "total"]
    assert table["lost"] == ["2", "2", "4"]


def test_audit_text_without_a_possible_audit_has_no_table() -> None:
    text = audit_text(report(Verdict.NOT_POSSIBLE, counts=OrderCounts()), DVD)
    assert text == "The audit was not possible.\nA note."


@pytest.mark.parametrize("width", [40, 80])
def test_it_fits_the_terminal(width: int) -> None:
    assert max(map(len, audit_text(report(), DVD, width).splitlines())) <= width


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (Verdict.CLEAN, 0),
        (Verdict.CUT_OFF, 0),
        (Verdict.LOST, 3),
        (Verdict.INCOMPLETE, 1),
        (Verdict.NOT_POSSIBLE, 1),
        (Verdict.NOTHING, 1),
        (Verdict.SUSPICIOUS, 1),
    ],
)
def test_exit_code_is_3_if_orders_were_lost(verdict: Verdict, code: int) -> None:
    assert audit_exit_code(report(verdict)) == code


def test_run_details_include_audit_and_ledger_size() -> None:
    record = a_run(audit=report().to_dict())
    lines = details_text(record, (), ledger_bytes=2_345_678).splitlines()
    assert "audit      LOST: 2 of 12\u202f345 acknowledged orders." in lines
    assert "ledgers    2.3 MB" in lines
    assert "audit" not in details_text(a_run(), ())
