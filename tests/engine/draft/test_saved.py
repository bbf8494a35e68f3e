import json

import pytest

from engine.draft import PlanDraft, TargetDraft
from engine.draft.saved import (
    SavedTarget,
    own_preset,
    presets_from,
    presets_to,
    renamed,
    targets_from,
    targets_to,
    with_saved,
    without,
)
from engine.errors import BadInput
from engine.plan.presets import PRESETS, QUICK, load_keys
from engine.workload.registry import DVD_STORE

LOAD = PlanDraft(typed={"threads": "64", "minutes": "90s"}).values(load_keys(DVD_STORE))


def test_a_preset_of_ones_own_is_kept_and_read_back() -> None:
    presets = [own_preset("night", LOAD), own_preset("day", dict(QUICK.values))]
    kept = json.loads(json.dumps(presets_to(presets)))
    assert presets_from(kept) == [presets[1], presets[0]]
    assert presets_from(kept)[1].values["minutes"] == 1.5


@pytest.mark.parametrize(
    "kept",
    [
        "night",
        {"name": "night"},
        {"name": "night", "values": {"threads": 8}},
        {"name": "night", "values": LOAD | {"threads": 0}},
        {"name": PRESETS[1].name, "values": LOAD},
        {"name": "", "values": LOAD},
    ],
)
def test_a_kept_preset_that_is_none_is_left_out(kept: object) -> None:
    assert presets_from([kept]) == []


def test_what_no_plan_can_have_is_no_preset() -> None:
    with pytest.raises(BadInput, match="threads is 0"):
        own_preset("night", LOAD | {"threads": 0})


def test_targets_are_kept_without_what_may_be_a_password() -> None:
    server = SavedTarget("R630", TargetDraft(kind="postgresql", hosts="me:hidden@db1", label="A"))
    kept = json.dumps(targets_to([server]))
    assert "hidden" not in kept
    (found,) = targets_from(json.loads(kept))
    assert (found.name, found.target.hosts, found.target.label) == ("R630", "db1", "A")
    assert targets_from(["R630", {"name": "R630"}]) == []


def test_a_name_is_taken_once_capitals_or_not_and_can_be_changed() -> None:
    first, second = SavedTarget("b", TargetDraft()), SavedTarget("B", TargetDraft(label="new"))
    assert with_saved([first], second) == [second]
    both = with_saved([first], SavedTarget("a", TargetDraft()))
    assert [each.name for each in both] == ["a", "b"]
    assert [each.name for each in renamed(both, "a", "c")] == ["b", "c"]
    assert renamed(both, "nothing", "c") == both
    assert without(both, "a") == [first]
