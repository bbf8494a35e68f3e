"""`spindle ds2`: a drop-in for DVD Store 2's drivers, with their parameters and their lines of output."""

import time
from datetime import datetime
from typing import Any

import click

from app.cli.context import Context, pass_context
from app.cli.run import conduct
from app.problems import say
from engine.analysis.series import Series
from engine.dvdstore.ds2_parameters import parse_ds2_arguments, plan_from_ds2
from engine.errors import BadInput
from engine.library.library import Library
from engine.plan import RunPlan
from engine.record import Phases, RunRecord, RunState
from engine.sample import RunEvent, Sample

_DEFAULT_REPORT_SECONDS = 10
_LAST_ORDERS = 100


@click.command("ds2", context_settings={"ignore_unknown_options": True, "help_option_names": ["-h", "--help"]})
@click.argument("parameters", nargs=-1, type=click.UNPROCESSED, metavar="--name=value …")
@pass_context
def ds2_command(context: Context, parameters: tuple[str, ...]) -> int:
    """Run DVD Store 2's parameters, --target=… --n_threads=… --config_file=…, and print its lines of output.

    Targets without a scheme are PostgreSQL's. The run is kept in the library like any other.
    """
    given = parse_ds2_arguments(parameters)
    found = plan_from_ds2(given)
    context.secrets.update(found.secrets)
    for warning in found.warnings:
        say(warning)
    lines = Ds2Lines(found.plan, _report_seconds(given.get("report_rate")))
    return conduct(context, found.plan, reset=False, quiet=True, done=lines.final, sinks=(lines,))


class Ds2Lines:
    """A sink that prints the running averages as DVD Store 2 does, every ``report_seconds``."""

    def __init__(self, plan: RunPlan, report_seconds: int) -> None:
        self._clients = plan.client_plans()
        self._report_seconds = report_seconds
        self._series = Series(len(self._clients))
        self._phases = Phases()
        self._reported = 0

    def begin(self, started_at: datetime) -> None:
        """The lines count from the reset of the statistics; they show no time of day."""

    def write_event(self, event: RunEvent) -> None:
        """DVD Store 2 prints no events."""

    def set_state(self, state: RunState, phases: Phases) -> None:
        self._phases = phases
        if state is RunState.WARMING_UP:
            print(f"all {len(self._clients)} clients connected; warming up", flush=True)
        elif state is RunState.MEASURING:
            print("Stats reset", flush=True)

    def write_sample(self, sample: Sample) -> None:
        self._series.add(sample)
        begin = self._phases.measuring_from
        # The second before the newest is whole: every client's sample of it has come, or never will.
        whole = self._series.seconds - 1
        if begin is None or whole - begin < self._reported + self._report_seconds:
            return
        if self._phases.measuring_to is not None and whole > self._phases.measuring_to:
            return
        self._reported = (whole - begin) // self._report_seconds * self._report_seconds
        print(self._line(begin, begin + self._reported, None), flush=True)

    def final(self, _library: Library, record: RunRecord) -> None:
        """The last lines: of the whole, and of each target when there are several."""
        begin, end = record.phases.measuring_from, record.phases.measuring_to
        if begin is None or end is None:
            return
        moment = time.strftime("%m/%d/%Y %I:%M:%S %p", time.gmtime())
        print(f"Final ({moment}): {self._line(begin, end, None)}")
        if len(self._clients) > 1:
            for client in self._clients:
                print(f"Final ({moment}): {self._line(begin, end, client.number)} host {client.label}")

    def _line(self, begin: int, end: int, client: int | None) -> str:
        def count(name: str) -> int:
            return self._series.count(name, client=client, first=begin, end=end)

        def mean_ms(total: str, number: int) -> int:
            return round(count(total) / number / 1000) if number else 0

        orders = count("orders")
        figures: dict[str, Any] = {
            "n_overall": orders,
            "opm": self._series.opm_running(begin, end, client) or 0,
            "rt_tot_lastn_max": self._largest_of_last(end, client),
            "rt_tot_avg": mean_ms("order_us", orders),
            "n_login_overall": count("logins"),
            "n_newcust_overall": count("new_customers"),
            "n_browse_overall": count("browses"),
            "n_purchase_overall": count("purchases"),
            "rt_login_avg_msec": mean_ms("login_us", count("logins")),
            "rt_newcust_avg_msec": mean_ms("new_customer_us", count("new_customers")),
            "rt_browse_avg_msec": mean_ms("browse_us", count("browses")),
            "rt_purchase_avg_msec": mean_ms("purchase_us", count("purchases")),
            "n_rollbacks_overall": count("rollbacks"),
        }
        rate = 100 * count("rollbacks") / orders if orders else 0.0
        told = " ".join(f"{name}={value}" for name, value in figures.items())
        return f"et={end - begin:7.1f} {told} rollback_rate = {rate:5.1f}%"

    def _largest_of_last(self, end: int, client: int | None) -> int:
        """The largest response time, ms, of the seconds that hold the last hundred orders."""
        first = end
        while first > 0 and self._series.count("orders", client=client, first=first, end=end) < _LAST_ORDERS:
            first -= 1
        return round(self._series.largest("order_us_max", client=client, first=first, end=end) / 1000)


def _report_seconds(text: str | None) -> int:
    if text is None:
        return _DEFAULT_REPORT_SECONDS
    if not text.isdigit() or int(text) < 1:
        raise BadInput(f"report_rate is '{text}'; give a whole number of seconds from 1.")
    return int(text)
