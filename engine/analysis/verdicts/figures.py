"""The figures of a result that conditions can name, such as ``opm``, ``p95``, ``errors``, ``payment.p95``: those of
checks, of histories, and of what has to hold at a point of a search."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import Headline, headline_of
from engine.errors import BadInput
from engine.figure_text import milliseconds, shortest, signed, whole
from engine.parameters.values import did_you_mean
from engine.record.totals import NO_TIMES, ResponseTimes, Totals
from engine.workload.registry import find_workload

LOST, RECOVERY, BLACKOUT = "lost", "recovery", "blackout"
_TIMES = ("mean", "p50", "p95", "p99", "max")
_SUFFIXES = {"": "", "ms": "_ms", "s": "_seconds", "%": "_pct"}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A result whose figures are checked: a run, a set, or a published result; ``title`` says which.

    ``workload`` is the id of its workload, ``totals`` are those of the run, or of the median run of a set, and ``runs``
    those of all runs of a set that count. ``others`` has the figures that totals do not contain, by their names:
    ``LOST`` (acknowledged transactions that the audit did not find), ``RECOVERY`` and ``BLACKOUT`` (the longest of the
    run's faults, in seconds); unknown ones are left out or ``None``.
    """

    title: str
    workload: str
    totals: Totals
    runs: tuple[Totals, ...] = ()
    others: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CheckedFigure:
    """A figure by the ``name`` that conditions use; ``label`` is what it is called in sentences, ``unit`` is ``ms``,
    ``s``, ``%`` or empty. ``is_many``: the label is a plural. ``of_totals`` reads it from totals; ``None`` for those in
    ``Measured.others``. A value of the headline metric is written as of ``headline``."""

    name: str
    label: str
    unit: str = ""
    is_many: bool = False
    of_totals: Callable[[Totals], float | None] | None = None
    headline: Headline | None = None

    @property
    def key(self) -> str:
        """Its name in files, with the unit: ``p95_ms``. Conditions can use it too."""
        suffix = _SUFFIXES[self.unit]
        return self.name if self.name.endswith(suffix) else f"{self.name}{suffix}"

    @property
    def with_verb(self) -> str:
        """How a sentence on its value begins: ``p95 is``, ``the number of errors is``, ``rollbacks are``."""
        if not self.is_many:
            return f"{self.label} is"
        return f"{self.label} are" if self.unit else f"the number of {self.label} is"

    @property
    def is_of_a_type(self) -> bool:
        """Whether it is of one type of transactions, or of a step, rather than of the run as a whole."""
        return "." in self.name

    def of(self, measured: Measured) -> float | None:
        """The figure of a result; ``None`` is unknown."""
        return measured.others.get(self.name) if self.of_totals is None else self.of_totals(measured.totals)

    def text(self, value: float | None) -> str:
        """A value of the figure without its unit."""
        if self.unit == "ms":
            return milliseconds(value)
        if self.headline is not None:
            return self.headline.text(value)
        return shortest(value) if self.unit else whole(value)

    def signed(self, difference: float | None, value: float) -> str:
        """The difference of a value from another, without the unit."""
        if self.headline is not None:
            return self.headline.signed(difference, value)
        return signed(difference, 1 if self.unit else 0)


