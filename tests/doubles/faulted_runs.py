"""Runs with faults, as samples second by second: steady, an outage, a brownout, and steady again."""

from collections.abc import Callable, Mapping

from engine.analysis.run_data import RunData
from engine.histogram import bucket_of, pack
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.doubles.live_runs import MEASURING_FROM, THREADS, a_plan
from tests.doubles.samples import dvd_sample

FAULT_AT = 150.4
OUTAGE_SECONDS = range(151, 155)
BROWN_OUT_SECONDS = range(155, 167)
ALL_BACK = 167


def a_fault(number: int, at_seconds: float = FAULT_AT, label: str = "Enclosure pulled") -> RunEvent:
    return RunEvent(number=number, at_seconds=at_seconds, kind=EventKind.MARK, label=label, by_hand=True, is_fault=True)


def _nobody(_: Sample) -> None:
    """Samples have no other receiver."""


class FaultedRun:
    """``data`` after ``advance_to``: faults come with their seconds; each brings the same outage after it.

    ``hears`` is told every sample, too.
    """

    def __init__(self, clients: int = 4, *, faults: Mapping[int, float] | None = None, heals: bool = True) -> None:
        self.clients, self.heals = clients, heals
        self.faults = [a_fault(number, at) for number, at in (faults or {90: FAULT_AT}).items()]
        self.data = RunData(a_plan(clients), run_id="20261121-043017-aaaa")
        self.second = 0
        self.hears: Callable[[Sample], None] = _nobody
        self._set_state(None)

    def advance_to(self, second: int) -> RunData:
        """Tell everything before ``second``."""
        while self.second < second:
            for client in range(1, self.clients + 1):
                sample = self._sample(client)
                self.data.add(sample)
                self.hears(sample)
            for fault in self.faults:
                if int(fault.at_seconds) == self.second:
                    self.data.put_event(fault)
            self.second += 1
            self._set_state(None)
        return self.data

    def end(self, state: RunState = RunState.COMPLETED) -> RunData:
        """The run is over."""
        self._set_state(self.second, state)
        return self.data

    def _set_state(self, measuring_to: int | None, state: RunState = RunState.MEASURING) -> None:
        measuring_from = MEASURING_FROM if self.second >= MEASURING_FROM else None
        phases = Phases(warming_up_from=10, measuring_from=measuring_from, measuring_to=measuring_to)
        self.data.set_state(state if measuring_from is not None else RunState.WARMING_UP, phases)

    def _sample(self, client: int) -> Sample:
        share = self._share()
        orders = round(share * (770 + (client * 7 + self.second * 13) % 29))
        away = round(THREADS * (1 - share))
        time_us = 9_000 if share == 1 else 60_000
        return dvd_sample(
            client=client,
            second=self.second,
            working=THREADS - away,
            reconnecting=away,
            orders=orders,
            purchases=orders,
            reconnects=THREADS - away if 0 < share < 1 else 0,
            order_us=time_us * orders,
            errors={"connection_lost": away} if share == 0 else {},
            histogram=pack({bucket_of(time_us): orders} if orders else {}),
        )

    def _share(self) -> float:
        """How much of the usual orders is taken in this second."""
        since = [self.second - int(fault.at_seconds) + int(FAULT_AT) for fault in self.faults]
        newest = min((second for second in since if second >= FAULT_AT), default=0)
        if newest in OUTAGE_SECONDS or (not self.heals and newest >= OUTAGE_SECONDS.start):
            return 0.0
        return 0.6 if newest in BROWN_OUT_SECONDS else 1.0
