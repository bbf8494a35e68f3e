import math

from hypothesis import given
from hypothesis import strategies as st

from engine.faults.fault_schedule import FaultSchedule
from engine.faults.injections import LabInjection
from engine.faults.lab_actions import LabAction
from engine.faults.planned import PlannedFault
from tests.engine.plans import FAULTS

MEASURING_FROM = 12


def fault(at_seconds: float, label: str = "x") -> PlannedFault:
    return PlannedFault(at_seconds=at_seconds, label=label)


@given(FAULTS, st.lists(st.floats(0, 40_000_000), max_size=5))
def test_each_repetition_is_due_once_at_its_planned_time(faults: tuple[PlannedFault, ...], looks: list[float]) -> None:
    schedule = FaultSchedule(faults)
    taken = []
    for at in [*sorted(looks), 40_000_000.0]:
        due = schedule.take_due(at, MEASURING_FROM)
        assert all(armed.at_seconds <= at for armed in due)
        assert schedule.next_at(MEASURING_FROM) > at
        taken += due

    moments = [armed.at_seconds for armed in taken]
    assert moments == sorted(moments)
    assert len({armed.number for armed in taken}) == len(taken) == sum(each.repeat for each in faults)
    for armed in taken:
        planned = MEASURING_FROM + armed.fault.at_seconds + (armed.round - 1) * armed.fault.every_seconds
        assert abs(armed.at_seconds - planned) < 0.001
    assert schedule.next_at(MEASURING_FROM) == math.inf


def test_nothing_is_due_before_it_is_known_when_measuring_begins() -> None:
    schedule = FaultSchedule([fault(0.0)])

    assert schedule.next_at(None) == math.inf
    assert schedule.take_due(1e9, None) == []
    assert schedule.take_due(11.999, MEASURING_FROM) == []
    due = schedule.take_due(12.0, MEASURING_FROM)
    assert [(armed.at_seconds, armed.fault) for armed in due] == [(12.0, fault(0.0))]


def test_simultaneous_faults_keep_the_plans_order() -> None:
    schedule = FaultSchedule([fault(5.0, "first"), fault(5.0, "second"), fault(1.0)])

    due = schedule.take_due(100.0, 0)

    assert [armed.fault.label for armed in due] == ["x", "first", "second"]


def test_a_fault_by_hand_is_due_at_once_whatever_its_moment_and_its_rounds_follow() -> None:
    thaw = LabInjection(action=LabAction.THAW)
    schedule = FaultSchedule([fault(5.0)])

    numbers = schedule.add(PlannedFault(at_seconds=99, injection=thaw, repeat=2, every_seconds=10), 3.5)

    assert schedule.next_at(None) == 3.5
    due = schedule.take_due(20.0, None)
    assert [(armed.number, armed.round, armed.at_seconds) for armed in due] == [
        (numbers[0], 1, 3.5),
        (numbers[1], 2, 13.5),
    ]


def test_removed_fault_is_never_due() -> None:
    schedule = FaultSchedule([fault(1.0, "a"), fault(2.0, "b")])
    first, second = schedule.waiting()

    assert schedule.cancel(first.number)
    assert not schedule.cancel(first.number)
    assert schedule.waiting() == (second,)
    assert [armed.fault.label for armed in schedule.take_due(9.0, 0)] == ["b"]
    assert not schedule.cancel(second.number)
