"""A Windows host by its own typeperf over SSH, once a second.

typeperf takes counters by their names in the system's language, so a script there translates the English ones by the
numbers that both have in the registry (``Perflib``), writes the translations, and starts typeperf. Its stamps are local
times without a zone, which the script writes as well. The script is given encoded: so it is the same whether the SSH
server's shell is cmd or PowerShell.
"""

import re
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta, timezone

from engine.analysis.host.performance_monitor import PATH, Column
from engine.collect.program import StreamedProgram
from engine.collect.source import SourceReading
from engine.collect.sources.counter_rows import columns_read, first_line, readings_of
from engine.collect.sources.remote_clock import RemoteClock
from engine.collect.ssh_program import ssh_program
from engine.errors import BadInput, UserError
from engine.machines.access import SshAccess
from engine.machines.powershell import powershell

_COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Processor Information": ("_Total", ("% Processor Time",)),
    "PhysicalDisk": (
        "*",
        (
            "Disk Reads/sec",
            "Disk Writes/sec",
            "Disk Transfers/sec",
            "% Idle Time",
            "Avg. Disk sec/Read",
            "Avg. Disk sec/Write",
            "Disk Read Bytes/sec",
            "Disk Write Bytes/sec",
            "Avg. Disk Queue Length",
        ),
    ),
    "Network Interface": ("*", ("Bytes Received/sec", "Bytes Sent/sec", "Current Bandwidth")),
    "Memory": ("", ("Available MBytes",)),
}
"""The counters that are read: the instances of each object, and its counters."""

_SCRIPT = r"""
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
$key = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\'
$english = (Get-ItemProperty ($key + '009')).Counter
$local = (Get-ItemProperty ($key + 'CurrentLanguage')).Counter
$byNumber = @{}
for ($i = 0; $i + 1 -lt $local.Count; $i += 2) { $byNumber[$local[$i]] = $local[$i + 1] }
$byName = @{}
for ($i = 0; $i + 1 -lt $english.Count; $i += 2) {
  if (!$byName[$english[$i + 1]]) { $byName[$english[$i + 1]] = $byNumber[$english[$i]] }
}
'zone=' + [int][TimeZoneInfo]::Local.GetUtcOffset([DateTime]::UtcNow).TotalMinutes
$paths = @()
foreach ($wanted in $WANTED) {
  $object, $instances, $counter = $wanted.Split('|')
  $o = $byName[$object]; $c = $byName[$counter]
  if ($o -and $c) { "name=$object|$o"; "name=$counter|$c"; $paths += "\$o$instances\$c" }
}
'end='
& typeperf -si $INTERVAL $paths
"""
_CLOCK_SCRIPT = """
$zero = New-Object DateTime 1970,1,1
while ($null -ne [Console]::In.ReadLine()) {
  ([DateTime]::UtcNow - $zero).TotalSeconds.ToString('F4', [Globalization.CultureInfo]::InvariantCulture)
}
"""
# Windows' clock is read in steps of up to 1/64 s.
_CLOCK_STEP_SECONDS = 0.016
_NOTES_SECONDS = 60.0
_MINUTES = re.compile(r"-?\d{1,4}")
_TOTAL = "_total"


class WindowsSshSource:
    """Reads processors, disks, interfaces and the free memory."""

    name = "typeperf over SSH"
    is_average = False

    def __init__(self, access: SshAccess, *, machine: str, interval_seconds: float = 1.0) -> None:
        self.interval_seconds = float(max(1, round(interval_seconds)))
        self._access = access
        self._machine = machine

    def readings(self, stop: threading.Event) -> Generator[SourceReading, None, None]:
        access, machine = self._access, self._machine
        clock = RemoteClock(access, powershell(_CLOCK_SCRIPT), machine=machine, resolution_seconds=_CLOCK_STEP_SECONDS)
        command = powershell(typeperf_script(self.interval_seconds))
        with closing(clock), closing(ssh_program(access, command, machine=machine)) as program:
            notes = _read_notes(program, stop)
            header = first_line(program, stop, machine)
            if header is None:
                return
            yield from readings_of(
                program,
                _columns(notes.in_english(header), machine),
                clock,
                stop,
                machine=machine,
                width=len(header),
                zone=timezone(timedelta(minutes=notes.zone_minutes)),
                interval_seconds=self.interval_seconds,
            )


def typeperf_script(interval_seconds: float) -> str:
    """The script that translates the counters and starts typeperf."""
    wanted = ", ".join(
        f"'{object_name}|{f'({instances})' if instances else ''}|{counter}'"
        for object_name, (instances, counters) in _COUNTERS.items()
        for counter in counters
    )
    return _SCRIPT.replace("$WANTED", f"@({wanted})").replace("$INTERVAL", f"{interval_seconds:.0f}")


@dataclass(kw_only=True)
class _Notes:
    """What the script writes before typeperf's rows: the zone, and the English name of each name there."""

    zone_minutes: int = 0
    english: dict[str, str] = field(default_factory=dict)

    def in_english(self, header: Sequence[str]) -> list[str]:
        return [self._translated(path) for path in header]

    def _translated(self, path: str) -> str:
        found = PATH.fullmatch(path)
        if found is None:
            return path
        object_name, counter = self._name(found["object"]), self._name(found["counter"])
        instance = f"({found['instance']})" if found["instance"] is not None else ""
        return rf"\\{found['host'] or ''}\{object_name}{instance}\{counter}"

    def _name(self, local: str) -> str:
        """The English name; what typeperf writes in another code page is known by its ASCII letters."""
        exact = self.english.get(local)
        if exact is not None:
            return exact
        alike = {english for known, english in self.english.items() if _ascii(known) == _ascii(local)}
        return alike.pop() if len(alike) == 1 else local


def _read_notes(program: StreamedProgram, stop: threading.Event) -> _Notes:
    """What the script writes before it starts typeperf."""
    notes = _Notes()
    while (line := program.line(stop, _NOTES_SECONDS)) is not None and line.text != "end=":
        key, _, value = line.text.partition("=")
        if key == "zone" and _MINUTES.fullmatch(value):
            notes.zone_minutes = int(value)
        elif key == "name":
            english, _, local = value.partition("|")
            notes.english[local] = english
    return notes


def _columns(header: Sequence[str], machine: str) -> list[Column]:
    """The columns but the sums over all disks and interfaces, which are not theirs."""
    try:
        columns = columns_read(header)
    except BadInput as error:
        raise UserError(f"{machine}: typeperf knows none of the counters; try it there by hand.") from error
    return [column for column in columns if column.counter.device.lower() != _TOTAL]


def _ascii(name: str) -> str:
    return "".join(each for each in name if each.isascii())
