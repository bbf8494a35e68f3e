"""The findings about a run's hosts as sentences, for the terminal, documents, result files and the page of a run."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from engine.analysis.host.findings import FindingCode, HostFinding, host_findings
from engine.analysis.host.measurement import HostMeasurement
from engine.figure_text import capitalised, counted, duration, listed, percent, plain_spaces, significant, with_unit
from engine.record.clock import RunClock
from engine.record.record import RunRecord
from engine.telemetry.event import RunEvent
from engine.telemetry.host_figure import HostFigure

# Of an array of disks each may be busy: so many are told in full, the others by their names.
_MOST_OF_A_CODE = 3
_WAYS = {
    HostFigure.NETWORK_RECEIVED: "received",
    HostFigure.NETWORK_SENT: "sent",
    HostFigure.SWAPPED_IN: "in from",
    HostFigure.SWAPPED_OUT: "out to",
}


def finding_sentences(
    record: RunRecord, events: Iterable[RunEvent], measurements: Iterable[HostMeasurement]
) -> list[str]:
    """A sentence for each finding about the hosts of a run, a few of each kind in full; empty without any."""
    findings, clock = host_findings(record, events, measurements), RunClock.of(record.phases)
    return [sentence for _, same in groupby(findings, attrgetter("code")) for sentence in _told(list(same), clock)]


def findings_json(
    record: RunRecord, events: Iterable[RunEvent], measurements: Iterable[HostMeasurement]
) -> list[dict[str, Any]]:
    """The findings as plain values, each with its sentence."""
    clock = RunClock.of(record.phases)
    return [
        {
            **finding.to_dict(),
            "since_measuring_seconds": clock.since_measuring_seconds(finding.at_seconds),
            "text": plain_spaces(finding_sentence(finding, clock)),
        }
        for finding in host_findings(record, events, measurements)
    ]


def finding_sentence(finding: HostFinding, clock: RunClock) -> str:
    """One finding as a sentence, with its moments on the run's clock."""
    return capitalised(_SENTENCES[finding.code](finding, clock)) + "."


def _told(findings: Sequence[HostFinding], clock: RunClock) -> Iterator[str]:
    yield from (finding_sentence(finding, clock) for finding in findings[:_MOST_OF_A_CODE])
    if others := findings[_MOST_OF_A_CODE:]:
        names = list(dict.fromkeys(_name(each) for each in others))
        yield f"So it was of {counted(len(names), 'other')}: {listed(names)}."


def _name(finding: HostFinding) -> str:
    return f"{finding.device} of {finding.machine}" if finding.device else finding.machine


def _cpu(finding: HostFinding, clock: RunClock) -> str:
    what = f"processor {_name(finding)}" if finding.device else f"the CPU of {finding.machine}"
    return f"{what} was {percent(finding.mean, 0)} busy {_when(finding, clock)}"


def _disk(finding: HostFinding, clock: RunClock) -> str:
    what = f"the disk {_name(finding)} was" if finding.device else f"the disks of {finding.machine} were"
    return (
        f"{what} busy for {percent(finding.mean, 0)} of the time {_when(finding, clock)}: a disk that serves one"
        " request at a time is at its limit then, an SSD or an array need not be"
    )


def _stolen(finding: HostFinding, clock: RunClock) -> str:
    share = percent(finding.mean, 0)
    return f"the hypervisor kept {share} of the processor time from {finding.machine} {_when(finding, clock)}"


def _short(finding: HostFinding, clock: RunClock) -> str:
    share = percent(finding.mean, 0)
    return f"on {finding.machine}, programs waited for memory in {share} of the time {_when(finding, clock)}"


def _swapping(finding: HostFinding, clock: RunClock) -> str:
    rate = with_unit(significant(finding.mean), finding.unit)
    way = _WAYS[finding.figure]
    return f"on {finding.machine}, memory was swapped {way} the disk at {rate} {_when(finding, clock)}"


def _network(finding: HostFinding, clock: RunClock) -> str:
    return (
        f"the network interface {_name(finding)} {_WAYS[finding.figure]} {percent(finding.mean, 0)} of what its link"
        f" carries {_when(finding, clock)}"
    )


def _lagged(finding: HostFinding, clock: RunClock) -> str:
    most = duration(finding.highest)
    return f"{_replication(finding)} lagged by {duration(finding.mean)}, at most {most}, {_when(finding, clock)}"


def _behind(finding: HostFinding, clock: RunClock) -> str:
    lag, at = duration(finding.mean), clock.second(finding.at_seconds)
    return f"{_replication(finding)} lagged by {lag} at the fault at {at}"


def _replication(finding: HostFinding) -> str:
    machine, standby = finding.machine, finding.device
    return f"replication from {machine} to {standby}" if standby else f"replication to {machine}"


def _when(finding: HostFinding, clock: RunClock) -> str:
    if finding.is_throughout:
        return "throughout measuring"
    begin, end = clock.second(finding.at_seconds), clock.second(finding.until_seconds)
    longest = f"from {begin} on" if finding.until_seconds is None else f"from {begin} to {end}"
    if finding.times == 1:
        return longest
    return f"{finding.times} times, for {duration(finding.in_seconds)} together and the longest time {longest}"


_SENTENCES = {
    FindingCode.CPU_BUSY: _cpu,
    FindingCode.CPU_STOLEN: _stolen,
    FindingCode.DISK_BUSY: _disk,
    FindingCode.MEMORY_SHORT: _short,
    FindingCode.SWAPPING: _swapping,
    FindingCode.NETWORK_FULL: _network,
    FindingCode.REPLICATION_LAGGED: _lagged,
    FindingCode.REPLICATION_BEHIND_AT_FAULT: _behind,
}
