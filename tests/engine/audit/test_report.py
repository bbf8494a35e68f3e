"""The report as plain values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
