import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.draft.fault_draft import FaultDraft
from engine.faults.planned import PlannedFault


@given(st.integers(0, 10**8).map(lambda milliseconds: milliseconds / 1000), st.text("aé 9", min_size=1))
def test_a_fault_comes_back_from_its_fields(at_seconds: float, label: str) -> None:
    fault = PlannedFault(at_seconds=at_seconds, label=f"x{label}")
    draft = FaultDraft.from_fault(fault)
    assert draft.validate() == {}
    assert draft.fault() == fault
    assert FaultDraft.from_dict(draft.to_dict()) == draft


@pytest.mark.parametrize("at", ["", "five", "1:75", "-1:00"])
def test_a_time_that_is_none_is_told(at: str) -> None:
    errors = FaultDraft(at=at, label="Failover").validate()
    assert list(errors) == ["at"]
    assert errors["at"].startswith(f"Time is '{at}'; ")


def test_a_mark_without_words_is_told() -> None:
    assert list(FaultDraft(at="1:00", label=" ").validate()) == ["label"]
