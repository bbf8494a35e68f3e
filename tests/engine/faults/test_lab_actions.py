"""The actions are read from what people write, checked against the lab, and told before they are done."""

import pytest

from engine.errors import BadInput
from engine.faults.lab_actions import WORDS, LabAction, check_action, read_action, sentence_of


@pytest.mark.parametrize("text", ["kill primary", "kill-primary", "kill_primary", " Kill  Primary "])
def test_action_is_parsed_with_any_word_separator(text: str) -> None:
    assert read_action(text) is LabAction.KILL_PRIMARY


def test_an_unknown_action_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"'unplug' is not known; give one of kill primary, .*restore network"):
        read_action("unplug")


@pytest.mark.parametrize("action", LabAction)
def test_every_action_has_a_sentence_about_its_node(action: LabAction) -> None:
    for sentence in (sentence_of(action, value=5), sentence_of(action, node=2, value=5)):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "{" not in sentence
    if "{node}" in WORDS[action].sentence:
        assert "node 2" in sentence_of(action, node=2)


@pytest.mark.parametrize(
    ("action", "nodes", "node", "value", "words"),
    [
        (LabAction.PROMOTE, 1, None, None, "needs a standby"),
        (LabAction.KILL_PRIMARY, 2, 3, None, "node 3 does not exist"),
        (LabAction.DELAY_NETWORK, 2, None, None, "needs a number above 0"),
        (LabAction.LIMIT_NETWORK, 2, None, -1.0, "needs a number above 0"),
        (LabAction.KILL_PRIMARY, 2, None, 5.0, "takes no number"),
    ],
)
def test_what_can_not_be_done_is_refused_before_it_is_tried(
    action: LabAction, nodes: int, node: int | None, value: float | None, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        check_action(action, nodes=nodes, node=node, value=value)


def test_what_can_be_done_passes() -> None:
    check_action(LabAction.KILL_PRIMARY, nodes=1)
    check_action(LabAction.DELAY_NETWORK, nodes=2, node=2, value=5.0)
