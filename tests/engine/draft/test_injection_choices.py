import pytest

from engine.draft.injection_choices import ACTION_GROUPS, INJECTION_KINDS, action_choices, injection_kind, lab_nodes
from engine.draft.injection_draft import FIELD_LABELS, InjectionDraft
from engine.errors import BadInput
from engine.faults.lab_actions import LabAction
from engine.target.target import EMBEDDED, FAST, POSTGRESQL, Host, Target

SERVER = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), user="me")


def test_every_action_is_in_one_group() -> None:
    grouped = [action for actions in ACTION_GROUPS.values() for action in actions]
    assert sorted(grouped) == sorted(LabAction)


def test_single_server_has_only_its_own_actions() -> None:
    offered = {choice.name for choices in action_choices(1).values() for choice in choices}
    assert "kill_primary" in offered
    assert "switchover" not in offered
    assert "Failover" not in action_choices(1)
    assert "switchover" in {choice.name for choice in action_choices(2)["Failover"]}


def test_choice_has_description_amount_and_undo() -> None:
    freeze = next(choice for choice in action_choices(2)["Freeze"] if choice.name == "freeze_primary")
    assert (freeze.title, freeze.value, freeze.end) == ("Freeze primary", "", "thaw")
    assert "SIGSTOP" in freeze.sentence
    delay = next(choice for choice in action_choices(2)["Network"] if choice.name == "delay_network")
    assert "milliseconds" in delay.value


@pytest.mark.parametrize(
    ("stores", "nodes"),
    [((SERVER,), 0), ((Target(kind=EMBEDDED),), 1), ((SERVER, Target(kind=EMBEDDED, nodes=3, failover=FAST)), 3)],
)
def test_the_embedded_servers_among_the_stores_are_counted(stores: tuple[Target, ...], nodes: int) -> None:
    assert lab_nodes(stores) == nodes


def test_each_kind_has_fields_that_a_draft_has() -> None:
    for kind in INJECTION_KINDS:
        assert injection_kind(kind.name) is kind
        assert all(hasattr(InjectionDraft(), name) and name in FIELD_LABELS for name in kind.fields)
    with pytest.raises(BadInput, match="'paper'"):
        injection_kind("paper")
