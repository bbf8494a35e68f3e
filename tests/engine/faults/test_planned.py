import math
from typing import Any

import pytest
from hypothesis import given

from engine.errors import BadInput
from engine.faults.injections import CommandInjection, FaultKind, LabInjection
from engine.faults.lab_actions import LabAction
from engine.faults.planned import PlannedFault
from engine.parameters.typed_text import LATEST_SECONDS
from tests.engine.plans import FAULTS

FREEZE = LabInjection(action=LabAction.FREEZE_PRIMARY)
TOOL = CommandInjection(arguments=("/path/tool",))


@given(FAULTS)
def test_a_fault_survives_being_stored(faults: tuple[PlannedFault, ...]) -> None:
    for fault in faults:
        assert PlannedFault.from_dict(fault.to_dict()) == fault


def test_a_mark_is_stored_as_it_always_was() -> None:
    mark = PlannedFault(at_seconds=300, label="Enclosure pulled")
    assert mark.to_dict() == {"kind": "mark", "at_seconds": 300.0, "label": "Enclosure pulled"}
    assert mark.is_fault is False


def test_an_injection_is_stored_in_one_table() -> None:
    fault = PlannedFault(at_seconds=40, injection=FREEZE, end_after_seconds=5, repeat=2, every_seconds=60)
    assert fault.to_dict() == {
        "kind": "lab",
        "at_seconds": 40.0,
        "label": "Freeze primary",
        "action": "freeze_primary",
        "end_after_seconds": 5.0,
        "end": {"kind": "lab", "action": "thaw"},
        "repeat": 2,
        "every_seconds": 60.0,
    }
    assert (fault.kind, fault.is_fault, fault.over_seconds) == (FaultKind.LAB, True, 105.0)


def test_what_only_mends_is_no_fault_to_recover_from() -> None:
    assert PlannedFault(at_seconds=1, injection=LabInjection(action=LabAction.REJOIN)).is_fault is False
    assert PlannedFault(at_seconds=1, injection=TOOL).is_fault is True


@pytest.mark.parametrize(
    ("plain", "parts"),
    [
        (300, "each of the plan's faults is a table"),
        ({"at_seconds": 300}, "has no label"),
        ({"label": "x"}, "has no at_seconds"),
        ({"at_second": 300, "label": "x"}, "fault key 'at_second' is not known; did you mean 'at_seconds'"),
        ({"zzz": 1, "label": "x"}, "known keys are kind, at_seconds, label"),
        ({"at_seconds": "5:00", "label": "x"}, "at_seconds is '5:00'"),
        ({"at_seconds": True, "label": "x"}, "at_seconds is True"),
        ({"at_seconds": -1, "label": "x"}, "at_seconds is -1"),
        ({"at_seconds": math.nan, "label": "x"}, "at_seconds is nan"),
        ({"at_seconds": LATEST_SECONDS + 1, "label": "x"}, "at_seconds is"),
        ({"at_seconds": 1, "label": 7}, "label is 7"),
        ({"at_seconds": 1, "label": "x", "kind": "kill"}, "kind is 'kill'; give one of mark, lab, command"),
        ({"at_seconds": 1, "kind": "lab"}, "a fault of kind lab has no action"),
        ({"at_seconds": 1, "kind": "lab", "acton": "thaw"}, "did you mean 'action'"),
        ({"at_seconds": 1, "kind": "lab", "action": "thaw", "is_fault": True}, "is_fault is only for marks"),
        ({"at_seconds": 1, "label": "x", "repeat": 2}, "repeat is only for injections, and 'x' is a mark"),
        ({"at_seconds": 1, "kind": "command", "arguments": ["x"], "end_after_seconds": 5}, "and no end"),
        ({"at_seconds": 1, "kind": "lab", "action": "switchover", "end_after_seconds": 5}, "no end of its own"),
        (
            {"at_seconds": 1, "kind": "lab", "action": "thaw", "end": {"kind": "lab", "action": "thaw"}},
            "give the time",
        ),
        ({"at_seconds": 1, "kind": "lab", "action": "thaw", "repeat": 0}, "repeat is 0"),
        ({"at_seconds": 1, "kind": "lab", "action": "thaw", "repeat": 2}, "every_seconds is 0; give more than the 0 s"),
        ({"at_seconds": 9, "kind": "lab", "action": "thaw", "steady_by_seconds": 8}, "before at_seconds 9"),
    ],
)
def test_a_fault_that_can_not_be_is_refused_with_its_reason(plain: Any, parts: str) -> None:
    with pytest.raises(BadInput) as refused:
        PlannedFault.from_dict(plain)
    assert parts in str(refused.value)


def test_the_next_round_begins_after_the_end_of_the_one_before() -> None:
    with pytest.raises(BadInput, match="every_seconds is 5; give more than the 5 s that 'Freeze primary' lasts"):
        PlannedFault(at_seconds=1, injection=FREEZE, end_after_seconds=5, repeat=3, every_seconds=5)
