import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.draft.fault_draft import FaultDraft
from engine.draft.injection_draft import InjectionDraft
from engine.errors import BadInput
from engine.faults.planned import PlannedFault
from tests.engine.plans import FAULTS


@given(st.integers(0, 10**8).map(lambda milliseconds: milliseconds / 1000), st.text("aé 9", min_size=1))
def test_fault_round_trips_through_the_draft(at_seconds: float, label: str) -> None:
    fault = PlannedFault(at_seconds=at_seconds, label=f"x{label}")
    draft = FaultDraft.from_fault(fault)
    assert draft.validate() == {}
    assert draft.fault() == fault
    assert FaultDraft.from_dict(draft.to_dict()) == draft


@pytest.mark.parametrize("at", ["", "five", "1:75", "-1:00"])
def test_invalid_time_is_reported(at: str) -> None:
    errors = FaultDraft(at=at, label="Failover").validate()
    assert list(errors) == ["at"]
    assert errors["at"].startswith(f"Time is '{at}'; ")


def test_mark_without_label_is_reported() -> None:
    assert list(FaultDraft(at="1:00", label=" ").validate()) == ["label"]


@given(FAULTS)
def test_any_fault_round_trips_through_the_draft(faults: tuple[PlannedFault, ...]) -> None:
    for fault in faults:
        draft = FaultDraft.from_fault(fault)
        assert draft.validate() == {}
        assert draft.fault() == fault
        assert draft.called() == fault.label
        assert FaultDraft.from_dict(draft.to_dict()) == draft


def test_injection_needs_no_label() -> None:
    draft = FaultDraft.from_text("T+0:40 freeze primary for 5s")
    assert (draft.label, draft.fault().label) == ("", "Freeze primary")
    draft.label = "Hung host"
    assert draft.fault().label == "Hung host"


def test_older_draft_is_read_as_a_mark() -> None:
    assert FaultDraft.from_dict({"at": "2:00", "label": "Pulled"}) == FaultDraft(at="2:00", label="Pulled")


def test_text_may_include_time_and_label() -> None:
    fault = FaultDraft("1:00", "Failover", is_fault=True)
    fault.type_what("T+40s freeze primary for 5s called Frozen")
    assert (fault.at, fault.label, fault.what) == ("0:40", "Frozen", "freeze primary for 5s then thaw")
    fault.type_what("kill primary")
    assert (fault.at, fault.label, fault.called()) == ("0:40", "Frozen", "Frozen")
    fault.type_what("t+1:10 mark Enclosure pulled")
    assert (fault.at, fault.label, fault.is_mark, fault.is_fault) == ("1:10", "Enclosure pulled", True, True)
    fault.type_what("kill standby")
    assert (fault.label, fault.called()) == ("", "Kill standby")
    fault.type_what("mark")
    assert (fault.is_mark, list(fault.validate())) == (True, ["label"])


def test_invalid_time_in_text_is_reported_at_the_time_field() -> None:
    fault = FaultDraft("1:00")
    fault.type_what("T+soon kill primary")
    assert list(fault.validate()) == ["at"]
    assert fault.what == "kill primary"


def test_impossible_injection_is_reported_at_its_field() -> None:
    fault = FaultDraft("1:00", done=InjectionDraft(action="delay_network"))
    assert list(fault.validate()) == ["done.value"]
    assert fault.called() == ""
    with pytest.raises(BadInput):
        fault.fault()


def test_steady_deadline_before_the_fault_is_reported() -> None:
    fault = FaultDraft("1:00", done=InjectionDraft(steady_by="0:30"))
    assert list(fault.validate()) == ["done.steady_by"]


def test_a_fault_is_typed_as_on_the_command_line() -> None:
    assert FaultDraft.from_text("T+40s kill primary") == FaultDraft("0:40", done=InjectionDraft())
    with pytest.raises(BadInput, match="did you mean 'kill primary'"):
        FaultDraft.from_text("T+40s kill primray")
