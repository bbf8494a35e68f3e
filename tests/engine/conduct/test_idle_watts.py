"""Idle watts of machines whose meters are exporters behind real HTTP servers."""

import pytest

from engine.conduct.idle_watts import measure_idle_watts, meters_of
from engine.databases.progress import Progress
from engine.errors import BadInput, Cancelled
from engine.machines.access import PrometheusAccess, RedfishAccess, SerialMeterAccess, SshAccess
from engine.machines.machine import Machine
from tests.doubles.page_server import PageServer
from tests.waiting import wait_until

BMC = RedfishAccess(url="https://bmc", user="root")


def exporter(url: str, *rules: str) -> PrometheusAccess:
    return PrometheusAccess(url=url, rules=rules or ("Power = watts",))


def test_a_machines_best_meters_are_read_and_no_others() -> None:
    first, second = (SerialMeterAccess(port=f"/dev/ttyUSB{number}") for number in range(2))
    power, other = exporter("http://a"), exporter("http://b", "Commits = rate(commits)")
    assert meters_of(Machine(name="db1", accesses=(BMC, first, power, second))) == (first, second)
    assert meters_of(Machine(name="db1", accesses=(SshAccess(host="db1"), BMC, power))) == (power,)
    assert meters_of(Machine(name="db1", accesses=(BMC, other))) == (BMC,)
    with pytest.raises(BadInput, match=r"^machine 'db1' has no access that tells its watts \(it has Prometheus\)"):
        meters_of(Machine(name="db1", accesses=(other,)))


def test_meters_and_channels_are_added_up_and_half_a_reading_is_left_out() -> None:
    """A meter for each of two power supplies, one of which has two phases, of which one is missing at first."""
    phases = 'watts{phase="1"} 60\nwatts{phase="2"} 40\n'
    told: list[Progress] = []
    with PageServer('watts{phase="1"} 60\n', phases) as first, PageServer("watts 90.5\n") as second:
        machine = Machine(name="server", accesses=(exporter(first.url), exporter(second.url)))

        def take(progress: Progress) -> None:
            told.append(progress)
            if progress.share > 0.5:  # the request after a reading says that it was taken
                wait_until(lambda: first.requests > 2 and second.requests > 1, "both meters were read")

        (server,) = measure_idle_watts(
            [machine], lambda _name: None, 2.0, report_progress=take, cancelled=lambda: False
        )
    assert (server.device, server.mean_watts, server.lowest_watts) == ("server", 190.5, 190.5)
    assert server.readings >= 1
    assert told[-1].doing.startswith("measuring idle watts: server ")
    assert told[-1].share > 0.5


def test_it_can_be_cancelled() -> None:
    """The fixture that looks for what a test leaves running sees whether the readers have ended."""
    with PageServer("watts 90\n") as server, pytest.raises(Cancelled):
        measure_idle_watts(
            [Machine(name="server", accesses=(exporter(server.url),))],
            lambda _name: None,
            3_600.0,
            report_progress=lambda _progress: None,
            cancelled=lambda: server.requests > 0,
        )
