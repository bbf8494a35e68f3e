"""How results depend on their factors: scaling with a factor, and density at a service level.

Called by the comparison.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from engine.analysis.comparing.density import Density, DensityStep, ServiceLevel, StepLevel, density
from engine.analysis.comparing.scaling import ScalingPoint, ScalingStep, by_factor, factor_number, scaling
from engine.analysis.headline import Headline
from engine.errors import BadInput
from engine.figure_text import (
    UNKNOWN,
    capitalised,
    milliseconds,
    percent,
    shortest,
    signed_percent,
    times,
    whole,
)
from engine.report.document import Block, ChartFigure, Column, DataTable, Line, LineChart, LineStyle, Section, Text
from engine.report.result_tables import number_columns
from engine.report.results import Result

_LEAST_POINTS = 3


def scaling_sections(results: Sequence[Result], wanted: str = "") -> list[Section]:
    """The headline rate by each factor in which all results differ, or only by ``wanted``.

    Typed numeric factors are preferred over text ones, and those over the factors of the plans, since more databases
    also means more users. For two results text factors are left out: the comparison shows them already. Raises
    ``BadInput`` for a wanted factor in which no two results differ.
    """
    if wanted:
        return [_wanted_section(results, wanted)]
    if len(results) < 2:
        return []
    typed = _distinguishing(results, results[0].named_factors)
    numbers = [name for name in typed if _is_number(results, name)]
    planned = _distinguishing(results, results[0].plan_factors)
    return [_scaling_section(results, name) for name in numbers or typed[:1] or planned[:1]]


def density_sections(results: Sequence[Result], level: ServiceLevel | None) -> list[Section]:
    """How many targets meet the service level, each result being a step; empty without a level.

    Published results are steps by their factor ``databases``, and only if no result was measured by Spindle, since they
    are of another host. Raises ``BadInput`` when two results have the same number of targets.
    """
    if level is None:
        return []
    measured = [result for result in results if result.run is not None]
    steps = [
        DensityStep(
            name=result.name,
            targets=targets,
            headline_rate=result.headline_rate,
            mean_ms=result.times_ms.get("mean"),
            p95_ms=result.times_ms.get("p95"),
        )
        for result in measured or results
        if (targets := _targets(result)) is not None
    ]
    judged = density(level, steps, results[0].headline.label)
    sentence = Text(text=f"{_level_sentence(results[0].headline, level)} {judged.sentence}")
    return [
        Section(
            title="Density", blocks=(sentence, _density_table(results[0].headline, judged)) if steps else (sentence,)
        )
    ]


def _targets(result: Result) -> int | None:
    """The number of a result's stores: its plan's, or as published; ``None`` when unknown."""
    if result.run is not None:
        return len(result.run.record.plan.stores())
    databases = result.named_factors.get("databases", "")
    return int(databases) if databases.isdecimal() and int(databases) else None


def _distinguishing(results: Sequence[Result], names: Iterable[str]) -> list[str]:
    apart = [name for name in names if _distinguishes(results, name)]
    return [name for name in apart if len(results) >= _LEAST_POINTS or _is_number(results, name)]


def _distinguishes(results: Sequence[Result], name: str) -> bool:
    values = [result.factors.get(name) for result in results]
    return None not in values and len(set(values)) == len(values)


def _is_number(results: Sequence[Result], name: str) -> bool:
    return all(factor_number(result.factors[name]) is not None for result in results)


def _wanted_section(results: Sequence[Result], wanted: str) -> Section:
    names = {name.casefold(): name for result in results for name in result.factors}
    name = names.get(wanted.strip().casefold())
    if name is None:
        known = ", ".join(sorted(names.values())) or "none"
        raise BadInput(f"factor is '{wanted}', which no result has; they have {known}.")
    having = [result for result in results if name in result.factors]
    if len(having) < 2 or not _distinguishes(having, name):
        raise BadInput(f"factor '{name}' is the same for several results; give each its own in its configuration.")
    without = [result.name for result in results if name not in result.factors]
    return _scaling_section(having, name, note=f"Not known of {', '.join(without)}." if without else "")


def _scaling_section(results: Sequence[Result], name: str, *, note: str = "") -> Section:
    points = [ScalingPoint(factor=result.factors[name], headline_rate=result.headline_rate) for result in results]
    title = factor_title(name)
    blocks = scaling_blocks(results[0].headline, title, points, note=note)
    return Section(title=f"Scaling with {title}", blocks=tuple(blocks))


def scaling_blocks(headline: Headline, title: str, points: Sequence[ScalingPoint], *, note: str = "") -> list[Block]:
    """The table of the headline by a factor against its first value, and the chart of three numbers or more."""
    steps = scaling(by_factor(points))
    return [_scaling_table(headline, title, steps, note), *_scaling_chart(headline, title, steps)]


def factor_title(name: str) -> str:
    """A factor's name in words: ``think time ms`` for ``think_time_ms``."""
    return name.replace("_", " ")


