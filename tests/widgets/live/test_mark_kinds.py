"""What can be wrong with the kinds of marks."""

import pytest

from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind, problem_of


def test_default_kinds_are_valid() -> None:
    assert problem_of(DEFAULT_MARK_KINDS) == ""
    assert [kind.key for kind in DEFAULT_MARK_KINDS] == ["F9", "F10", "F11", "F7", "F8", "F12", "Ctrl+N"]


def test_notes_are_no_faults_and_restored_ends_a_fault() -> None:
    faults = [kind.label for kind in DEFAULT_MARK_KINDS if kind.is_fault]
    assert faults == ["Enclosure pulled", "Failover", "Network cut", "Disk pulled", "Power cut"]
    assert [kind.label for kind in DEFAULT_MARK_KINDS if kind.ends_fault] == ["Restored"]


def test_empty_list_and_kinds_without_keys_are_valid() -> None:
    assert problem_of([]) == ""
    assert problem_of([MarkKind(label="Failover"), MarkKind(label="Power cut")]) == ""


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ([MarkKind(label=" ", key="F9")], "has no name"),
        ([MarkKind(label="Failover", key="F9"), MarkKind(label="Failover", key="F10")], "2 kinds of marks are named"),
        ([MarkKind(label="Failover", key="F9"), MarkKind(label="Power cut", key="F9")], "of Failover and of Power cut"),
        ([MarkKind(label="Failover", key="Ctrl+Z")], "Ctrl+Z is for undoing a mark"),
        ([MarkKind(label="Failover", key="X")], "alone is a typing key"),
        ([MarkKind(label="Failover", key="Alt+PgUp")], "Alt+PgUp is for the fault before"),
        ([MarkKind(label="Failover", key="F5")], "F5 is for reading the library again"),
    ],
)
def test_problem_is_reported_in_one_sentence(kinds: list[MarkKind], said: str) -> None:
    problem = problem_of(kinds)
    assert said in problem
    assert problem.endswith(".")
    assert ". " not in problem
