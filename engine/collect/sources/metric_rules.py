"""Rules for metrics of any exporter: which metric is read, under which name, as a value or a rate, in which unit.

A rule is a line such as ``Commits = rate(pg_stat_database_xact_commit{datname="ds2"}) 1/s`` or
``Power = outlet_kilowatts * 1000 W``: a name, the metric with the labels that have to match, a factor and a unit. Name,
labels, factor and unit may be left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.collect.rates import Rates
from engine.collect.sources.metrics_page import Labels, Metrics
from engine.errors import BadInput
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

MOST_DEVICES = 64
_METRIC = r"(?P<metric>[A-Za-z_:][A-Za-z0-9_:]*)\s*(?:\{(?P<labels>[^{}]*)\})?"
_RULE = re.compile(
    rf"(?:(?P<name>[^={{}}]+?)\s*=\s*)?(?:(?P<rate>rate)\s*\(\s*)?{_METRIC}(?(rate)\s*\))"
    r"(?:\s*\*\s*(?P<factor>[0-9.eE+-]+))?(?:\s+(?P<unit>\S+))?"
)
_LABEL = re.compile(r'\s*(?P<label>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*"(?P<value>[^"]*)"\s*')
_EXAMPLE = 'Commits = rate(pg_stat_database_xact_commit{datname="ds2"}) 1/s'


@dataclass(frozen=True, kw_only=True)
class MetricRule:
    """``labels`` are those that a sample must have; of the others its device is named."""

    name: str
    metric: str
    labels: tuple[tuple[str, str], ...] = ()
    is_rate: bool = False
    factor: float = 1.0
    unit: str = ""

    def matches(self, labels: Labels) -> bool:
        return all(labels.get(label) == value for label, value in self.labels)

    def is_on(self, metrics: Metrics) -> bool:
        """Whether a page has a sample of it."""
        return any(self.matches(labels) for labels, _ in metrics.get(self.metric, ()))

    def device_of(self, labels: Labels) -> str:
        """The values of the labels that the rule leaves open, in the order of their names."""
        given = dict(self.labels)
        return " ".join(value for label, value in sorted(labels.items()) if label not in given and value)


def rule_of(text: str) -> MetricRule:
    """Read a rule; raises ``BadInput``."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"rules has {text!r}; write a rule as {_EXAMPLE}.")
    metric = found["metric"]
    name = found["name"] or metric
    figure = next((each for each in HostFigure if each.value == name), None)
    unit = found["unit"] or ("" if figure is None else figure.unit)
    if figure is not None and unit != figure.unit:
        raise BadInput(
            f"rules has {text!r}; {name} is in {figure.unit}: convert it with a factor, or name it otherwise."
        )
    return MetricRule(
        name=name,
        metric=metric,
        labels=tuple(_labels_of(found["labels"] or "", text)),
        is_rate=found["rate"] is not None,
        factor=_factor_of(found["factor"], text),
        unit=unit,
    )


def rule_values(rule: MetricRule, metrics: Metrics, rates: Rates, at_seconds: float) -> tuple[HostValue, ...]:
    """What a rule reads of a page at a moment: one value per device, at most 64.

    ``rates`` is kept from page to page. Samples of one device are added up.
    """
    sums: dict[str, float] = {}
    for labels, value in metrics.get(rule.metric, ()):
        if rule.matches(labels):
            device = rule.device_of(labels)
            if device in sums or len(sums) < MOST_DEVICES:
                sums[device] = sums.get(device, 0.0) + value
    values = {
        device: rates.per_second((rule, device), total, at_seconds) if rule.is_rate else total
        for device, total in sums.items()
    }
    return tuple(
        HostValue(device, rule.name, rule.unit, rule.factor * value)
        for device, value in values.items()
        if value is not None
    )


def _labels_of(text: str, rule: str) -> Iterator[tuple[str, str]]:
    place = 0
    while text[place:].strip():
        found = _LABEL.match(text, place)
        if found is None or text[found.end() : found.end() + 1] not in ("", ","):
            raise BadInput(f'rules has {rule!r}; write labels as {{label="value", other="value"}}.')
        yield found["label"], found["value"]
        place = found.end() + 1


def _factor_of(text: str | None, rule: str) -> float:
    try:
        return 1.0 if text is None else float(text)
    except ValueError:
        raise BadInput(f"rules has {rule!r}; give a number after the '*'.") from None
