"""Reads files of hosts and meters as series; the kind of a file is detected from its content.

Called by the library's import, the terminal and the window, which pass the file's bytes or text.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from engine.analysis.host.meter_file import read_meter
from engine.analysis.host.performance_monitor import is_esxtop, is_performance_monitor, read_performance_monitor
from engine.analysis.host.samples import Samples, found_series
from engine.analysis.host.series import HostSeries
from engine.analysis.host.sysstat_files import is_iostat, is_sadf, is_sysstat_text, read_iostat, read_sadf, read_sar
from engine.analysis.host.times import check_zone
from engine.errors import BadInput


class HostFileKind(StrEnum):
    """The program that wrote a file; the value is the text on the screen."""

    PERFORMANCE_MONITOR = "performance monitor"
    ESXTOP = "esxtop"
    SADF = "sadf"
    SAR = "sar"
    IOSTAT = "iostat"
    METER = "power meter"


@dataclass(frozen=True, kw_only=True)
class HostFile:
    """The result: the series, and a sentence with a line number for each problem that cost a line or a value.

    ``has_zone`` is ``False`` when the times were interpreted in the caller's zone.
    """

    kind: HostFileKind
    series: tuple[HostSeries, ...]
    notes: tuple[str, ...]
    has_zone: bool


def read_host_file(text: str, *, source: str = "", zone: tzinfo = UTC, near: datetime | None = None) -> HostFile:
    """Read a file of any known kind.

    ``source`` is the name of its host or meter; empty means the name in the file. ``zone`` applies to times that have
    none. ``near`` (with a zone), such as the run's start, resolves ambiguous dates like 04/05. Raises ``BadInput``, in
    one sentence, for a file without usable values.
    """
    check_zone(near)
    if not text.strip("\ufeff\r\n\t "):
        raise BadInput("the file is empty; export it again.")
    kind, samples = kind_of(text), Samples()
    if kind in (HostFileKind.PERFORMANCE_MONITOR, HostFileKind.ESXTOP):
        has_zone = read_performance_monitor(text, samples, source=source, zone=zone)
    else:
        has_zone = _READERS[kind](text, samples, source=source, zone=zone, near=near)
    return HostFile(kind=kind, series=found_series(samples, kind.value), notes=samples.notes(), has_zone=has_zone)


def kind_of(text: str) -> HostFileKind:
    """The kind of a file by its first lines; by default a meter's."""
    if is_performance_monitor(text):
        return HostFileKind.ESXTOP if is_esxtop(text) else HostFileKind.PERFORMANCE_MONITOR
    if is_sadf(text):
        return HostFileKind.SADF
    if is_sysstat_text(text):
        return HostFileKind.IOSTAT if is_iostat(text) else HostFileKind.SAR
    return HostFileKind.METER


_READERS = {
    HostFileKind.SADF: read_sadf,
    HostFileKind.SAR: read_sar,
    HostFileKind.IOSTAT: read_iostat,
    HostFileKind.METER: read_meter,
}


def text_of(content: bytes) -> str:
    """A file's bytes as text: UTF-8, UTF-16 with a byte order mark (as PowerShell writes), else Windows-1252.

    Raises ``BadInput`` for a binary file, such as the performance monitor's ``.blg``.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded(content, "utf-16")
    if b"\0" in content[:4096]:
        raise BadInput("the file is not text; convert a .blg with relog FILE.blg -f csv -o FILE.csv.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _decoded(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise BadInput("the file's text is cut short or damaged; copy it again.") from None
