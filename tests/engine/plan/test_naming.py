from dataclasses import replace

import pytest

from engine.faults.fault_text import parse_fault
from engine.plan.naming import name_of, proposed_name
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION, demonstration_of
from engine.target.target import EMBEDDED, MSSQL, Host, Target
from engine.workload.registry import WHOLESALE

LOAD = RunPlan(clients=4, threads=32, think_time_ms=20.0)


def _driving(*targets: Target) -> RunPlan:
    return replace(LOAD, targets=targets)


def _server(*hosts: str, label: str = "") -> Target:
    return Target(kind="postgresql", hosts=tuple(Host(host, 5432) for host in hosts), label=label)


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (LOAD, "Embedded server, 4 × 32 users, 20 ms"),
        (_driving(Target(kind=EMBEDDED, nodes=2)), "Embedded pair, 4 × 32 users, 20 ms"),
        (_driving(Target(kind=EMBEDDED, nodes=3)), "Embedded group of 3, 4 × 32 users, 20 ms"),
        (_driving(_server("db1.lab")), "db1.lab, 4 × 32 users, 20 ms"),
        (replace(_driving(_server("db1.lab")), think_time_ms=0.0), "db1.lab, 4 × 32 users"),
        (_driving(_server("db1", "db2")), "db1/db2, 4 × 32 users, 20 ms"),
        (_driving(_server("db1"), _server("db2")), "db1 and db2, 8 × 32 users, 20 ms"),
        (_driving(*(_server(f"db{n}") for n in range(1, 5))), "db1 and 3 more, 16 × 32 users, 20 ms"),
        (_driving(_server("db1", label="array A")), "array A, 4 × 32 users, 20 ms"),
        (_driving(Target(kind=MSSQL, hosts=(Host("db1", 0, "prod"),))), "db1\\prod, 4 × 32 users, 20 ms"),
    ],
)
def test_a_plan_is_named_after_what_it_drives_and_how(plan: RunPlan, name: str) -> None:
    assert proposed_name(plan) == name


def test_faults_are_part_of_the_name() -> None:
    kill, thaw = parse_fault("T+40s kill primary"), parse_fault("T+50s thaw")
    assert proposed_name(replace(LOAD, minutes=2, faults=(kill,))).endswith(", 20 ms, Kill primary")
    assert proposed_name(replace(LOAD, minutes=2, faults=(kill, thaw))).endswith(", 20 ms, Kill primary and 1 more")


def test_only_the_demonstration_is_called_so() -> None:
    unnamed = replace(DEMONSTRATION, name="", note="for the visitors")
    assert proposed_name(unnamed) == "Demonstration"
    assert proposed_name(replace(unnamed, targets=(_server("db1.lab"),))) == "db1.lab, 2 × 8 users, 20 ms"


def test_a_given_name_counts() -> None:
    assert name_of(replace(LOAD, name="R630, SSD")) == "R630, SSD"
    assert name_of(LOAD) == proposed_name(LOAD)


def test_demonstration_of_another_workload_kills_the_primary_of_a_pair_half_way() -> None:
    plan = demonstration_of("wholesale")
    (target,) = plan.targets
    assert (target.nodes, target.sync, target.database, str(plan.scale)) == (2, True, "wholesale", "1W")
    assert [(fault.label, fault.at_seconds) for fault in plan.faults] == [("Kill primary", plan.measured_seconds / 2)]
    assert (plan.threads, plan.think_time_ms) == (8, 20)
    assert demonstration_of("wholesale", 0).faults == plan.faults
    assert demonstration_of("wholesale", 4).faults[0].at_seconds == 120
    assert demonstration_of("dvdstore") == DEMONSTRATION


def test_another_workload_is_named_first() -> None:
    plan = replace(LOAD, workload=WHOLESALE, parameters={})
    assert proposed_name(plan) == "Wholesale, Embedded server, 4 × 32 users, 20 ms"
    assert proposed_name(plan.changed({"specified_times": True})).endswith(", 4 × 32 users, times as specified")
