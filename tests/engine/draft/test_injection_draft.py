from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.draft.injection_choices import INJECTION_KINDS
from engine.draft.injection_draft import InjectionDraft
from engine.errors import BadInput
from engine.faults.fault_text import parse_what
from engine.faults.lab_actions import LabAction
from engine.faults.planned import PlannedFault
from tests.engine.plans import FAULTS

TYPED = st.text("0123456789.: ab'@/-", max_size=6)
DRAFTS = st.builds(
    InjectionDraft,
    kind=st.sampled_from([kind.name for kind in INJECTION_KINDS]),
    action=st.sampled_from([action.value for action in LabAction]),
    **dict.fromkeys(("typed", "node", "value", "statement", "command", "place", "url", "user", "end_after"), TYPED),
    repeat=st.one_of(st.just("1"), TYPED),
)


@given(FAULTS)
def test_injection_round_trips_through_the_draft(faults: tuple[PlannedFault, ...]) -> None:
    for fault in faults:
        draft = InjectionDraft.from_fault(fault)
        assert InjectionDraft.from_dict(draft.to_dict()) == draft
        if fault.injection is None:
            assert (draft.kind, draft.text(), draft.validate()) == ("mark", "", {})
        else:
            assert draft.validate(fault.at_seconds) == {}
            assert draft.fault(fault.at_seconds, fault.label) == fault


@given(DRAFTS)
def test_draft_validation_equals_parsing_its_text(draft: InjectionDraft) -> None:
    errors = draft.validate()
    if draft.kind == "mark":
        assert errors == {}
    elif errors:
        assert all(hasattr(draft, name) and text.endswith((".", "?")) for name, text in errors.items())
        with pytest.raises(BadInput):
            draft.fault()
    else:
        assert parse_what(draft.text(), 0.0) == draft.fault()


@pytest.mark.parametrize(
    ("draft", "field", "sentence"),
    [
        (InjectionDraft(action="delay_network"), "value", "'delay network' needs a number above 0"),
        (InjectionDraft(node="7"), "node", "Node 7 does not exist; give one from 1 to 3."),
        (InjectionDraft(action="kill_backend", end_after="5"), "end", "'kill backend' has no end of its own"),
        (InjectionDraft(end_after="5", end="nothing"), "end", "Ended by is 'nothing', which can't be read"),
        (InjectionDraft(end_after="5", end="thaw repeat 2 every 9s"), "end", "Ended by is 'thaw repeat 2 every 9s'"),
        (InjectionDraft(end_after="soon"), "end_after", "End after is 'soon'; write seconds such as 40s, or 0:40."),
        (InjectionDraft(steady_by="0:10"), "steady_by", "Wait for a steady baseline until is 10, before at_seconds 20"),
        (InjectionDraft(repeat="q"), "repeat", "Repeat is 'q'; give a whole number."),
        (InjectionDraft(repeat="3", every=""), "every", "Every is 0; give more than"),
        (InjectionDraft(timeout_seconds="9999"), "timeout_seconds", "Time-out is 9999.0; give seconds"),
        (InjectionDraft(kind="sql"), "statement", "Statement is empty"),
        (InjectionDraft(kind="sql", statement="SELECT 1", target="0"), "target", "Target is 0"),
        (InjectionDraft(kind="sql", statement="SELECT 1", host=""), "host", "Host is ''"),
        (InjectionDraft(kind="run"), "command", "Command is empty; give a program's path"),
        (InjectionDraft(kind="run", command="'open"), "command", "A quotation mark is not closed"),
        (InjectionDraft(kind="ssh", command="true"), "place", "Machine is empty; name the machine"),
        (InjectionDraft(kind="ssh", place="root@r630"), "command", "Command is empty; give the command to run there."),
        (InjectionDraft(kind="ssh", place="a:b@r630", command="x"), "place", "There is a password before the host"),
        (InjectionDraft(kind="redfish", url="http://bmc", user="a"), "url", "Controller is 'http://bmc'"),
        (InjectionDraft(kind="redfish", url="https://bmc"), "user", "User is ''"),
        (InjectionDraft(kind="text", typed="kill primray"), "typed", "'kill primray' is not a known action"),
    ],
)
def test_a_wrong_field_gets_one_sentence(draft: InjectionDraft, field: str, sentence: str) -> None:
    errors = draft.validate(20)
    assert list(errors) == [field]
    assert errors[field].startswith(sentence)


def test_invalid_field_of_another_action_is_ignored() -> None:
    draft = InjectionDraft(action="delay_network", value="50")
    assert draft.text() == "delay network by 50"
    assert replace(draft, action="kill_primary").text() == "kill primary"


def test_unparsable_text_is_kept() -> None:
    draft = InjectionDraft.from_text("kill primray")
    assert (draft.kind, draft.text()) == ("text", "kill primray")
    assert InjectionDraft.from_text("freeze primary for 5s").end_after == "0:05"


def test_credentials_before_an_at_sign_are_not_stored() -> None:
    draft = InjectionDraft(kind="ssh", place="me:hidden@r630", url="https://me:hidden@bmc", typed="ssh a:hidden@b x")
    kept = draft.to_dict()
    assert (kept["place"], kept["url"], kept["typed"]) == ("r630", "https://bmc", "ssh b x")


def test_foreign_stored_draft_is_read_as_a_mark() -> None:
    assert InjectionDraft.from_dict({"kind": "paper", "action": "burn", "node": 3}) == InjectionDraft(kind="mark")
