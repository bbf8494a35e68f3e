"""ESXi over SSH: the real ssh and sshd, with a program there that plays what esxtop writes, in thousands of columns."""

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.collect.source import SourceReading
from engine.collect.sources.esxtop_ssh import EsxtopSource
from engine.errors import UserError
from engine.machines.access import SystemKind
from tests.doubles import esxi_host
from tests.doubles.ssh_server import SshServer, why_no_ssh_server

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_no_ssh_server()), reason=why_no_ssh_server())]

DISK = {
    "Disk transfers": 420.0,
    "Disk reads": 120.0,
    "Disk writes": 300.0,
    "Disk read throughput": 1.048576,
    "Disk write throughput": 2.097152,
    "Disk read latency": 0.7,
    "Disk write latency": 0.3,
}


def read(server: SshServer, count: int) -> list[SourceReading]:
    source = EsxtopSource(replace(server.access, system=SystemKind.ESXI), machine="esx1")
    with closing(source.readings(threading.Event())) as readings:
        return [next(readings) for _ in range(count)]


def test_only_the_wanted_columns_of_thousands_are_read(tmp_path: Path) -> None:
    esxi_host.install(tmp_path / "bin")
    (tmp_path / "sshd").mkdir()
    assert len(list(esxi_host.columns())) > 7_000
    with SshServer(tmp_path / "sshd", path=(tmp_path / "bin",)) as server:
        first, *_, last = read(server, 3)
    # Neither the sums of the host's own groups, nor single processors and worlds, nor the ports of virtual machines.
    assert {f"{value.name} {value.device}".rstrip(): round(value.value, 6) for value in first.values} == {
        "Memory available": 1048.576,
        "CPU": 37.5,
        "Group Cpu: % Ready 2012:db1": 2.5,
        "Group Cpu: % Ready 2013:db 2 (old)": 4.0,
        **{f"{name} {adapter}": value for adapter in ("vmhba0", "vmhba64") for name, value in DISK.items()},
        "Network received vSwitch0:33554434:vmnic0": 12.5,
        "Network sent vSwitch0:33554434:vmnic0": 25.0,
    }
    assert first.values == last.values
    exchange = first.exchange
    assert exchange is not None
    assert exchange.resolution_seconds == 0.5
    assert exchange.sent_utc_seconds - 0.6 <= exchange.source_utc_seconds <= exchange.answered_utc_seconds + 0.6


def test_a_host_that_is_no_esxi(tmp_path: Path) -> None:
    with (
        SshServer(tmp_path) as server,
        pytest.raises(UserError, match=r"^esx1: esxtop ended there with exit code 127 \(.*not found\)"),
    ):
        read(server, 1)
