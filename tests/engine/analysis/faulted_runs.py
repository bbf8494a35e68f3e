"""Hypothesis strategies for runs with faults: dips, missing seconds, lost users, errors and probes, at random."""

from dataclasses import dataclass

from hypothesis import strategies as st

from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.run_data import RunData
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.faulted import fault

SETTINGS = RecoverySettings(
    baseline_seconds=15,
    most_spread_pct=20,
    most_drift_pct=30,
    hold_seconds=3,
    onset_seconds=12,
    lowest_window_seconds=4,
    after_seconds=8,
    horizon_seconds=40,
)
USERS = 8


@dataclass(frozen=True, kw_only=True)
class Told:
    """A run as it was told: its samples by second, its probe by second, its faults, and when measuring began."""

    clients: int
    samples: list[list[Sample]]
    probes: list[ProbeSample | None]
    faults: list[RunEvent]
    measuring_from: int

    @property
    def seconds(self) -> int:
        return len(self.samples)

    def begun(self) -> RunData:
        return RunData(RunPlan(clients=self.clients, threads=USERS))

    def tell(self, run: RunData, second: int) -> None:
        """Tell a run of one second, as it would be told while it goes on."""
        for event in self.faults:
            if int(event.at_seconds) == second:
                run.put_event(event)
        for sample in self.samples[second]:
            run.add(sample)
        probe = self.probes[second]
        if probe is not None:
            run.add_probe(probe)
        measuring_from = self.measuring_from if second >= self.measuring_from else None
        run.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=measuring_from))

    def whole(self) -> RunData:
        """The run when it is over."""
        run = self.begun()
        for second in range(self.seconds):
            self.tell(run, second)
        phases = Phases(warming_up_from=0, measuring_from=self.measuring_from, measuring_to=self.seconds)
        run.set_state(RunState.COMPLETED, phases)
        return run


@st.composite
def told_runs(draw: st.DrawFn, *, most_faults: int = 2, can_miss: bool = True) -> Told:
    """Runs of one to three clients, some of them long enough for everything that the settings ask for."""
    clients, seconds = draw(st.integers(1, 3)), draw(st.integers(30, 75))
    faults = sorted(draw(st.lists(st.floats(5, seconds - 1), min_size=1, max_size=most_faults)))
    rows = [_samples(draw, client, seconds, faults, can_miss=can_miss) for client in range(1, clients + 1)]
    return Told(
        clients=clients,
        samples=[[sample for sample in at if sample is not None] for at in zip(*rows, strict=True)],
        probes=_probes(draw, seconds, faults),
        faults=[fault(round(at, 3), number, f"Fault {number}") for number, at in enumerate(faults, 1)],
        measuring_from=draw(st.sampled_from([0, 0, 0, 3, 25])),
    )


def _samples(draw: st.DrawFn, client: int, seconds: int, faults: list[float], *, can_miss: bool) -> list[Sample | None]:
    """A client's seconds: steady but for a little noise, and after each fault a stretch at another level."""
    rate = draw(st.integers(20, 200))
    noise = draw(st.sampled_from([0, 0, 1, 10]))
    levels = [1.0] * seconds
    for at in faults:
        first = int(at) + draw(st.integers(0, 2))
        lengths = draw(st.lists(st.integers(1, 8), max_size=3))
        for length in lengths:
            share = draw(st.sampled_from([0.0, 0.0, 0.3, 0.6, 0.9, 1.0, 1.2]))
            levels[first : first + length] = [share] * len(levels[first : first + length])
            first += length
    wobble = draw(st.lists(st.integers(-noise, noise), min_size=7, max_size=7))
    missing = draw(st.sets(st.integers(0, seconds - 1), max_size=4)) if can_miss else set()
    died = draw(st.sampled_from([seconds, seconds, seconds, seconds // 2])) if can_miss else seconds
    return [
        None if second in missing or second >= died else _sample(client, second, level, rate, wobble[second % 7])
        for second, level in enumerate(levels)
    ]


def _sample(client: int, second: int, level: float, rate: int, wobble: int) -> Sample:
    orders = round(level * max(0, rate + wobble))
    away = 0 if level >= 0.9 else round(USERS * (1 - level))
    time_us = 2_000 if level >= 0.9 else 90_000
    return dvd_sample(
        client=client,
        second=second,
        working=USERS - away,
        reconnecting=away,
        orders=orders,
        reconnects=away,
        errors={"connection_lost": away} if away else {},
        histogram=pack({bucket_of(time_us): orders} if orders else {}),
    )


def _probes(draw: st.DrawFn, seconds: int, faults: list[float]) -> list[ProbeSample | None]:
    if not draw(st.booleans()):
        return [None] * seconds
    slots = ["wwwwwwwwww"] * seconds
    for at in faults:
        for second in range(int(at), min(seconds, int(at) + draw(st.integers(0, 5)))):
            slots[second] = draw(st.sampled_from(["----------", "www-------", "------wwww", "rrrr??ww--"]))
    return [ProbeSample(store=1, second=second, slots=each) for second, each in enumerate(slots)]
