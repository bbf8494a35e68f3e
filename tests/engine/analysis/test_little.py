import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.little import connections, highest_rate
from engine.plan.plan import RunPlan
from engine.workload.registry import WHOLESALE


def test_highest_rate_of_the_published_load() -> None:
    plan = RunPlan(clients=4, threads=32, think_time_ms=20)
    assert connections(plan) == 128
    assert highest_rate(plan) == 384_000


def test_every_store_has_clients_of_its_own() -> None:
    assert connections(RunPlan(clients=2, databases=3, threads=5)) == 30


def test_highest_rate_without_think_time_is_none() -> None:
    assert highest_rate(RunPlan(think_time_ms=0)) is None


@given(st.integers(1, 1_000), st.floats(0.001, 3_600_000), st.floats(0.001, 10_000))
def test_opm_never_exceeds_highest_rate(threads: int, think_time_ms: float, response_ms: float) -> None:
    plan = RunPlan(threads=threads, think_time_ms=think_time_ms)
    opm = threads * 60_000 / (think_time_ms + response_ms)
    highest = highest_rate(plan)
    assert highest is not None
    assert opm <= highest * (1 + 1e-12)
    assert highest == pytest.approx(opm * (1 + response_ms / think_time_ms))


def test_highest_nopm_counts_the_new_orders_of_the_mix() -> None:
    plan = RunPlan(threads=10, think_time_ms=1_000, workload=WHOLESALE)
    assert highest_rate(plan) == pytest.approx(600 * 0.45)
    assert highest_rate(plan.changed({"mix": "hammerdb"})) == pytest.approx(600 * 10 / 23)


def test_highest_nopm_as_specified_is_that_of_the_specification() -> None:
    plan = RunPlan(threads=10, workload=WHOLESALE, parameters={"specified_times": True})
    assert highest_rate(plan) == pytest.approx(12.86, abs=0.01)  # for the 10 terminals of a warehouse, clause 4.2.1
    assert highest_rate(plan.changed({"think_time_ms": 5})) == highest_rate(plan)
