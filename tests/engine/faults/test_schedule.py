import math

from hypothesis import given
from hypothesis import strategies as st

from engine.faults.planned import PlannedFault
from engine.faults.schedule import Schedule
from tests.engine.plans import FAULTS

MEASURING_FROM = 12


def fault(at_seconds: float, label: str = "x") -> PlannedFault:
    return PlannedFault(at_seconds=at_seconds, label=label)


@given(FAULTS, st.lists(st.floats(0, 40_000_000), max_size=5))
def test_each_fault_comes_once_in_order_at_the_time_that_was_planned(
    faults: tuple[PlannedFault, ...], looks: list[float]
) -> None:
    schedule = Schedule(faults)
    taken = []
    for at in [*sorted(looks), 40_000_000.0]:
        due = schedule.take_due(at, MEASURING_FROM)
        assert all(moment <= at for moment, _ in due)
        assert schedule.next_at(MEASURING_FROM) > at
        taken += due

    assert [moment for moment, _ in taken] == sorted(MEASURING_FROM + each.at_seconds for each in faults)
    assert all(moment == MEASURING_FROM + each.at_seconds for moment, each in taken)
    assert schedule.next_at(MEASURING_FROM) == math.inf


def test_nothing_is_due_before_it_is_known_when_measuring_begins() -> None:
    schedule = Schedule([fault(0.0)])

    assert schedule.next_at(None) == math.inf
    assert schedule.take_due(1e9, None) == []
    assert schedule.take_due(11.999, MEASURING_FROM) == []
    assert schedule.take_due(12.0, MEASURING_FROM) == [(12.0, fault(0.0))]


def test_two_at_the_same_time_come_as_they_stand_in_the_plan() -> None:
    schedule = Schedule([fault(5.0, "first"), fault(5.0, "second"), fault(1.0)])

    due = schedule.take_due(100.0, 0)

    assert [each.label for _, each in due] == ["x", "first", "second"]