def checked_figures(workload_id: str) -> dict[str, CheckedFigure]:
    """All figures of a workload's results, by name: those of the transaction that its headline counts, those of the run
    as a whole, and, as ``TRANSACTION.p95`` and so on, those of each type of transaction and step.

    Raises ``BadInput`` for an unknown workload.
    """
    workload, headline = find_workload(workload_id), headline_of(workload_id)
    figures = [
        CheckedFigure(
            name=headline.metric.id,
            label=headline.label,
            of_totals=lambda totals: totals.headline_rate,
            headline=headline,
        ),
        CheckedFigure(
            name=f"{headline.metric.id}_per_target",
            label=f"{headline.label} per target",
            of_totals=_per_target,
            headline=headline,
        ),
        _many(headline.transaction.plural, headline.many, lambda totals: totals.count),
        *(_time(name, name, partial(_served, name=name)) for name in _TIMES),
        *(
            _time(f"intended_{name}", f"{name} as intended", partial(_intended, name=name))
            for name in ("p50", "p95", "p99")
        ),
        _many("errors", "errors", lambda totals: totals.error_count),
        _many("error_pct", f"errors per 100 {headline.many}", _error_pct, unit="%"),
        *(_many(name, name, partial(_count, name=name)) for name in ("retries", "reconnects")),
        _many("in_doubt", f"{headline.in_doubt} in doubt", partial(_count, name="in_doubt")),
        _many("rollback_pct", "rollbacks", lambda totals: totals.rollback_pct, unit="%"),
        CheckedFigure(name="variability_pct", label="variability", unit="%", of_totals=totals_variability_pct),
        CheckedFigure(
            name="measured_seconds", label="measured time", unit="s", of_totals=lambda totals: totals.measured_seconds
        ),
        _many(LOST, f"lost {headline.many}"),
        CheckedFigure(name=RECOVERY, label="recovery time", unit="s"),
        CheckedFigure(name=BLACKOUT, label="blackout", unit="s"),
    ]
    if workload.service_level is not None:
        figures += [
            _many("due", f"{headline.many} due", lambda totals: totals.due),
            _many("done_pct", f"{headline.many} done of those due", _done_pct, unit="%"),
        ]
    for each in workload.transactions:
        figures.append(_many(f"{each.id}.count", each.labels, partial(_number, of=each.id)))
        figures += [
            _time(f"{each.id}.{name}", f"{name} of {each.label}", partial(_served, name=name, of=each.id))
            for name in (*_TIMES[:3], "p90", *_TIMES[3:])
        ]
    return {each.name: each for each in figures}


def find_figure(name: str, workload_id: str) -> CheckedFigure:
    """The figure with that name or key, in any case. Raises ``BadInput`` that names the nearest one."""
    figures, wanted = checked_figures(workload_id), name.casefold()
    found = figures.get(wanted) or next((each for each in figures.values() if each.key == wanted), None)
    if found is None:
        listed = [each.name for each in figures.values() if not each.is_of_a_type]
        hint = did_you_mean(wanted, figures, "choose one of", listed=listed)
        raise BadInput(f"figure '{name}' is not known for {headline_of(workload_id).workload}; {hint}.")
    return found


def _many(
    name: str, label: str, read: Callable[[Totals], float | None] | None = None, *, unit: str = ""
) -> CheckedFigure:
    return CheckedFigure(name=name, label=label, unit=unit, is_many=True, of_totals=read)


def _time(name: str, label: str, read: Callable[[Totals], float | None]) -> CheckedFigure:
    return CheckedFigure(name=name, label=label, unit="ms", of_totals=read)


def _served(totals: Totals, *, name: str, of: str = "") -> float | None:
    times: ResponseTimes = totals.of(of).times if of else totals.times
    value: float | None = getattr(times, name)
    return value


def _per_target(totals: Totals) -> float | None:
    """The headline rate for each store; ``None`` where the clients' stores are not known, as of published results."""
    stores = {each.target for each in totals.clients}
    return None if totals.headline_rate is None or not stores or None in stores else totals.headline_rate / len(stores)


def _error_pct(totals: Totals) -> float | None:
    return None if totals.error_count is None or not totals.count else 100 * totals.error_count / totals.count


def _done_pct(totals: Totals) -> float | None:
    return None if not totals.due or totals.count is None else 100 * totals.count / totals.due


def _intended(totals: Totals, *, name: str) -> float | None:
    value: float | None = getattr(totals.intended or NO_TIMES, name)
    return value


def _count(totals: Totals, *, name: str) -> float | None:
    return totals.counts.get(name)


def _number(totals: Totals, *, of: str) -> float | None:
    return totals.of(of).count
