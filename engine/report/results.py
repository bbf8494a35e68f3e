"""The contents of documents of several results: runs, sets and published references as one plain type.

``making`` reads them from the library; the tables, the comparison and the document of a set use them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import BillOfMaterials
from engine.analysis.comparing.references import Reference
from engine.analysis.comparing.run_set import RunSet, set_runs
from engine.analysis.comparing.run_sets import SetFigures, set_figures
from engine.analysis.headline import Headline, headline_of
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.power import PowerFigures, power_figures
from engine.analysis.latency.step_times import has_two_times
from engine.analysis.recovery.published import Published
from engine.analysis.run_data import RunData
from engine.errors import BadInput
from engine.plan.pace import uses_think_time
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS, Totals
from engine.report.run_power import WattsOver, run_watts
from engine.subject import Subject
from engine.telemetry.workstation import MachineLoad, WorkstationLoad
from engine.workload.registry import DVD_STORE, find_workload

_MOST_IN_A_FOOTER = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportedRun:
    """A run with everything that a document shows of it."""

    record: RunRecord
    data: RunData
    configuration: Configuration | None = None
    host: tuple[HostMeasurement, ...] = ()
    workstation: tuple[WorkstationLoad, ...] = ()
    load_machines: tuple[MachineLoad, ...] = ()

    @property
    def title(self) -> str:
        """Its name, or its id when it has none."""
        return self.record.name or self.record.run_id


@dataclass(frozen=True, kw_only=True, eq=False)
class ReportedSet:
    """A run set with its runs in order."""

    run_set: RunSet
    runs: tuple[ReportedRun, ...]

    @property
    def headline(self) -> Headline:
        """What the first figure of its runs counts."""
        return self.runs[0].data.headline if self.runs else headline_of(DVD_STORE)

    @property
    def figures(self) -> SetFigures:
        return set_figures(set_runs([run.record for run in self.runs]))

    def run(self, run_id: str) -> ReportedRun:
        """Its run with that id."""
        return next(run for run in self.runs if run.record.run_id == run_id)


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """One side of a comparison; ``None`` is unknown.

    ``headline`` is what its first figure counts. ``totals`` are those of the run that represents it, or as far as they
    were published. ``factors`` are texts by name: ``named_factors`` the typed ones, ``plan_factors`` those of its plan.
    ``source`` is its publication, empty when Spindle measured it. ``failover`` is its running headline rate through a
    failover, ``None`` without one.
    """

    name: str
    headline: Headline
    totals: Totals = NO_TOTALS
    bill: BillOfMaterials | None = None
    power: PowerFigures = field(default_factory=lambda: power_figures((), None))
    power_remarks: tuple[str, ...] = ()
    named_factors: Mapping[str, str] = field(default_factory=dict)
    plan_factors: Mapping[str, str] = field(default_factory=dict)
    configuration: str = ""
    run: ReportedRun | None = None
    run_set: ReportedSet | None = None
    source: str = ""
    failover: Published | None = None

    @property
    def headline_rate(self) -> float | None:
        """The headline metric of all clients."""
        return self.totals.headline_rate

    @property
    def clients(self) -> tuple[tuple[str, float | None], ...]:
        """Each client's label and headline metric."""
        return tuple((client.label, client.headline_rate) for client in self.totals.clients)

    @property
    def times_ms(self) -> Mapping[str, float | None]:
        """The response times of the headline's transactions by their names in the totals, milliseconds."""
        return asdict(self.totals.times)

    @property
    def intended_ms(self) -> Mapping[str, float | None]:
        """The response times as intended; empty without a schedule."""
        return {} if self.totals.intended is None else asdict(self.totals.intended)

    @property
    def is_open_loop(self) -> bool:
        """Whether its transactions were due at a rate: then its response times are those as intended."""
        return self.run is not None and self.run.record.plan.is_open_loop

    @property
    def has_two_times(self) -> bool:
        """Whether its times as intended are others than those of what was served."""
        return has_two_times(self.totals, is_open_loop=self.is_open_loop)

    @property
    def factors(self) -> Mapping[str, str]:
        """All factors; typed ones override those of the plan."""
        return {**self.plan_factors, **self.named_factors}


