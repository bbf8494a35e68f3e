"""A run's output as DVD Store 2's drivers print it: parameters, a report every few seconds, and the Final lines.

Called by `spindle ds2`; `spindle library import` reads it back.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.analysis.headline import headline_of
from engine.analysis.series.rates import Series
from engine.driver.sinks import Sink
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.sample import Sample
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import driver_files_of

if TYPE_CHECKING:
    from engine.library.library import Library

_LAST_ORDERS = 100


class Ds2Output(Sink):
    """A sink that prints running averages: from the start while warming up, then from the reset.

    With several targets, each report line of all targets is followed by one for each. Times are whole milliseconds.
    """

    def __init__(self, plan: RunPlan, given: Mapping[str, str], report_seconds: int) -> None:
        self._plan = plan
        self._defaults = driver_files_of(DVD_STORE).defaults
        self._given = given
        self._headline = headline_of(plan.workload)
        self._clients = plan.client_plans()
        self._report_seconds = report_seconds
        self._series = Series(len(self._clients))
        self._phases = Phases()
        self._base: int | None = None
        self._reported = 0

    def begin(self, started_at: datetime) -> None:
        """Print the parameters, without a password, as the users begin to connect."""
        places = [",".join(map(str, client.target.hosts)) or self._defaults["target"] for client in self._clients]
        parameters = {
            **self._defaults,
            **self._given,
            "target": ";".join(places),
            "n_threads": str(self._plan.threads * len(self._clients)),
        }
        print("  ".join(f"{name}= {parameters[name]}" for name in self._defaults), end="\n\n", flush=True)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._phases = phases
        if state in (RunState.WARMING_UP, RunState.MEASURING) and self._base is None:
            print(f"Controller ({_stamp()}): all users connected, issuing Start", flush=True)
            self._set_base(phases.warming_up_from)

    def write_sample(self, sample: Sample) -> None:
        self._series.add(sample)
        # The second before the newest is complete: every client's sample of it has arrived, or never will.
        whole = self._series.seconds - 1
        while (due := self._next_due()) is not None and due <= whole:
            self._report(due)

    def final(self, _library: "Library", record: RunRecord) -> None:
        """Print the Final lines: of all targets, and of each when there are several."""
        begin, end = record.phases.measuring_from, record.phases.measuring_to
        if begin is None or end is None:
            return
        print(f"Final ({_stamp()}): {self._line(begin, end, end, None)}")
        if len(self._clients) > 1:
            for client in self._clients:
                print(f"host {client.label} Final: {self._line(begin, end, end, client.number)}")
        print(
            f"n_purchase_from_start= {self._series.count('purchase.n')}"
            f" n_rollbacks_from_start= {self._series.count('rollbacks')}"
        )

    def _next_due(self) -> int | None:
        """The second at which the next report ends; the last one of the warm-up ends with it."""
        if self._base is None:
            return None
        due, phases = self._base + self._reported + self._report_seconds, self._phases
        if phases.measuring_from is not None and self._base < phases.measuring_from:
            return min(due, phases.measuring_from)
        return due if phases.measuring_to is None or due <= phases.measuring_to else None

    def _report(self, due: int) -> None:
        base = self._base
        assert base is not None, "a report is due only once there is a base"
        since = base + self._reported
        print(self._line(base, due, since, None), flush=True)
        if len(self._clients) > 1:
            for client in self._clients:
                print(f"host {client.label} {self._line(base, due, since, client.number)}", flush=True)
        self._reported = due - base
        if base != self._phases.measuring_from and due == self._phases.measuring_from:
            self._set_base(due)

    def _set_base(self, second: int | None) -> None:
        self._base, self._reported = second, 0
        if second is not None and second == self._phases.measuring_from:
            print("Stats reset", flush=True)

    def _line(self, begin: int, end: int, since: int, client: int | None) -> str:
        """The averages of ``begin <= second < end``; the sampled mean covers the seconds from ``since``."""

        def count(name: str, first: int = begin) -> int:
            return self._series.count(name, client=client, first=first, end=end)

        def mean_ms(total: str, of: str, first: int = begin) -> int:
            return round(count(total, first) / count(of, first) / 1000) if count(of, first) else 0

        orders, rollbacks = count("order.n"), count("rollbacks")
        figures = {
            "n_overall": orders,
            "opm": self._series.running(self._headline, begin, end, client) or 0,
            "rt_tot_lastn_max": self._largest_of_last(end, client),
            "rt_tot_avg": mean_ms("order.sum_us", "order.n"),
            "n_login_overall": count("login.n"),
            "n_newcust_overall": count("new_customer.n"),
            "n_browse_overall": count("browse.n"),
            "n_purchase_overall": count("purchase.n"),
            "rt_login_avg_msec": mean_ms("login.sum_us", "login.n"),
            "rt_newcust_avg_msec": mean_ms("new_customer.sum_us", "new_customer.n"),
            "rt_browse_avg_msec": mean_ms("browse.sum_us", "browse.n"),
            "rt_purchase_avg_msec": mean_ms("purchase.sum_us", "purchase.n"),
            **({"rt_tot_sampled": mean_ms("order.sum_us", "order.n", since)} if since < end else {}),
            "n_rollbacks_overall": rollbacks,
        }
        parameters = " ".join(f"{name}={value}" for name, value in figures.items())
        return f"et={end - begin:7.1f} {parameters} rollback_rate = {100 * rollbacks / orders if orders else 0:5.1f}%"

    def _largest_of_last(self, end: int, client: int | None) -> int:
        """The longest response time of the seconds that contain the last hundred orders [ms]."""
        first = end
        while first > 0 and self._series.count("order.n", client=client, first=first, end=end) < _LAST_ORDERS:
            first -= 1
        return round(self._series.largest("order.max_us", client=client, first=first, end=end) / 1000)


def _stamp() -> str:
    """The present time in the drivers' format, but in UTC."""
    return f"{datetime.now(UTC):%m/%d/%Y %I:%M:%S %p}"
