"""What is said of a machine that is tried: scripts take the place of its sources, or it is this one by a real SSH
server."""

import threading
from collections.abc import Sequence

import pytest

from engine.collect import checking
from engine.collect.checking import check_machine
from engine.collect.source import ClockExchange, Source, SourceReading
from engine.errors import BadInput, UserError
from engine.machines.access import PrometheusAccess, RedfishAccess, SshAccess
from engine.machines.machine import Machine
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure
from tests.doubles.ssh_server import SshServer
from tests.engine.collect.scripted import Scripted, Unreachable

SSH = SshAccess(host="db1.lab", user="root")
REDFISH = RedfishAccess(url="https://bmc", user="admin")
COUNTERS = (
    HostValue("", HostFigure.CPU, "%", 12.0),
    *(HostValue(f"sd{letter}", HostFigure.DISK_READS, "ops/s", 0.0) for letter in "abcdefgh"),
    HostValue("eth0", HostFigure.NETWORK_RECEIVED, "Mb/s", 1.0),
)


def reading(values: Sequence[HostValue] = COUNTERS, ahead_seconds: float | None = None) -> SourceReading:
    exchange = None
    if ahead_seconds is not None:
        exchange = ClockExchange(
            sent_utc_seconds=99.998, source_utc_seconds=100 + ahead_seconds, answered_utc_seconds=100.002
        )
    return SourceReading(values=tuple(values), here_utc_seconds=100, exchange=exchange)


def told(monkeypatch: pytest.MonkeyPatch, *sources: Source, access: SshAccess | RedfishAccess = SSH) -> list[str]:
    monkeypatch.setattr(checking, "sources_of", lambda *_, **__: sources)
    reports = list(check_machine(Machine(name="db1", accesses=(access,)), lambda _: None))
    return [f"{'works' if each.works else 'fails'}: {each.sentence}" for each in reports]


def test_counters_devices_and_clock_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Scripted([[reading(COUNTERS[:1], 0.2), reading(ahead_seconds=0.2), reading(())]], name="Linux over SSH")
    assert told(monkeypatch, source) == [
        "works: SSH (root@db1.lab): Linux over SSH works: 10 counters every 1 s; disks sda, sdb, sdc, sdd, sde, sdf and"
        " 2 more; interfaces eth0. Its clock is 0.2 s ahead of this workstation's, within 2 ms."
    ]
    assert source.closed == 1


def test_watts_of_a_slow_source_are_described_as_averages(monkeypatch: pytest.MonkeyPatch) -> None:
    power = reading((HostValue("", HostFigure.POWER, "W", 196.66), HostValue("PSU 2", HostFigure.POWER, "W", 20)))
    source = Scripted([[power]], name="Redfish", interval_seconds=5, is_average=True)
    assert told(monkeypatch, source, access=REDFISH) == [
        "works: Redfish (https://bmc): Redfish works: 2 counters every 5 s; 196.7 W now; PSU 2 20 W now."
        " These are slow averages."
    ]


@pytest.mark.parametrize(
    ("ahead_seconds", "sentence"),
    [
        (0.0015, "Its clock agrees with this workstation's within 2 ms."),
        (
            -90.0,
            "Its clock is 90 s behind this workstation's, within 2 ms. Its readings are shifted by that; better let",
        ),
    ],
)
def test_the_clock_is_judged(monkeypatch: pytest.MonkeyPatch, ahead_seconds: float, sentence: str) -> None:
    assert sentence in told(monkeypatch, Scripted([[reading(ahead_seconds=ahead_seconds)] * 2]))[0]


def test_one_source_that_fails_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    failing, silent = told(monkeypatch, Unreachable(), Scripted([[reading(())]], name="Prometheus"))
    assert failing == "fails: SSH (root@db1.lab): db9 refused the connection; start its SSH server."
    assert silent == "fails: SSH (root@db1.lab): Prometheus answers, and has no counter to read."


def test_every_access_is_tried_with_its_own_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def sources_of(access: object, secret: Secret | None, *, machine: str) -> tuple[Source, ...]:
        asked.append((access, secret))
        raise UserError(f"{machine}: ipmitool is missing here.")

    monkeypatch.setattr(checking, "sources_of", sources_of)
    machine = Machine(name="db1", accesses=(SSH, REDFISH))
    sentences = [each.sentence for each in check_machine(machine, lambda name: Secret(f"of {name}"))]
    assert sentences == [
        "SSH (root@db1.lab): ipmitool is missing here.",
        "Redfish (https://bmc): ipmitool is missing here.",
    ]
    assert asked == [(SSH, None), (REDFISH, Secret("of https://admin@bmc:443"))]


def test_nothing_is_tried_once_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Scripted([[reading()]])
    monkeypatch.setattr(checking, "sources_of", lambda *_, **__: (source,))
    stop = threading.Event()
    stop.set()
    assert list(check_machine(Machine(name="db1", accesses=(SSH,)), lambda _: None, stop)) == []
    assert source.connections == []


def test_values_that_a_source_refuses_are_refused_when_they_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def sources_of(access: object, secret: Secret | None, *, machine: str) -> tuple[Source, ...]:
        raise BadInput("rules has 'x y z'; write a rule as …") if access == REDFISH else UserError("no ipmitool here.")

    monkeypatch.setattr(checking, "sources_of", sources_of)
    with pytest.raises(BadInput, match="rules has"):
        checking.check_values(REDFISH)
    checking.check_values(PrometheusAccess(url="http://db1:9100"))


def test_a_real_machine_over_ssh(local_sshd: SshServer) -> None:
    changed = local_sshd.known_hosts.replace(local_sshd.host_key, local_sshd.other_key)
    accesses = (local_sshd.access, local_sshd.access_with(known_hosts=changed))
    good, bad = check_machine(Machine(name="db1", accesses=accesses), lambda _: None)
    assert (good.works, bad.works) == (True, False)
    assert f"SSH ({local_sshd.access.place}): Linux over SSH works: " in good.sentence
    assert "Its clock agrees with this workstation's within" in good.sentence
    assert "shows another host key than the one that is known; find out why" in bad.sentence
