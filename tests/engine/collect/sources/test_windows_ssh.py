"""Windows over SSH: the real ssh and sshd, with a program there that plays what PowerShell and typeperf write.

Nothing here has run on Windows: that the scripts do there what they are meant to is not tested.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from engine.collect.clock import utc_now
from engine.collect.source import SourceReading
from engine.collect.sources.windows_ssh import WindowsSshSource, typeperf_script
from engine.errors import UserError
from engine.machines.access import SshAccess, SystemKind
from engine.machines.powershell import LONGEST_COMMAND, powershell
from tests.doubles import windows_host
from tests.doubles.ssh_server import SshServer, why_no_ssh_server

AHEAD_SECONDS = 90.0

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_no_ssh_server()), reason=why_no_ssh_server())]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., SshAccess]]:
    """Installs a Windows host with these properties behind the SSH server, and returns the access to it."""
    programs = tmp_path_factory.mktemp("windows")
    with SshServer(tmp_path_factory.mktemp("sshd"), path=(programs,)) as server:

        def install(**properties: object) -> SshAccess:
            windows_host.install(programs, **properties)  # type: ignore[arg-type]
            return replace(server.access, system=SystemKind.WINDOWS)

        yield install


def read(access: SshAccess, count: int) -> list[SourceReading]:
    source = WindowsSshSource(access, machine="db1")
    with closing(source.readings(threading.Event())) as readings:
        return [next(readings) for _ in range(count)]


def figures_of(reading: SourceReading) -> dict[str, float]:
    return {f"{value.name} {value.device}".rstrip(): round(value.value, 6) for value in reading.values}


DISK = {
    "Disk reads": 120.0,
    "Disk writes": 300.5,
    "Disk transfers": 420.5,
    "Disk utilisation": 75.0,
    "Disk read latency": 4.0,
    "Disk write latency": 0.5,
    "Disk read throughput": 8.0,
    "Disk write throughput": 2.0,
    "Disk queue": 2.25,
}
FIGURES = {
    "CPU": 37.5,
    **{f"{name} {disk}": value for disk in ("0 C:", "1 D:") for name, value in DISK.items()},
    "Network received Intel[R] Ethernet Adapter _2": 1.0,
    "Network sent Intel[R] Ethernet Adapter _2": 2.0,
    "Network speed Intel[R] Ethernet Adapter _2": 1000.0,
    "Memory available": 1048.576,
}


def test_counters_in_the_language_of_the_system_and_times_by_its_clock(host: Callable[..., SshAccess]) -> None:
    first, *others = read(host(ahead_seconds=AHEAD_SECONDS), 11)
    assert first.values == ()
    assert [figures_of(reading) for reading in others] == [FIGURES] * 10
    for reading in (first, *others):
        assert reading.source_utc_seconds is not None
        # A line that is read late is older by then.
        assert AHEAD_SECONDS - 30 < reading.source_utc_seconds - reading.here_utc_seconds < AHEAD_SECONDS + 1
    exchanges = [reading.exchange for reading in (first, *others)]
    assert [exchange is not None for exchange in exchanges] == [True, *[False] * 9, True]
    for exchange in filter(None, exchanges):
        there = exchange.source_utc_seconds - AHEAD_SECONDS
        assert exchange.sent_utc_seconds - 0.1 <= there <= exchange.answered_utc_seconds + 0.1


def test_a_host_without_powershell(tmp_path_factory: pytest.TempPathFactory) -> None:
    told = r"^db1: powershell ended there with exit code 127 \(.*not found\)\.$"
    with SshServer(tmp_path_factory.mktemp("bare")) as bare, pytest.raises(UserError, match=told):
        read(replace(bare.access, system=SystemKind.WINDOWS), 1)


def test_a_stop_ends_both_connections(host: Callable[..., SshAccess]) -> None:
    """The fixture that looks for what a test leaves running sees whether they have ended."""
    stop = threading.Event()
    source = WindowsSshSource(host(), machine="db1")
    began = utc_now()
    count = 0
    for _ in source.readings(stop):
        count += 1
        if count == 3:
            stop.set()
    assert count == 3
    assert utc_now() - began < 60


def test_the_script_is_short_enough_for_a_command_line_of_windows() -> None:
    assert len(powershell(typeperf_script(1.0))) < LONGEST_COMMAND - len("cmd.exe /c ")
