"""A Linux host by a shell's loop: in the shells that hosts have, over a real SSH server, and when the host dies."""

import shutil
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import psutil
import pytest

from engine.collect import collector as collector_module
from engine.collect.clock import utc_now
from engine.collect.clock_offset import offset_of
from engine.collect.collector import Collector
from engine.collect.program import Line, StreamedProgram
from engine.collect.source import SourceReading
from engine.collect.sources import linux_ssh
from engine.collect.sources.linux_ssh import GREETING, LOOP, LinuxSshSource, loop_readings
from engine.errors import UserError
from engine.telemetry.host import CollectorState, HostReading
from tests.doubles.ssh_server import SshServer, why_no_ssh_server
from tests.waiting import wait_until

INTERVAL_SECONDS = 0.1
SHELLS = {"dash": ("dash",), "busybox": ("busybox", "sh"), "sh": ("sh",)}
OVER_SSH = pytest.mark.skipif(bool(why_no_ssh_server()), reason=why_no_ssh_server() or "there is one")


def taken(program: StreamedProgram, number: int) -> list[SourceReading]:
    stop = threading.Event()
    readings = loop_readings(program, stop, machine="db1", interval_seconds=INTERVAL_SECONDS)
    return list(islice(readings, number))


@pytest.mark.parametrize("shell", SHELLS)
def test_the_loop_works_in_the_shells_of_hosts(shell: str, tmp_path: Path) -> None:
    if shutil.which(SHELLS[shell][0]) is None:
        pytest.skip(f"{shell} is not installed")
    for interface in ("lo", "down"):  # no link here has a speed
        (tmp_path / interface).mkdir()
    (tmp_path / "lo" / "speed").write_text("10000\n")
    (tmp_path / "down" / "speed").mkdir()  # read fails, as it does for a link that is down
    loop = LOOP.replace("/sys/class/net", str(tmp_path))
    with closing(StreamedProgram([*SHELLS[shell], "-c", loop], what=shell)) as program:
        readings = taken(program, 3)
    for reading in readings:
        found = {(value.device, value.name): value.value for value in reading.values}
        assert 0 <= found["", "CPU"] <= 100
        assert 0 < found["", "Memory used"] <= 100
        assert ("lo", "Network received") in found
        assert found["lo", "Network speed"] == 10_000
        assert found["", "Swapped in"] >= 0
        assert len(found) == len(reading.values)
        assert reading.exchange is not None
        offset = offset_of(reading.exchange)
        assert abs(offset.seconds) <= offset.error_seconds + 0.01, "the clock there is the one here"
    assert readings[0].source_utc_seconds is not None
    assert readings[-1].source_utc_seconds is not None
    assert readings[-1].source_utc_seconds > readings[0].source_utc_seconds


def test_a_date_of_whole_seconds_is_known_within_half_a_second(tmp_path: Path) -> None:
    date = tmp_path / "date"
    date.write_text("#!/bin/sh\necho T $(/bin/date +%s).%N\n")
    date.chmod(0o755)
    command = ["env", f"PATH={tmp_path}:/usr/bin:/bin", "sh", "-c", LOOP]
    with closing(StreamedProgram(command, what="sh")) as program:
        (reading,) = taken(program, 1)
    assert reading.exchange is not None
    assert reading.exchange.resolution_seconds == 0.5
    offset = offset_of(reading.exchange)
    assert abs(offset.seconds) <= offset.error_seconds


@dataclass
class Recorded:
    """A host whose answers were written down: the edge of the world in the tests of what it may answer."""

    answers: list[tuple[str, str]]
    lines: list[str] = field(default_factory=lambda: ["Welcome to db1", GREETING])

    questions: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.questions.append(text)
        self.lines += self.answers.pop(0)

    def line(self, stop: threading.Event, timeout_seconds: float) -> Line | None:
        return Line(self.lines.pop(0), utc_now())


def answer(second: float, up: float, *parts: str) -> tuple[str, str]:
    return f"T {second:.9f}", ";".join((f"U {up:.2f}", *parts))


def values_of(*answers: tuple[str, str], host: Recorded | None = None) -> list[dict[tuple[str, str], float]]:
    stop = threading.Event()
    recorded = host or Recorded([])
    recorded.answers += answers
    readings = loop_readings(recorded, stop, machine="db1", interval_seconds=0.01)
    return [
        {(value.device, value.name): value.value for value in reading.values}
        for reading in islice(readings, len(answers) - 1)
    ]


def test_rates_are_of_the_time_there() -> None:
    cpu = "cpu {0} 0 0 {0} 0 0 0 0 0 0"
    disks = "   8       0 sda {0} 0 0 0 0 0 0 0 0 0 0", "   8       1 sda1 {0} 0 0 0 0 0 0 0 0 0 0"
    parts = [
        "Inter-|   Receive",
        "  eth0: {0} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
        *disks,
        "MemTotal: 100 kB",
        "MemFree: 40 kB",
    ]
    asked = [
        answer(second, up, cpu.format(count), "B /sys/block/sda", *(part.format(count) for part in parts))
        for second, up, count in ((1000.0, 50.0, 100), (1002.004, 52.0, 200), (4602.004, 54.0, 300))
    ]
    first, second = values_of(*asked)
    assert first["", "CPU"] == 50
    assert first["sda", "Disk reads"] == pytest.approx(100 / 2.004), "by the finer clock"
    assert first["eth0", "Network received"] == pytest.approx(100 * 8 / 2.004 / 1e6)
    assert first["", "Memory used"] == 60
    assert not any(device == "sda1" for device, _ in first), "its disk has it"
    assert second["sda", "Disk reads"] == pytest.approx(50), "the wall clock was set by an hour"


