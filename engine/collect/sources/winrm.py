"""A Windows host by Windows Remote Management: PowerShell remoting over HTTPS, by the optional package pypsrp.

One script asks the raw performance classes of CIM, whose names are English in every language, and the clock; rates are
computed here. Not yet run against Windows: there is no server for it where Spindle is tested.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.collect.clock import utc_now
from engine.collect.host_counters import (
    CpuTimes,
    DiskCounts,
    HostCounters,
    InterfaceCounts,
    MemoryState,
    values_between,
)
from engine.collect.polling import PolledSource
from engine.collect.source import ClockExchange, SourceReading
from engine.collect.sources.disk_idle import BusyTimes
from engine.errors import UserError
from engine.machines.access import WinRmAccess
from engine.secrets import Secret

# The script takes some tenths of a second of a processor there.
_LEAST_INTERVAL_SECONDS = 2.0
_ANSWER_SECONDS = 15
# Windows' clock is read in steps of up to 1/64 s.
_CLOCK_STEP_SECONDS = 0.016
_TICKS = 1e7
_Row = Mapping[str, Any]

SCRIPT = r"""
$ErrorActionPreference = 'Stop'
function Get-Raw($class, $filter, $properties) {
  @(Get-CimInstance $class -Filter $filter -Property $properties | Select-Object -Property $properties)
}
$answer = @{
  cpu = Get-Raw 'Win32_PerfRawData_PerfOS_Processor' "Name='_Total'" @('PercentProcessorTime', 'Timestamp_Sys100NS')
  disks = Get-Raw 'Win32_PerfRawData_PerfDisk_PhysicalDisk' "Name<>'_Total'" @('Name', 'DiskReadsPersec',
    'DiskWritesPersec', 'DiskReadBytesPersec', 'DiskWriteBytesPersec', 'AvgDisksecPerRead', 'AvgDisksecPerWrite',
    'AvgDiskQueueLength', 'PercentIdleTime', 'Timestamp_Sys100NS', 'Frequency_PerfTime')
  interfaces = Get-Raw 'Win32_PerfRawData_Tcpip_NetworkInterface' $null @('Name', 'BytesReceivedPersec',
    'BytesSentPersec', 'CurrentBandwidth')
  memory = Get-Raw 'Win32_PerfRawData_PerfOS_Memory' $null @('AvailableBytes')
  system = Get-Raw 'Win32_ComputerSystem' $null @('TotalPhysicalMemory')
  utc_seconds = ([DateTime]::UtcNow - (New-Object DateTime 1970,1,1)).TotalSeconds
}
ConvertTo-Json $answer -Compress -Depth 3
"""


def winrm_source(
    access: WinRmAccess, password: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> PolledSource:
    """Reads processors, disks, interfaces and memory, at most once in 2 s."""
    return PolledSource(
        name="WinRM",
        interval_seconds=max(interval_seconds, _LEAST_INTERVAL_SECONDS),
        open_reader=lambda _: _Host(access, password, machine),
    )


class _Host:
    """One host, and the PowerShell that is kept open there."""

    def __init__(self, access: WinRmAccess, password: Secret | None, machine: str) -> None:
        self._access = access
        self._password = password
        self._what = f"{machine}: Windows at {access.place}"
        self._machine = machine
        self._pool: Any = None
        self._busy_times = BusyTimes()
        self._before: HostCounters | None = None

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def read(self) -> SourceReading:
        if self._pool is None:
            self._pool = self._opened()
        sent = utc_now()
        text = self._run()
        answered = utc_now()
        try:
            answer = json.loads(text)
            there = float(answer["utc_seconds"])
            counters = counters_of(answer, self._busy_times)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise UserError(f"{self._what} answers something else than its counters; try PowerShell there.") from error
        before, self._before = self._before, counters
        return SourceReading(
            values=() if before is None else values_between(before, counters),
            here_utc_seconds=sent,
            source_utc_seconds=there,
            exchange=ClockExchange(
                sent_utc_seconds=sent,
                source_utc_seconds=there,
                answered_utc_seconds=answered,
                resolution_seconds=_CLOCK_STEP_SECONDS,
            ),
        )

    def _opened(self) -> Any:
        try:
            from pypsrp.powershell import RunspacePool
            from pypsrp.wsman import WSMan
        except ImportError as error:
            raise UserError(
                f"{self._machine}: WinRM needs the Python package pypsrp; install it into Spindle's environment"
                " (pip install pypsrp), or read this machine over SSH."
            ) from error
        if self._password is None:
            raise UserError(f"{self._what} needs the password of {self._access.user}; set it for this machine.")
        try:
            wsman = WSMan(
                self._access.host,
                ssl=True,
                username=self._access.user,
                password=self._password.reveal(),
                connection_timeout=_ANSWER_SECONDS,
                read_timeout=2 * _ANSWER_SECONDS,
                operation_timeout=_ANSWER_SECONDS,
            )
            pool = RunspacePool(wsman)
            pool.open()
        except Exception as error:  # pypsrp's own, and those of its HTTP and authentication libraries
            raise self._failure(error) from error
        return pool

    def _run(self) -> str:
        from pypsrp.powershell import PowerShell

        try:
            shell = PowerShell(self._pool)
            shell.add_script(SCRIPT)
            output = shell.invoke()
        except Exception as error:
            raise self._failure(error) from error
        return "".join(map(str, output))

    def _failure(self, error: Exception) -> UserError:
        return UserError(
            f"{self._what} can't be read ({type(error).__name__}: {error}); check that it allows PowerShell remoting"
            " over HTTPS (port 5986), its certificate, the user and the password."
        )


def counters_of(answer: _Row, busy_times: BusyTimes) -> HostCounters:
    """The counters of an answer of the script. The processors' raw time is that in which they were idle."""
    (cpu,), (memory,), (system,) = answer["cpu"], answer["memory"], answer["system"]
    at_seconds = float(cpu["Timestamp_Sys100NS"]) / _TICKS
    return HostCounters(
        at_seconds=at_seconds,
        cpu=CpuTimes(at_seconds, float(cpu["PercentProcessorTime"]) / _TICKS),
        disks=dict(_disks(answer["disks"], busy_times)),
        interfaces={
            row["Name"]: InterfaceCounts(
                float(row["BytesReceivedPersec"]), float(row["BytesSentPersec"]), float(row["CurrentBandwidth"]) / 1e6
            )
            for row in answer["interfaces"]
        },
        memory=MemoryState(float(system["TotalPhysicalMemory"]), float(memory["AvailableBytes"])),
    )


def _disks(rows: list[_Row], busy_times: BusyTimes) -> Iterator[tuple[str, DiskCounts]]:
    for row in rows:
        name, frequency = row["Name"], float(row["Frequency_PerfTime"])
        at_seconds, idle = float(row["Timestamp_Sys100NS"]) / _TICKS, float(row["PercentIdleTime"]) / _TICKS
        yield (
            name,
            DiskCounts(
                reads=float(row["DiskReadsPersec"]),
                writes=float(row["DiskWritesPersec"]),
                read_bytes=float(row["DiskReadBytesPersec"]),
                write_bytes=float(row["DiskWriteBytesPersec"]),
                read_ms=1000 * float(row["AvgDisksecPerRead"]) / frequency,
                write_ms=1000 * float(row["AvgDisksecPerWrite"]) / frequency,
                busy_ms=1000 * busy_times.busy_seconds(name, idle, at_seconds),
                queued_ms=1000 * float(row["AvgDiskQueueLength"]) / _TICKS,
            ),
        )
