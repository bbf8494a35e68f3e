"""The single pieces of work that a campaign's steps come to, each with the path under which the journal knows it.

A path is ``step/point/round/inner step/repetition``, such as ``2/databases=8/1/3/1``; ``-`` stands for no point. Paths
depend on the plan alone, so that a campaign that is resumed finds what it has done.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.campaign.fields import point_text
from engine.campaign.plan import CampaignPlan, plan_of
from engine.campaign.steps import CycleStep, LeafStep, RunStep, SearchStep, Step, SweepStep, leaves_of
from engine.plan.plan import RunPlan

_ATTEMPT = re.compile(r", attempt \d+$")


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One piece of work: a step that is done once.

    ``plan`` is the one that it works on, ``title`` what is done, and where in the campaign; ``place`` is the path of
    its point. Of a run, ``run_name`` is its name in the library. All runs of a place are one set, of the name
    ``set_name``; that is empty for a place with one run.
    """

    path: str
    step: LeafStep
    plan: RunPlan
    title: str
    point: Mapping[str, Any]
    place: str
    run_name: str = ""
    set_name: str = ""

    @property
    def is_run(self) -> bool:
        return isinstance(self.step, RunStep)


@dataclass(frozen=True, kw_only=True)
class Round:
    """Units that belong together: when one fails whose step says ``skip``, the rest of the round is left out."""

    units: tuple[Unit, ...]


def rounds_of(campaign: CampaignPlan, number: int) -> Iterator[Round]:
    """The rounds of the step with a number from 1, unless it is a search, whose points are not known before."""
    match step := campaign.steps[number - 1]:
        case SweepStep():
            for point in step.points:
                yield from rounds_at(campaign, number, point)
        case SearchStep():
            raise ValueError("the points of a search follow from its runs")
        case _:
            yield from rounds_at(campaign, number, {})


def rounds_at(campaign: CampaignPlan, number: int, point: Mapping[str, Any], attempt: int = 1) -> Iterator[Round]:
    """The rounds of a step at a point of it; ``attempt`` counts how often a search measures the point."""
    step = campaign.steps[number - 1]
    steps = leaves_of(step)
    rounds = step.repeat if isinstance(step, CycleStep | SweepStep | SearchStep) else 1
    place = _PointPlace(campaign, number, point, attempt, _runs_of(steps) * rounds)
    run_number = 0
    for round_number in range(1, rounds + 1):
        units = []
        for inner, leaf in enumerate(steps, start=1):
            for repetition in range(1, (leaf.repeat if isinstance(leaf, RunStep) else 1) + 1):
                run_number += isinstance(leaf, RunStep)
                where = f"round {round_number} of {rounds}" if rounds > 1 else ""
                path = f"{place.path}/{round_number}/{inner}/{repetition}"
                units.append(place.unit(path, leaf, where, run_number))
        yield Round(units=tuple(units))


def attempt_text(place: str) -> str:
    """``, attempt 2`` of the place of a point that a search measured again; empty for its first attempt."""
    found = _ATTEMPT.search(place)
    return found[0] if found else ""


def step_name(campaign: CampaignPlan, number: int) -> str:
    """What the step of this number, whose runs are to be told from those of other steps, is called: by the name of its
    plan, where no other run of the campaign has that name, and else ``step 2``. Empty if no other step has runs."""
    by_step = [_plan_names(campaign, step) for step in campaign.steps]
    if sum(map(bool, by_step)) < 2:
        return ""
    own, others = by_step[number - 1], [*by_step[: number - 1], *by_step[number:]]
    is_own = len(own) == 1 and own[0] and not any(own[0] in names for names in others)
    return own[0] if is_own else f"step {number}"


def planned_units(campaign: CampaignPlan) -> int:
    """How many units the campaign has, without those of searches."""
    numbers = [number for number, step in enumerate(campaign.steps, start=1) if not isinstance(step, SearchStep)]
    return sum(len(each.units) for number in numbers for each in rounds_of(campaign, number))


class _PointPlace:
    """Where in a campaign a point is: makes its units."""

    def __init__(self, campaign: CampaignPlan, number: int, point: Mapping[str, Any], attempt: int, runs: int) -> None:
        again = "" if attempt == 1 else f", attempt {attempt}"
        values = ";".join(f"{name}={value}" for name, value in point.items()) or "-"
        self.path = f"{number}/{values}{again}"
        self._campaign = campaign
        self._point = point
        self._text = point_text(campaign.plan, point) + again if point else ""
        self._runs = runs
        self._step = step_name(campaign, number)

    def unit(self, path: str, leaf: LeafStep, where: str, run_number: int) -> Unit:
        campaign = self._campaign
        place = ", ".join(filter(None, (self._text, where)))
        title = f"{leaf.sentence} {run_number} of {self._runs}" if self._is_in_set(leaf) else leaf.sentence
        unit = Unit(
            path=path,
            step=leaf,
            plan=plan_of(campaign.plan, leaf, self._point),
            title=f"{place}: {title}" if place else title,
            point=self._point,
            place=self.path,
        )
        if not isinstance(leaf, RunStep):
            return unit
        name = ", ".join(filter(None, (campaign.name, self._step, self._text)))
        if not self._is_in_set(leaf):
            return replace(unit, run_name=name)
        return replace(unit, run_name=f"{name}, run {run_number}", set_name=name)

    def _is_in_set(self, leaf: LeafStep) -> bool:
        return isinstance(leaf, RunStep) and self._runs > 1


def _plan_names(campaign: CampaignPlan, step: Step) -> list[str]:
    """The name of the plan of each run of a step; a run that is repeated counts once."""
    return [(leaf.plan or campaign.plan).name for leaf in leaves_of(step) if isinstance(leaf, RunStep)]


def _runs_of(steps: tuple[LeafStep, ...]) -> int:
    return sum(step.repeat for step in steps if isinstance(step, RunStep))
