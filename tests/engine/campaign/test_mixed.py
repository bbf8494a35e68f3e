"""Searches and sweeps of mixed runs: as many stores for every load, and conditions of each."""

import tomllib
from dataclasses import replace

import pytest

import resources
from engine.analysis.comparing.references import shipped_references
from engine.campaign.criteria import criterion_of, parse_criterion
from engine.campaign.fields import field_of, plan_with
from engine.campaign.plan import CampaignPlan
from engine.campaign.searching import Verdict, judge
from engine.campaign.steps import SearchStep
from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.totals import Totals
from engine.workload.registry import DVD_STORE, WHOLESALE

PLAN = RunPlan.from_dict(
    {
        "targets": [f"postgresql://me@db{number}/ds2" for number in (1, 2, 3)],
        "minutes": 1,
        "load": [{"workload": "wholesale", "targets": [f"postgresql://me@db{number}/w" for number in (4, 5)]}],
    }
)


def test_every_load_gets_as_many_stores() -> None:
    scaled = plan_with(PLAN, {"databases": 4, "threads": 9})
    assert [(load.databases, load.threads) for load in scaled.loads] == [(4, 9), (4, 1)]
    assert len(scaled.stores()) == 4 * 3 + 4 * 2


def test_every_load_gets_as_many_targets() -> None:
    assert [len(load.targets) for load in plan_with(PLAN, {"targets": 1}).loads] == [1, 1]
    assert field_of(PLAN, "targets").type.most == 2
    with pytest.raises(BadInput, match="from 1 to 2"):
        plan_with(PLAN, {"targets": 3})


def test_a_condition_of_another_load_is_read_back() -> None:
    typed = parse_criterion("Load 2:  nopm >= 1,000")
    assert (typed.load, typed.text) == (2, "load 2: nopm >= 1000")
    assert parse_criterion(typed.text) == typed


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("load 3: p95 <= 20 ms", "is about load 3, and the plan has 2 loads; name one of these."),
        ("load 0: p95 <= 20 ms", "is about load 0"),
        ("load 2: opm > 1", "figure 'opm' is not known for Wholesale"),
    ],
)
def test_a_wrong_condition_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        criterion_of(parse_criterion(text), DVD_STORE, WHOLESALE)


def test_each_load_has_to_hold_its_own_condition() -> None:
    criteria = [
        criterion_of(parse_criterion(text), DVD_STORE, WHOLESALE) for text in ("opm >= 100", "load 2: nopm > 9")
    ]
    whole = replace(Totals(headline_rate=120.0), further_loads=(Totals(headline_rate=8.0),))
    figures = {each.figure.key: each.figure.of_totals(whole) for each in criteria if each.figure.of_totals}
    assert figures == {"opm": 120.0, "load2.nopm": 8.0}
    assert judge(criteria, figures) == (Verdict.MISSES, ("load 2: nopm is 8",))


def test_the_template_searches_for_pairs_and_has_its_published_results() -> None:
    campaign = CampaignPlan.from_dict(tomllib.loads(resources.read_text("campaigns", "pairs.toml")))
    (step,) = campaign.steps
    assert isinstance(step, SearchStep)
    assert [each.figure.key for each in campaign.criteria_of(step)] == ["opm_per_target", "load2.mean_ms"]
    published = [each for each in shipped_references() if "mail_users" in each.factors]
    assert [(each.headline_rate, each.factors["vms"]) for each in published] == [
        (114028, "8"),
        (319685, "22"),
        (351477, "26"),
        (467660, "36"),
    ]
