"""Throughput and response times of results by stages as curves over their load: of one run, or of several compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from engine.analysis.headline import Headline
from engine.analysis.stages.ending import load_text_of
from engine.analysis.stages.knee import knee_of_stages
from engine.figure_text import milliseconds
from engine.record.totals import StageTotals
from widgets.library.load_chart import LoadChart, LoadCurve
from widgets.parts.chart.layers import ColourOf


@dataclass(frozen=True, kw_only=True)
class StagedResult:
    """The stages of a result; among several it has a ``name``, and a colour of its own for its curve and its knee."""

    stages: Sequence[StageTotals]
    name: str = ""
    colour: ColourOf | None = None

    def curve(
        self,
        of: Headline,
        points: tuple[tuple[float, float], ...],
        value_text: Callable[[float], str],
        *,
        has_knee: bool = False,
    ) -> LoadCurve:
        """The curve through these pairs of a load and a value."""
        prefix = f"{self.name}, " if self.name else ""
        knee = knee_of_stages(self.stages) if has_knee else None
        found = "" if knee is None else f"{self._load_text(knee.load, of)}, {value_text(knee.throughput)}"
        return LoadCurve(
            points=points,
            text=lambda load, value: f"{prefix}{self._load_text(load, of)}: {value_text(value)}",
            knee=None if knee is None else knee.load,
            knee_text=f"{prefix}knee: {found}" if found else "",
            colour=self.colour or attrgetter("accent"),
            knee_colour=self.colour or attrgetter("mark"),
        )

    def _load_text(self, load: float, of: Headline) -> str:
        return load_text_of(load, self.stages[0], of)


def show_throughput(chart: LoadChart, results: Sequence[StagedResult], of: Headline) -> None:
    """Draw the headline of each result over its load, with the knees; the last result is in front."""
    curves = [
        each.curve(of, tuple((stage.load, stage.headline) for stage in each.stages), of.labelled, has_knee=True)
        for each in results
    ]
    chart.show_curves(curves, amount=of.label, across=_across(results, of))


def show_times(chart: LoadChart, results: Sequence[StagedResult], of: Headline) -> None:
    """Draw the 95th percentile of each result's response times over its load."""
    curves = [
        each.curve(
            of,
            tuple((stage.load, stage.times.p95) for stage in each.stages if stage.times.p95 is not None),
            lambda value: f"p95 {milliseconds(value)} ms",
        )
        for each in results
    ]
    chart.show_curves(curves, amount="p95, ms", across=_across(results, of))


def load_title(stages: Sequence[StageTotals], of: Headline) -> str:
    """The title of the loads; empty without stages."""
    if not stages:
        return ""
    return "users" if stages[0].users is not None else f"{of.many} due, per {of.period}"


def _across(results: Sequence[StagedResult], of: Headline) -> str:
    return load_title(results[0].stages, of) if results else ""
