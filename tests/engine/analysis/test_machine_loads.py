"""Which of the machines that drive a run is shown: the one that limits it."""

import pytest

from engine.analysis.machine_loads import WORKSTATION, worst_machine
from engine.telemetry.workstation import WorkstationLoad


def a_load(machine_pct: float, *, second: int = 10, is_bottleneck: bool = False, remark: str = "") -> WorkstationLoad:
    return WorkstationLoad(
        second=second,
        machine_pct=machine_pct,
        clients_pct=10.0,
        busiest_process_pct=10.0,
        is_bottleneck=is_bottleneck,
        remarks=(remark,) if remark else (),
    )


@pytest.mark.parametrize(
    ("loads", "worst"),
    [
        ({WORKSTATION: a_load(50)}, WORKSTATION),
        ({WORKSTATION: a_load(50), "lg1": a_load(60)}, "lg1"),
        ({WORKSTATION: a_load(50, remark="late"), "lg1": a_load(60)}, WORKSTATION),
        ({"lg1": a_load(99, remark="late"), "lg2": a_load(70, is_bottleneck=True)}, "lg2"),
        ({WORKSTATION: a_load(5, second=20), "lg1": a_load(99, second=10)}, WORKSTATION),
    ],
    ids=["alone", "busier", "disturbed", "bottleneck", "silent"],
)
def test_the_machine_that_limits_the_run_most_is_the_worst(loads: dict[str, WorkstationLoad], worst: str) -> None:
    assert worst_machine(loads) == worst
