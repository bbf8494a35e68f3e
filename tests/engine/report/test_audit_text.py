"""The sentences on an audit."""

from engine.analysis.headline import headline_of
from engine.audit.report import (
    AuditReport,
    Consistency,
    FaultLoss,
    OrderCounts,
    OrderExample,
    StoreAudit,
    Verdict,
)
from engine.report.audit_text import load_sentences
from tests.texts import lacks

DVD = headline_of("dvdstore")


def test_sentences_begin_with_losses_faults_and_ids() -> None:
    examples = {
        "lost": tuple(OrderExample(order=order, customer=1, net_cents=1, at_seconds=39.5) for order in (7, 8)),
        "replaced": (OrderExample(order=9, customer=1, net_cents=1, at_seconds=39.6),),
    }
    report = AuditReport(
        verdict=Verdict.LOST,
        stores=(
            _store(
                verdict=Verdict.LOST,
                counts=OrderCounts(present=12_345, lost=3, replaced=1, in_doubt_present=1),
                examples=examples,
                consistency=(Consistency(what="history rows off", wrong=2), Consistency(what="sums off", wrong=0)),
                notes=("A note.",),
            ),
        ),
        faults=(
            FaultLoss(at_seconds=40, label="Enclosure pulled", gone=4, oldest_age_seconds=0.514),
            FaultLoss(at_seconds=80, label="Harmless", gone=0, oldest_age_seconds=0),
        ),
    )
    headline, at_fault, missing, replaced, in_doubt, inconsistent, note = load_sentences(report, DVD)
    assert lacks(headline, "lost", "4 of 12,349") == []
    assert lacks(at_fault, "4 orders", "Enclosure pulled", "0.51 s") == []
    assert lacks(missing, "3 orders", "missing (7, 8 …)") == []
    assert lacks(replaced, "1 order", "another order (9)") == []
    assert lacks(in_doubt, "1 purchase in doubt", "1 on the server", "0 not") == []
    assert lacks(inconsistent, "history rows off", "2") == []
    assert note == "A note."


def test_suspicious_and_impossible_audits_have_their_reasons() -> None:
    suspicious = _store(verdict=Verdict.SUSPICIOUS, counts=OrderCounts(present=5, unknown=1))
    headline, unknown = load_sentences(AuditReport(verdict=Verdict.SUSPICIOUS, stores=(suspicious,)), DVD)
    assert lacks(headline, "none of 5", "irregularities") == []
    assert lacks(unknown, "1 order", "not acknowledged") == []
    strange = _store(verdict=Verdict.SUSPICIOUS, counts=OrderCounts(unknown=1))
    headline = load_sentences(AuditReport(verdict=Verdict.SUSPICIOUS, stores=(strange,)), DVD)[0]
    assert lacks(headline, "no order was acknowledged", "irregularities") == []
    impossible = _store(verdict=Verdict.NOT_POSSIBLE, notes=("It could not be audited: it is gone.",))
    headline, reason = load_sentences(AuditReport(verdict=Verdict.NOT_POSSIBLE, stores=(impossible,)), DVD)
    assert "not possible" in headline
    assert reason == impossible.notes[0]


def test_sentences_have_cut_off_orders_with_their_cause() -> None:
    by_hand = _store(verdict=Verdict.CUT_OFF, counts=OrderCounts(present=14_732, cut_off=3), cut_off_by={"Stop now": 3})
    headline, cut_off = load_sentences(AuditReport(verdict=Verdict.CUT_OFF, stores=(by_hand,)), DVD)
    assert lacks(headline, "complete", "Stop now", "14,732") == []
    assert lacks(cut_off, "3 orders", "Stop now") == []
    died = _store(
        verdict=Verdict.CUT_OFF,
        counts=OrderCounts(present=9, cut_off=1),
        cut_off_by={"the end of client ds2 #2 after 41.3 s": 1, "the end of client ds2 #3 after 41.3 s": 0},
    )
    headline, cut_off = load_sentences(AuditReport(verdict=Verdict.CUT_OFF, stores=(died,)), DVD)
    assert lacks(headline, "complete", "all of 9") == []
    assert "Stop now" not in headline
    assert lacks(cut_off, "1 order", "the end of client ds2 #2 after 41.3 s") == []


def test_long_list_of_ids_is_shortened() -> None:
    lost = tuple(OrderExample(order=order, customer=1, net_cents=1, at_seconds=1.0) for order in range(1, 12))
    store = _store(verdict=Verdict.LOST, counts=OrderCounts(lost=11), examples={"lost": lost})
    sentences = load_sentences(AuditReport(verdict=Verdict.LOST, stores=(store,)), DVD)
    assert lacks(sentences, "11 orders", "(1, 2, 3, 4, 5 …)") == []


def test_notes_of_several_stores_have_store_names() -> None:
    stores = (_store(notes=("One.",)), _store(database="other", notes=("Two.",)))
    assert load_sentences(AuditReport(verdict=Verdict.CLEAN, stores=stores), DVD)[1:] == ["ds2: One.", "other: Two."]


def test_the_sentences_name_what_the_workload_counts() -> None:
    store = StoreAudit(
        target="db1:5432/wholesale",
        database="wholesale",
        verdict=Verdict.LOST,
        counts=OrderCounts(present=8, lost=1, replaced=2, in_doubt_absent=1),
    )
    report = AuditReport(verdict=Verdict.LOST, stores=(store,))
    assert load_sentences(report, headline_of("wholesale")) == [
        "LOST: 3 of 11 acknowledged New-Orders.",
        "1 New-Order acknowledged and missing.",
        "2 New-Orders acknowledged, whose id now belongs to another New-Order.",
        "1 New-Order in doubt: 0 on the server, 1 not.",
    ]


def _store(**changed: object) -> StoreAudit:
    values = {"target": "embedded:///ds2", "database": "ds2", "verdict": Verdict.CLEAN} | changed
    return StoreAudit(**values)  # type: ignore[arg-type]
