import json

import pytest

from engine.errors import BadInput
from engine.library.rows import LazyJson, stored_plan
from engine.plan.plan import RunPlan

ENVIRONMENT = {"servers": [{"version": "18.1"}], "workstation": {"processors": 2}}


def test_lazy_json_equals_the_stored_mapping():
    lazy = LazyJson(json.dumps(ENVIRONMENT))
    assert lazy == ENVIRONMENT == lazy
    assert dict(lazy) == ENVIRONMENT
    assert lazy["workstation"]["processors"] == 2
    assert lazy.get("nothing") is None
    assert repr(lazy) == repr(ENVIRONMENT)
    assert lazy != {}


def test_lazy_json_is_parsed_at_first_access():
    lazy = LazyJson("no JSON")
    with pytest.raises(json.JSONDecodeError):
        len(lazy)


def test_equal_plans_share_one_object():
    text = json.dumps(RunPlan(threads=7).to_dict())
    assert stored_plan(text) is stored_plan(text)
    assert stored_plan(text) == RunPlan(threads=7)


def test_a_plan_of_another_version_is_refused_every_time():
    text = json.dumps(RunPlan().to_dict() | {"moon": "full"})
    for _ in range(2):
        with pytest.raises(BadInput, match="'moon' is not known"):
            stored_plan(text)
