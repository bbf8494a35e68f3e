import pytest

from engine.draft.lab_choices import FAILOVER_HELP, FAILOVER_TITLES, LAB_CHOICES, lab_choice, lab_choice_of
from engine.errors import BadInput
from engine.lab.shapes import LAB_NAMES, lab_target
from engine.target.target import EMBEDDED, FAILOVER_MODES, MOST_NODES, Target


def test_every_lab_shape_can_be_selected() -> None:
    for nodes in range(1, MOST_NODES + 1):
        for sync in (False, True) if nodes > 1 else (False,):
            choice = lab_choice_of(nodes, sync=sync)
            assert Target(kind=EMBEDDED, nodes=choice.nodes, sync=choice.sync)
            assert lab_choice(choice.name) is choice


@pytest.mark.parametrize("name", LAB_NAMES)
def test_the_names_are_those_of_the_command_line(name: str) -> None:
    target = lab_target(name)
    assert lab_choice_of(target.nodes, sync=target.sync).name == name


def test_each_choice_has_a_description() -> None:
    assert all(choice.title and choice.says.endswith(".") for choice in LAB_CHOICES)
    assert set(FAILOVER_TITLES) == set(FAILOVER_HELP) == set(FAILOVER_MODES)


def test_unknown_name_is_none() -> None:
    with pytest.raises(BadInput, match="'four'; give one of single, pair"):
        lab_choice("four")
