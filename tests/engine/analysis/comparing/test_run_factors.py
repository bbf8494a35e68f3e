from dataclasses import replace
from typing import Any

import pytest

from engine.analysis.comparing.run_factors import differing_factors, factor_lines, factors_sentence, same_length
from engine.lab.shapes import lab_target
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from tests.app.runs import a_run
from tests.totals import totals_with


def a_record(seconds: int = 180, server: dict[str, Any] | None = None, **of_plan: Any) -> RunRecord:
    record = a_run()
    plan = record.plan.changed({"db_size": None, **of_plan})
    servers = [{"product": "PostgreSQL", "store": {"size": "10MB", "orders_beyond": 0}} | (server or {})]
    return replace(record, plan=plan, totals=totals_with(measured_seconds=seconds), environment={"servers": servers})


def differing(*records: RunRecord, faults: tuple[int, ...] = (0, 0)) -> dict[str, tuple[str, ...]]:
    return {each.name: each.texts for each in differing_factors(records, faults)}


def test_runs_of_one_plan_differ_in_nothing() -> None:
    assert differing(a_record(), a_record(seconds=181)) == {}
    assert factors_sentence([]) == ""


@pytest.mark.parametrize(
    ("other", "name", "texts"),
    [
        (a_record(threads=16), "users of each client", ("8", "16")),
        (a_record(think_time_ms=5), "think time", ("20\u202fms", "5\u202fms")),
        (a_record(seconds=12), "measured time", ("3:00\u202fmin", "12\u202fs")),
        (a_record(warmup_minutes=5), "warm-up", ("1 min", "5 min")),
        (a_record(server={"product": "MariaDB"}), "database", ("PostgreSQL", "MariaDB")),
        (a_record(server={"store": {"size": "1GB", "orders_beyond": 0}}), "store size", ("10MB", "1GB")),
        (
            a_record(server={"store": {"size": "10MB", "orders_beyond": 7}}),
            "stores at the start",
            ("as built", "not reset"),
        ),
        (replace(a_record(), client_labels=("a",)), "clients", ("2", "1")),
        (replace(a_record(), state=RunState.STOPPED), "how they ended", ("completed", "stopped")),
    ],
)
def test_differing_factors_have_their_values(other: RunRecord, name: str, texts: tuple[str, ...]) -> None:
    assert differing(a_record(), other) == {name: texts}


def test_a_pair_differs_from_a_single_server() -> None:
    single, pair = (a_record(targets=(lab_target(name),)) for name in ("single", "pair"))
    assert differing(single, pair) == {"embedded servers": ("a single server", "a synchronous pair, failover fast")}
    assert differing(pair, pair) == {}


def test_a_run_with_faults_differs_from_one_without() -> None:
    assert differing(a_record(), a_record(), faults=(0, 2)) == {"faults": ("none", "2")}
    assert differing(a_record(), a_record(), faults=(1, 2)) == {}


def test_the_mix_is_one_factor() -> None:
    found = differing(a_record(n_searches=1), a_record(pct_new_customers=50))
    assert found["workload mix"][0] == "20 % new customers, 1 search of 5 rows, 5 lines"


def test_unknown_factors_do_not_differ() -> None:
    imported = replace(
        a_record(), environment={}, plan=replace(RunPlan(), threads=8, clients=2, think_time_ms=20), totals=None
    )
    sized = replace(a_record(), plan=a_record().plan.with_scale("10MB"))
    assert differing(sized, imported) == {}
    assert same_length([None, 12.0, None])


def test_the_sentence_and_its_lines_name_everything() -> None:
    factors = differing_factors([a_record(), a_record(threads=16, think_time_ms=5)], (0, 0))
    assert (
        factors_sentence(factors)
        == "The runs differ in users of each client (8 / 16); think time (20\u202fms / 5\u202fms)."
    )
    assert factor_lines(factors, ["before", "after"])[0] == "Users of each client: 8 (before), 16 (after)"