def _scaling_table(headline: Headline, title: str, steps: Sequence[ScalingStep], note: str) -> DataTable:
    return DataTable(
        caption=f"{headline.label} by {title}, against the first row",
        columns=(
            Column(title=capitalised(title)),
            *number_columns(headline.label, "Increase", "Times", f"{headline.label} per unit", "Of linear"),
        ),
        rows=tuple(
            (
                step.factor,
                headline.text(step.headline_rate),
                *((UNKNOWN, UNKNOWN) if row == 0 else _increase_texts(step)),
                headline.text(step.headline_rate_per_unit),
                percent(step.efficiency_pct),
            )
            for row, step in enumerate(steps)
        ),
        note=note,
    )


def _increase_texts(step: ScalingStep) -> tuple[str, str]:
    return signed_percent(step.increase.percent), times(step.increase.times)


def _scaling_chart(headline: Headline, title: str, steps: Sequence[ScalingStep]) -> list[Block]:
    """The headline rate over a numeric factor, with the linear scaling of the first result."""
    if len(steps) < _LEAST_POINTS or any(factor_number(step.factor) is None for step in steps):
        return []
    x = np.array([factor_number(step.factor) for step in steps], dtype=np.float64)
    y = np.array([np.nan if step.headline_rate is None else step.headline_rate for step in steps], dtype=np.float64)
    lines = [Line(label=headline.label, x=x, y=y, style=LineStyle.TOTAL)]
    if steps[0].headline_rate_per_unit is not None:
        lines.append(Line(label="Linear", x=x, y=x * steps[0].headline_rate_per_unit, style=LineStyle.BACKGROUND))
    chart = LineChart(
        x_label=capitalised(title),
        y_label=headline.label,
        lines=tuple(lines),
        alt=f"{headline.rate_heading} by {title}; the table of scaling holds the figures.",
    )
    return [ChartFigure(caption=f"{headline.label} by {title}", chart=chart)]


def _level_sentence(headline: Headline, level: ServiceLevel) -> str:
    asked = []
    if level.headline_rate_per_target is not None:
        asked.append(f"at least {shortest(level.headline_rate_per_target)} {headline.label} per target")
    if level.response_ms is not None:
        asked.append(f"a {level.response.label} of at most {shortest(level.response_ms)} ms")
    return f"The service level: {' and '.join(asked)}."


def _density_table(headline: Headline, judged: Density) -> DataTable:
    return DataTable(
        caption="The service level by number of targets",
        columns=(
            Column(title="Targets", is_number=True),
            Column(title="Result"),
            *number_columns(headline.label, f"{headline.label} per target", "Response time, ms"),
            Column(title="Holds"),
        ),
        rows=tuple(_density_row(headline, step) for step in judged.steps),
    )


def _density_row(headline: Headline, reached: StepLevel) -> tuple[str, ...]:
    holds = "yes" if reached.holds else reached.missed
    return (
        whole(reached.step.targets),
        reached.step.name,
        headline.text(reached.step.headline_rate),
        headline.text(reached.headline_rate_per_target),
        milliseconds(reached.response_ms),
        holds,
    )