def test_the_speed_of_a_link_is_asked_for_now_and_then_and_holds_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_ssh, "_READINGS_BETWEEN_LINKS", 2)
    cpu = "cpu 0 0 0 {0} 0 0 0 0 0 0"
    interface = "  {1}: {0} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
    links = (["L /sys/class/net/eth0/speed 1000", "L /sys/class/net/eth1/speed -1"], [], [], [])
    asked = [
        answer(
            1000.0 + at, 50.0 + at, cpu.format(at), *speeds, *(interface.format(at, name) for name in ("eth0", "eth1"))
        )
        for at, speeds in enumerate(links, start=1)
    ]
    host = Recorded([])
    first, second, third = values_of(*asked, host=host)
    assert host.questions == ["links", "", "links", ""]
    assert first["eth0", "Network speed"] == 1000
    assert ("eth1", "Network received") in first
    assert ("eth1", "Network speed") not in first
    assert ("eth0", "Network speed") not in second, "the link is down"
    assert ("eth0", "Network speed") not in third


def test_a_shell_without_proc_is_refused() -> None:
    with pytest.raises(UserError, match=r"db1 has a shell but no /proc/stat, so it is no Linux"):
        values_of(answer(1000.0, 50.0), answer(1001.0, 51.0))


def test_a_host_without_date_is_refused() -> None:
    with pytest.raises(UserError, match="is date in its PATH"):
        values_of(("U 50.00", ""), ("U 51.00", ""))


@OVER_SSH
def test_a_host_over_ssh_is_read_and_nothing_is_left_there(local_sshd: SshServer) -> None:
    stop = threading.Event()
    source = LinuxSshSource(local_sshd.access, machine="db1", interval_seconds=INTERVAL_SECONDS)
    with closing(source.readings(stop)) as readings:
        found = list(islice(readings, 2))
        assert loops_over(local_sshd)
        stop.set()
        assert list(readings) == []
    assert all(reading.exchange is not None and reading.values for reading in found)
    wait_until(lambda: not loops_over(local_sshd), "the loop there has ended")


@OVER_SSH
def test_an_unknown_host_key_is_reported_with_the_remedy(local_sshd: SshServer) -> None:
    source = LinuxSshSource(local_sshd.access_with(known_hosts=""), machine="db1")
    with pytest.raises(UserError, match=r"db1: the host key of .* is not known; connect once by hand"):
        next(source.readings(threading.Event()))


@pytest.fixture
def quick_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector_module, "_FIRST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(collector_module, "_LONGEST_PAUSE_SECONDS", 0.2)


@pytest.fixture
def server(tmp_path: Path) -> SshServer:
    return SshServer(tmp_path)


@OVER_SSH
@pytest.mark.usefixtures("quick_again")
def test_a_host_that_dies_leaves_a_gap_and_is_read_again(server: SshServer) -> None:
    readings: list[HostReading] = []
    source = LinuxSshSource(server.access, machine="db1", interval_seconds=INTERVAL_SECONDS)
    collector = Collector(1, "db1", source, readings.append)
    stop = threading.Event()
    thread = threading.Thread(target=collector.run, args=(stop,), daemon=True)
    with server:
        thread.start()
        wait_until(lambda: len(readings) >= 3, "it is read")
    wait_until(lambda: collector.status().state is CollectorState.FAILING, "its death is seen")
    before = len(readings)
    died_at = readings[-1].utc_seconds
    with server:
        wait_until(lambda: len(readings) >= before + 3, "it is read again")
        stop.set()
        thread.join(60)
    assert not thread.is_alive()
    assert readings[before].utc_seconds > died_at + 2 * INTERVAL_SECONDS
    times = [reading.utc_seconds for reading in readings]
    assert times == sorted(set(times))
    assert all(0 <= value.value <= 100 for reading in readings for value in reading.values if value.name == "CPU")
    wait_until(lambda: not loops_over(server), "no loop is left")
    assert not [each for each in psutil.Process().children() if each.name() == "ssh"]


@OVER_SSH
def test_a_clock_that_is_90_s_ahead_is_measured_and_taken_off(tmp_path: Path) -> None:
    folder = tmp_path / "path"
    folder.mkdir()
    date = folder / "date"  # the machine has one clock: another host's is its date command's
    date.write_text('#!/bin/sh\nexec /bin/date -d "+90 seconds" "$@"\n')
    date.chmod(0o755)
    readings: list[HostReading] = []
    stop = threading.Event()
    with SshServer(tmp_path, path=[folder]) as server:
        source = LinuxSshSource(server.access, machine="db1", interval_seconds=INTERVAL_SECONDS)
        collector = Collector(1, "db1", source, readings.append)
        thread = threading.Thread(target=collector.run, args=(stop,), daemon=True)
        began = utc_now()
        thread.start()
        wait_until(lambda: len(readings) >= 3, "it is read")
        stop.set()
        thread.join(60)
    status = collector.status()
    assert status.offset_seconds is not None
    assert status.offset_error_seconds is not None
    assert abs(status.offset_seconds - 90) <= status.offset_error_seconds + 0.001
    assert status.offset_error_seconds < 1
    assert all(began <= reading.utc_seconds <= utc_now() for reading in readings)


def loops_over(server: SshServer) -> list[int]:
    """The loops that were started over this server."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if GREETING in " ".join(process.cmdline()) and str(server.port) in process.environ().get(
                "SSH_CONNECTION", ""
            ):
                found.append(process.pid)
    return found
