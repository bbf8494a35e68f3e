import json

import pytest

from engine.draft.plan_draft import PlanDraft
from engine.draft.saved import (
    SavedTarget,
    own_preset,
    presets_from,
    presets_to,
    renamed,
    targets_from,
    targets_to,
    with_presets,
    with_saved,
    without,
)
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.plan.load.stage import Stage
from engine.plan.presets import PRESETS, QUICK, load_keys
from engine.workload.registry import DVD_STORE, WHOLESALE

LOAD = PlanDraft(typed={"threads": "64", "minutes": "90s"}).values(load_keys(DVD_STORE))


def test_saved_preset_round_trips() -> None:
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
def test_invalid_stored_preset_is_omitted(kept: object) -> None:
    assert presets_from([kept]) == []


def test_invalid_values_are_no_preset() -> None:
    with pytest.raises(BadInput, match="threads is 0"):
        own_preset("night", LOAD | {"threads": 0})


def test_saved_targets_have_no_password() -> None:
    server = SavedTarget("R630", TargetDraft(kind="postgresql", hosts="me:hidden@db1", label="A"))
    kept = json.dumps(targets_to([server]))
    assert "hidden" not in kept
    (found,) = targets_from(json.loads(kept))
    assert (found.name, found.target.hosts, found.target.label) == ("R630", "db1", "A")
    assert targets_from(["R630", {"name": "R630"}]) == []


def test_names_are_unique_in_any_case() -> None:
    first, second = SavedTarget("b", TargetDraft()), SavedTarget("B", TargetDraft(label="new"))
    assert with_saved([first], second) == [second]
    both = with_saved([first], SavedTarget("a", TargetDraft()))
    assert [each.name for each in both] == ["a", "b"]
    assert [each.name for each in renamed(both, "a", "c")] == ["b", "c"]
    assert renamed(both, "nothing", "c") == both
    assert without(both, "a") == [first]


def test_presets_name_their_workload_and_share_no_names_with_those_of_another() -> None:
    wholesale = own_preset("night", PlanDraft(workload=WHOLESALE).values(load_keys(WHOLESALE)), WHOLESALE)
    presets = [own_preset("night", LOAD), wholesale]
    kept = json.loads(json.dumps(presets_to(presets)))
    assert [each["workload"] for each in kept] == [DVD_STORE, WHOLESALE]
    assert presets_from(kept) == presets
    assert with_presets(presets, DVD_STORE, []) == [wholesale]


def test_preset_with_stages_is_kept_as_json_and_read_back() -> None:
    typed = {"threads": "5", "stages": "4 users 1:00, 40 users 1:00 settle 0:30"}
    preset = own_preset("steps", PlanDraft(typed=typed).values(load_keys("dvdstore")))
    kept = json.loads(json.dumps(presets_to([preset])))

    assert presets_from(kept) == [preset]
    assert preset.values["stages"][1] == Stage(users=40, seconds=60, settle_seconds=30)


def test_preset_of_a_version_without_stages_is_read() -> None:
    (kept,) = presets_to([own_preset("night", LOAD)])
    for key in ("stages", "staircase", "rate", "arrivals"):
        kept["values"].pop(key, None)
    (read,) = presets_from([kept])
    assert read.values["stages"] is None
    assert read.values["threads"] == LOAD["threads"]
