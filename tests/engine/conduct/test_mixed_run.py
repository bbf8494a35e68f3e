"""A real mixed run: two loads of one workload on one store, with users of different think times."""

from engine.audit.report import Verdict
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from tests.engine.conduct.conftest import Stage


def test_two_loads_on_one_store_are_counted_apart_and_audited_together(stage: Stage) -> None:
    second = RunPlan(targets=(stage.store.target,), threads=2, think_time_ms=5)
    record = stage.run(clients=2, further_loads=(second,))
    report = stage.audit(record)

    assert record.state is RunState.COMPLETED
    assert record.totals is not None
    first, other = record.totals.loads
    assert [len(each.clients) for each in (first, other)] == [2, 1]
    placed = [
        each.since_start["purchases"] - each.since_start["rollbacks"]
        for each in (first, other)
        if each.since_start is not None
    ]
    assert min(placed) > 0
    assert {each.client for each in stage.library.samples(record.run_id)} == {1, 2, 3}
    assert {each.client for each in stage.library.samples(f"{record.run_id}.2")} == {1}
    assert report.worst_verdict is Verdict.CLEAN
    assert [each.counts.present for each in report.loads] == [sum(placed)] * 2
    assert [load.audit is not None for load in stage.library.run(record.run_id).loads] == [True, True]