def result_of_run(run: ReportedRun, over: WattsOver = WattsOver.MEASURED) -> Result:
    """A run as a side of a comparison."""
    configuration = run.configuration
    watts = run_watts(run.record, run.data, run.host, () if configuration is None else configuration.watts, over)
    totals = run.record.totals or NO_TOTALS
    return Result(
        name=run.title,
        headline=run.data.headline,
        totals=totals,
        bill=configuration.bill() if configuration is not None and configuration.items else None,
        power=power_figures(watts.devices, totals.headline_rate),
        power_remarks=watts.remarks,
        named_factors={} if configuration is None else configuration.factors,
        plan_factors=plan_factors(run.record.plan, len(run.record.client_labels)),
        configuration="" if configuration is None else configuration.name,
        run=run,
    )


def result_of_set(reported: ReportedSet, over: WattsOver = WattsOver.MEASURED) -> Result:
    """A set as a side of a comparison: its median run's figures under its own name.

    Raises ``BadInput`` when it has no median run.
    """
    median = reported.figures.median
    if median.run is None:
        raise BadInput(
            f"set '{reported.run_set.name}' has no run that counts; compare others, or report the set itself."
        )
    return replace(result_of_run(reported.run(median.run.run_id), over), name=reported.run_set.name, run_set=reported)


def result_of_reference(reference: Reference) -> Result:
    """A published result as a side of a comparison, as far as it was printed. The rate of a failover test is that
    before the failover."""
    totals = reference.totals
    return Result(
        name=reference.name,
        headline=headline_of(reference.workload),
        totals=replace(totals, headline_rate=reference.headline_rate_before)
        if totals.headline_rate is None
        else totals,
        bill=reference.bill(),
        named_factors=reference.factors,
        source=reference.source,
        failover=_published_failover(reference),
    )


def _published_failover(reference: Reference) -> Published | None:
    before, lowest = reference.headline_rate_before, reference.headline_rate_lowest
    if before is None:
        return None
    return Published(
        headline_rate_before=before,
        headline_rate_lowest=lowest,
        drop_pct=100 * (before - lowest) / before if before and lowest is not None else None,
        stabilised_seconds=reference.stabilised_seconds,
        back_seconds=reference.back_seconds,
    )


def plan_factors(plan: RunPlan, clients: int) -> dict[str, str]:
    """The factors of a plan, as texts by name."""
    workload = find_workload(plan.workload)
    factors = {
        "databases" if workload.subject is Subject.DATABASE else workload.wording.stores[1]: str(len(plan.stores())),
        "clients": str(clients),
        workload.wording.who[1]: str(clients * plan.threads),
        "think_time_ms": f"{plan.think_time_ms:g}" if uses_think_time(plan) else "",
        **{each.key: each.write(plan.parameters[each.key]) for each in workload.load if each.key in workload.factors},
        **_scale_factors(plan),
    }
    return {name: value for name, value in factors.items() if value}


def _scale_factors(plan: RunPlan) -> dict[str, str]:
    """What was recorded with the stores; of a scale of several parameters each one's value."""
    scale = find_workload(plan.workload).scale
    if plan.scale is None or len(scale.keys) > 1:
        return scale.typed(plan.scale)
    return {scale.keys[0]: str(plan.scale)}


def with_unique_names(results: Sequence[Result]) -> tuple[Result, ...]:
    """The results with unique names: runs with the same name get their ids appended."""
    names = Counter(result.name for result in results)
    apart = [_with_id(result) if names[result.name] > 1 else result for result in results]
    return tuple(apart)


def footer_of(run_ids: Sequence[str]) -> str:
    """The ids of a document's runs for the foot of each page, as many as fit."""
    shown = ", ".join(run_ids[:_MOST_IN_A_FOOTER])
    return f"{shown} …" if len(run_ids) > _MOST_IN_A_FOOTER else shown


def _with_id(result: Result) -> Result:
    if result.run is None or result.name == result.run.record.run_id:
        return result
    return replace(result, name=f"{result.name} ({result.run.record.run_id})")
