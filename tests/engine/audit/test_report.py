"""The report in words and as plain values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.headline import headline_of
from engine.audit.report import (
    AuditReport,
    Consistency,
    FaultLoss,
    OrderCounts,
    OrderExample,
    StoreAudit,
    Verdict,
    worst,
)
from tests.texts import lacks

DVD = headline_of("dvdstore")

COUNT = st.integers(0, 10**9)
COUNTS = st.builds(
    OrderCounts,
    **dict.fromkeys(
        ["present", "lost", "replaced", "in_doubt_present", "in_doubt_absent", "cut_off", "unknown"], COUNT
    ),
)
EXAMPLES = st.builds(
    OrderExample,
    order=st.one_of(st.none(), COUNT),
    customer=COUNT,
    net_cents=COUNT,
    at_seconds=st.one_of(st.none(), st.floats(0, 1e6)),
)
STORES = st.builds(
    StoreAudit,
    target=st.just("postgresql://me@db1:5432/ds2"),
    database=st.just("ds2"),
    verdict=st.sampled_from(Verdict),
    counts=COUNTS,
    examples=st.dictionaries(st.sampled_from(["lost", "unknown"]), st.lists(EXAMPLES, max_size=2).map(tuple)),
    consistency=st.lists(st.builds(Consistency, what=st.just("rows"), wrong=COUNT), max_size=2).map(tuple),
    notes=st.lists(st.just("A note."), max_size=2).map(tuple),
    cut_off_by=st.dictionaries(st.sampled_from(["Stop now", "the end of client ds2"]), COUNT),
)
FAULTS = st.builds(
    FaultLoss, at_seconds=st.floats(0, 1e6), label=st.just("pulled"), gone=COUNT, oldest_age_seconds=st.floats(0, 10)
)
REPORTS = st.builds(
    AuditReport,
    verdict=st.sampled_from(Verdict),
    stores=st.lists(STORES, max_size=3).map(tuple),
    faults=st.lists(FAULTS, max_size=2).map(tuple),
    audited_at=st.just("2026-11-21T04:30:17+00:00"),
    seconds=st.floats(0, 100),
)


@given(report=REPORTS)
def test_report_round_trips_through_json(report: AuditReport) -> None:
    plain = json.loads(json.dumps(report.to_dict()))
    assert AuditReport.from_dict(plain) == report
    assert plain["orders"]["acknowledged"] == sum(store.counts.acknowledged for store in report.stores)


def test_unknown_keys_of_a_newer_report_are_ignored() -> None:
    plain = AuditReport(verdict=Verdict.CLEAN, stores=(_store(),)).to_dict()
    plain["stores"][0]["counts"]["divine"] = 1
    plain["more"] = []
    assert AuditReport.from_dict(plain).stores == (_store(),)


def _store(**changed: object) -> StoreAudit:
    values = {"target": "embedded:///ds2", "database": "ds2", "verdict": Verdict.CLEAN} | changed
    return StoreAudit(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([Verdict.CLEAN, Verdict.SUSPICIOUS], Verdict.SUSPICIOUS),
        ([Verdict.NOT_POSSIBLE, Verdict.SUSPICIOUS], Verdict.NOT_POSSIBLE),
        ([Verdict.NOT_POSSIBLE, Verdict.LOST, Verdict.CLEAN], Verdict.LOST),
        ([Verdict.CLEAN, Verdict.CUT_OFF], Verdict.CUT_OFF),
        ([Verdict.SUSPICIOUS, Verdict.CUT_OFF], Verdict.SUSPICIOUS),
        ([Verdict.CLEAN, Verdict.NOTHING], Verdict.CLEAN),
        ([Verdict.NOTHING], Verdict.NOTHING),
        ([Verdict.CLEAN], Verdict.CLEAN),
        ([], Verdict.NOT_POSSIBLE),
    ],
)
def test_verdict_is_that_of_the_worst_store(verdicts: list[Verdict], whole: Verdict) -> None:
    assert worst(verdicts) is whole


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
    headline, at_fault, missing, replaced, in_doubt, inconsistent, note = report.sentences(DVD)
    assert lacks(headline, "lost", "4 of 12,349") == []
    assert lacks(at_fault, "4 orders", "Enclosure pulled", "0.51 s") == []
    assert lacks(missing, "3 orders", "missing (7, 8 …)") == []
    assert lacks(replaced, "1 order", "another order (9)") == []
    assert lacks(in_doubt, "1 purchase in doubt", "1 on the server", "0 not") == []
    assert lacks(inconsistent, "history rows off", "2") == []
    assert note == "A note."


def test_suspicious_and_impossible_audits_have_their_reasons() -> None:
    suspicious = _store(verdict=Verdict.SUSPICIOUS, counts=OrderCounts(present=5, unknown=1))
    headline, unknown = AuditReport(verdict=Verdict.SUSPICIOUS, stores=(suspicious,)).sentences(DVD)
    assert lacks(headline, "none of 5", "irregularities") == []
    assert lacks(unknown, "1 order", "not acknowledged") == []
    strange = _store(verdict=Verdict.SUSPICIOUS, counts=OrderCounts(unknown=1))
    headline = AuditReport(verdict=Verdict.SUSPICIOUS, stores=(strange,)).sentences(DVD)[0]
    assert lacks(headline, "no order was acknowledged", "irregularities") == []
    impossible = _store(verdict=Verdict.NOT_POSSIBLE, notes=("It could not be audited: it is gone.",))
    headline, reason = AuditReport(verdict=Verdict.NOT_POSSIBLE, stores=(impossible,)).sentences(DVD)
    assert "not possible" in headline
    assert reason == impossible.notes[0]


def test_sentences_have_cut_off_orders_with_their_cause() -> None:
    by_hand = _store(verdict=Verdict.CUT_OFF, counts=OrderCounts(present=14_732, cut_off=3), cut_off_by={"Stop now": 3})
    headline, cut_off = AuditReport(verdict=Verdict.CUT_OFF, stores=(by_hand,)).sentences(DVD)
    assert lacks(headline, "complete", "Stop now", "14,732") == []
    assert lacks(cut_off, "3 orders", "Stop now") == []
    died = _store(
        verdict=Verdict.CUT_OFF,
        counts=OrderCounts(present=9, cut_off=1),
        cut_off_by={"the end of client ds2 #2 after 41.3 s": 1, "the end of client ds2 #3 after 41.3 s": 0},
    )
    headline, cut_off = AuditReport(verdict=Verdict.CUT_OFF, stores=(died,)).sentences(DVD)
    assert lacks(headline, "complete", "all of 9") == []
    assert "Stop now" not in headline
    assert lacks(cut_off, "1 order", "the end of client ds2 #2 after 41.3 s") == []


def test_long_list_of_ids_is_shortened() -> None:
    lost = tuple(OrderExample(order=order, customer=1, net_cents=1, at_seconds=1.0) for order in range(1, 12))
    store = _store(verdict=Verdict.LOST, counts=OrderCounts(lost=11), examples={"lost": lost})
    sentences = AuditReport(verdict=Verdict.LOST, stores=(store,)).sentences(DVD)
    assert lacks(sentences, "11 orders", "(1, 2, 3, 4, 5 …)") == []


def test_notes_of_several_stores_have_store_names() -> None:
    stores = (_store(notes=("One.",)), _store(database="other", notes=("Two.",)))
    assert AuditReport(verdict=Verdict.CLEAN, stores=stores).sentences(DVD)[1:] == ["ds2: One.", "other: Two."]


def test_the_sentences_name_what_the_workload_counts() -> None:
    store = StoreAudit(
        target="db1:5432/wholesale",
        database="wholesale",
        verdict=Verdict.LOST,
        counts=OrderCounts(present=8, lost=1, replaced=2, in_doubt_absent=1),
    )
    report = AuditReport(verdict=Verdict.LOST, stores=(store,))
    assert report.sentences(headline_of("wholesale")) == [
        "LOST: 3 of 11 acknowledged New-Orders.",
        "1 New-Order acknowledged and missing.",
        "2 New-Orders acknowledged, whose id now belongs to another New-Order.",
        "1 New-Order in doubt: 0 on the server, 1 not.",
    ]
