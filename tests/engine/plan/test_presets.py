import re

import pytest

from engine.errors import BadInput
from engine.faults.planned import PlannedFault
from engine.plan.plan import RunPlan
from engine.plan.presets import PRESETS, QUICK, Preset, load_keys, presets_of
from engine.workload.registry import DVD_STORE, WHOLESALE


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_makes_a_valid_plan_that_does_what_its_name_says(preset: Preset) -> None:
    plan = preset.apply(RunPlan(name="kept", clients=3))

    assert (plan.name, plan.clients) == ("kept", 3)
    times = re.search(r"([\d.]+) \+ ([\d.]+) (s|min)$", preset.name)
    assert times
    minute = 60 if times[3] == "s" else 1
    assert (int(times[1]), int(times[2])) == (plan.warmup_minutes * minute, plan.minutes * minute)
    assert f"{plan.threads} users, {plan.think_time_ms:g} ms, " in preset.name
    assert preset.describes


def test_the_published_tests_are_all_there() -> None:
    names = [preset.name for preset in PRESETS]

    assert len(set(names)) == len(names) == 10
    for think_time_ms in (0, 20, 100):
        for warmup in (1, 5, 15):
            assert f"32 users, {think_time_ms} ms, {warmup} + 30 min" in names


def test_a_preset_takes_a_changed_mix_back_to_that_of_the_published_tests() -> None:
    changed = RunPlan(
        ramp_rate=100, parameters={"pct_new_customers": 90, "n_line_items": 9, "n_searches": 1, "search_batch_size": 50}
    )

    assert QUICK.apply(changed) == QUICK.apply(RunPlan())


def test_a_load_that_ends_before_a_planned_fault_is_refused() -> None:
    plan = RunPlan(minutes=30, faults=(PlannedFault(at_seconds=300, label="Failover"),))

    with pytest.raises(BadInput, match=r"'Failover' is at 5:00 after measuring begins, and measuring ends at 0:48"):
        QUICK.apply(plan)


def test_wholesale_has_presets_of_its_own() -> None:
    assert presets_of(DVD_STORE) == PRESETS
    presets = presets_of(WHOLESALE)
    assert len({preset.name for preset in presets}) == len(presets) > 1
    for preset in presets:
        plan = preset.apply(RunPlan(name="kept", parameters={"n_searches": 9}))
        assert (plan.name, plan.workload) == ("kept", WHOLESALE)
        assert f"{plan.threads} users, " in preset.name
        assert set(preset.values) == set(load_keys(WHOLESALE))
