"""A search of a campaign: measures and judges one point after the other until the limit is found."""

from collections.abc import Callable, MutableMapping
from typing import Any, Protocol

from engine.campaign.events import CampaignCode
from engine.campaign.fields import label_of
from engine.campaign.journal import EntryState, JournalEntry
from engine.campaign.plan import CampaignPlan, point_value
from engine.campaign.searching import Grid, Point, Verdict, answer, judge, next_value
from engine.campaign.steps import SearchStep, StepKind
from engine.campaign.units import Round, rounds_at
from engine.conduct.campaign.durable import DurableJournal
from engine.conduct.campaign.tools import CampaignTools


class _Emit(Protocol):
    def __call__(self, code: CampaignCode, **data: Any) -> None: ...


class PointSearch:
    """The search that step ``number`` of a plan is.

    ``last`` has the newest entry of the journal by path, and is kept up to date. ``do_round`` does what is left to be
    done of a round. What the journal has of an earlier time is not measured again.
    """

    def __init__(
        self,
        plan: CampaignPlan,
        number: int,
        step: SearchStep,
        *,
        journal: DurableJournal,
        last: MutableMapping[str, JournalEntry],
        tools: CampaignTools,
        do_round: Callable[[Round], None],
        emit: _Emit,
    ) -> None:
        self._plan = plan
        self._number = number
        self._step = step
        self._label = label_of(plan.plan, step.field)
        self._journal = journal
        self._last = last
        self._tools = tools
        self._do_round = do_round
        self._emit = emit

    def carry_out(self) -> None:
        """Measure what is left to be measured, and write the answer to the journal.

        Raises ``UserError`` when the figures of a point can't be read, and what ``do_round`` raises.
        """
        step, path = self._step, f"{self._number}"
        if self._is_done(path):
            return
        grid = Grid(least=step.least, most=step.most, resolution=step.resolution)
        points: list[Point] = []
        while (value := next_value(grid, points)) is not None:
            points.append(self._point(point_value(self._plan.plan, step, value)))
        found = answer(grid, points, self._label, step.criteria)
        data = {
            "field": step.field,
            "points": [point.to_dict() for point in points],
            "highest": found.highest,
            "bound": found.bound,
            "is_certain": found.is_certain,
        }
        self._note(path, step.sentence, data, found.sentence)
        self._emit(CampaignCode.SEARCH_ENDED, sentence=found.sentence)

    def _is_done(self, path: str) -> bool:
        entry = self._last.get(path)
        return entry is not None and entry.state is EntryState.DONE

    def _point(self, value: Any) -> Point:
        """Measure a point, again while it can't be judged and tries are left."""
        for attempt in range(1, self._step.tries + 1):
            path = f"{self._number}/{self._step.field}={value}/{attempt}/verdict"
            if not self._is_done(path):
                self._judge(value, attempt, path)
            point = Point.from_dict(self._last[path].data["point"])
            if point.verdict is not Verdict.REFUSED:
                break
        return point

    def _judge(self, value: Any, attempt: int, path: str) -> None:
        step, criteria = self._step, self._plan.criteria_of(self._step)
        rounds = list(rounds_at(self._plan, self._number, {step.field: value}, attempt))
        for work in rounds:
            self._do_round(work)
        units = [unit for work in rounds for unit in work.units if unit.is_run]
        run_ids = [entry.run_id for unit in units if (entry := self._last[unit.path]).state is EntryState.DONE]
        measured = self._tools.measured(units[0].plan, run_ids, criteria)
        verdict, reasons = judge(criteria, measured.figures, measured.refusals, measured.doubts)
        point = Point(
            value=value,
            verdict=verdict,
            figures=measured.figures,
            reasons=reasons,
            remarks=measured.remarks,
            run_id=measured.run_id,
        )
        title = f"{self._label} {value:g}: {verdict}"
        self._note(path, title, {"point": point.to_dict()}, ", ".join(reasons))
        self._emit(CampaignCode.POINT_JUDGED, title=title, field=step.field, point=point.to_dict())

    def _note(self, path: str, title: str, data: dict[str, Any], reason: str) -> None:
        self._last[path] = self._journal.note(path, StepKind.SEARCH, title, data, state=EntryState.DONE, reason=reason)
