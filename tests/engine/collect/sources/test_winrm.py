"""WinRM as far as it goes without Windows: what is sent by way of pypsrp, which is replaced, and what answers mean."""

import json
import sys
import threading
from contextlib import closing
from types import ModuleType
from typing import Any

import pytest

from engine.collect.host_counters import values_between
from engine.collect.polling import PolledSource
from engine.collect.sources import winrm
from engine.collect.sources.disk_idle import BusyTimes
from engine.collect.sources.winrm import SCRIPT, counters_of, winrm_source
from engine.errors import UserError
from engine.machines.access import WinRmAccess
from engine.secrets import Secret

ACCESS = WinRmAccess(host="db1", user="Administrator")
PASSWORD = Secret("that-must-not-be-seen")


def an_answer(second: float) -> dict[str, Any]:
    """As the script's: processors 40 % busy, the disk 75 %, with 120 reads/s of 4 ms each and two waiting requests."""
    ticks = 10_000_000 * second
    return {
        "utc_seconds": 1_700_000_000 + second,
        "cpu": [{"PercentProcessorTime": int(5e12 + 0.6 * ticks), "Timestamp_Sys100NS": int(1e15 + ticks)}],
        "disks": [
            {
                "Name": "0 C:",
                "DiskReadsPersec": int(1000 + 120 * second),
                "DiskWritesPersec": int(2000 + 300 * second),
                "DiskReadBytesPersec": int(8e6 * second),
                "DiskWriteBytesPersec": int(2e6 * second),
                "AvgDisksecPerRead": int(0.004 * 120 * second * 3_000_000),
                "AvgDisksecPerWrite": int(0.0005 * 300 * second * 3_000_000),
                "AvgDiskQueueLength": int(2 * ticks),
                "PercentIdleTime": int(0.25 * ticks),
                "Timestamp_Sys100NS": int(1e15 + ticks),
                "Frequency_PerfTime": 3_000_000,
            }
        ],
        "interfaces": [
            {
                "Name": "Intel",
                "BytesReceivedPersec": int(125_000 * second),
                "BytesSentPersec": 5,
                "CurrentBandwidth": 1_000_000_000,
            }
        ],
        "memory": [{"AvailableBytes": int(8e9)}],
        "system": [{"TotalPhysicalMemory": int(32e9)}],
    }


def test_what_an_answer_means() -> None:
    busy = BusyTimes()
    values = values_between(counters_of(an_answer(100), busy), counters_of(an_answer(102), busy))
    assert {f"{value.name} {value.device}".rstrip(): round(value.value, 3) for value in values} == {
        "CPU": 40.0,
        "Memory used": 75.0,
        "Memory available": 8000.0,
        "Disk reads 0 C:": 120.0,
        "Disk writes 0 C:": 300.0,
        "Disk transfers 0 C:": 420.0,
        "Disk read throughput 0 C:": 8.0,
        "Disk write throughput 0 C:": 2.0,
        "Disk utilisation 0 C:": 75.0,
        "Disk read latency 0 C:": 4.0,
        "Disk write latency 0 C:": 0.5,
        "Disk queue 0 C:": 2.0,
        "Network received Intel": 1.0,
        "Network sent Intel": 0.0,
        "Network speed Intel": 1000.0,
    }


class Windows:
    """What pypsrp has of Windows: ``connections`` are the arguments of each, ``scripts`` what was run, in order."""

    def __init__(self) -> None:
        self.connections: list[dict[str, Any]] = []
        self.scripts: list[str] = []
        self.closed = 0
        self.answers: list[str | Exception] = []

    def modules(self) -> dict[str, ModuleType]:
        windows = self
        package, powershell, wsman = (ModuleType(name) for name in ("pypsrp", "pypsrp.powershell", "pypsrp.wsman"))

        class RunspacePool:
            def __init__(self, connection: Any) -> None: ...

            def open(self) -> None: ...

            def close(self) -> None:
                windows.closed += 1

        class PowerShell:
            def __init__(self, pool: RunspacePool) -> None: ...

            def add_script(self, script: str) -> None:
                windows.scripts.append(script)

            def invoke(self) -> list[str]:
                answer = windows.answers.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return [answer]

        def connect(host: str, **arguments: Any) -> None:
            windows.connections.append({"host": host, **arguments})

        powershell.RunspacePool, powershell.PowerShell, wsman.WSMan = RunspacePool, PowerShell, connect  # type: ignore[attr-defined]
        return {"pypsrp": package, "pypsrp.powershell": powershell, "pypsrp.wsman": wsman}


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Windows:
    found = Windows()
    for name, module in found.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(winrm, "_LEAST_INTERVAL_SECONDS", 0.01)
    return found


def source(password: Secret | None = PASSWORD) -> PolledSource:
    return winrm_source(ACCESS, password, machine="db1", interval_seconds=0.0)


def test_one_connection_over_https_runs_one_script_per_reading(windows: Windows) -> None:
    windows.answers += [json.dumps(an_answer(second)) for second in (100, 102, 104)]
    with closing(source().readings(threading.Event())) as readings:
        first, second, _ = next(readings), next(readings), next(readings)
    assert first.values == ()
    assert second.source_utc_seconds == 1_700_000_102
    assert second.exchange is not None
    assert windows.scripts == [SCRIPT] * 3
    (connection,) = windows.connections
    assert (connection["host"], connection["ssl"], connection["username"]) == ("db1", True, "Administrator")
    assert connection["password"] == PASSWORD.reveal()
    assert "cert_validation" not in connection  # pypsrp checks it then
    assert windows.closed == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ConnectionError("refused"), r"^db1: Windows at Administrator@db1 can't be read \(ConnectionError: refused\)"),
        ("{}", "answers something else than its counters"),
        ("not JSON", "answers something else than its counters"),
    ],
)
def test_failures_name_the_machine_and_not_the_password(windows: Windows, answer: str | Exception, told: str) -> None:
    windows.answers.append(answer)
    with pytest.raises(UserError, match=told) as error:
        next(source().readings(threading.Event()))
    assert PASSWORD.reveal() not in str(error.value)


@pytest.mark.usefixtures("windows")
def test_a_password_is_needed() -> None:
    with pytest.raises(UserError, match="needs the password of Administrator; set it"):
        next(source(None).readings(threading.Event()))


def test_without_the_package_one_sentence_says_how_it_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypsrp", None)
    with pytest.raises(UserError, match=r"^db1: WinRM needs the Python package pypsrp; .*pip install pypsrp.*over SSH"):
        next(source().readings(threading.Event()))
