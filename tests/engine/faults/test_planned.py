import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.faults.planned import LATEST_SECONDS, FaultKind, PlannedFault, seconds_of, time_text
from tests.engine.plans import FAULTS


@given(FAULTS)
def test_a_fault_survives_being_typed_and_being_stored(faults: tuple[PlannedFault, ...]) -> None:
    for fault in faults:
        assert PlannedFault.parse(fault.text) == fault
        assert PlannedFault.from_dict(fault.to_dict()) == fault


@pytest.mark.parametrize(
    ("text", "at_seconds", "label"),
    [
        ("5:00 Enclosure pulled", 300.0, "Enclosure pulled"),
        ("  1:02:41   Failover  to b ", 3761.0, "Failover to b"),
        ("90 9:00 is next", 90.0, "9:00 is next"),
        ("0 now", 0.0, "now"),
        ("0:07.25\tthen", 7.25, "then"),
        ("100:00 late", 6000.0, "late"),
    ],
)
def test_a_mark_as_it_is_typed(text: str, at_seconds: float, label: str) -> None:
    fault = PlannedFault.parse(text)
    assert (fault.kind, fault.at_seconds, fault.label) == (FaultKind.MARK, at_seconds, label)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "time is ''; write minutes and seconds such as 5:00"),
        ("Enclosure pulled", "time is 'Enclosure'"),
        ("5:00", "label is ''"),
        ("5:7 x", "time is '5:7'"),
        ("5:60 x", "time is '5:60'"),
        ("1:60:00 x", "time is '1:60:00'"),
        ("-5 x", "time is '-5'"),
        ("1e3 x", "time is '1e3'"),
        ("5:00.1234 x", "time is"),
        ("٣ x", "time is"),
        ("99999999 x", "at_seconds is 99999999.0; give the seconds after measuring begins"),
    ],
)
def test_a_mark_that_can_not_be_read_says_what_to_write(text: str, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        PlannedFault.parse(text)
    assert str(refused.value).startswith(f"mark '{text}' can't be read: ")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("plain", "told"),
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
        ({"at_seconds": 1, "label": "x", "kind": "kill"}, "kind is 'kill'; give one of mark"),
    ],
)
def test_a_fault_that_can_not_be_is_refused_with_its_reason(plain: Any, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        PlannedFault.from_dict(plain)
    assert told in str(refused.value)


@given(st.integers(0, int(LATEST_SECONDS) * 1000))
def test_a_time_reads_back(milliseconds: int) -> None:
    assert seconds_of(time_text(milliseconds / 1000)) == milliseconds / 1000


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.5, "0:59.500"), (3599, "59:59"), (3600, "1:00:00")])
def test_how_a_time_is_written(seconds: float, text: str) -> None:
    assert time_text(seconds) == text
