"""Whether load machines can drive clients of a run: their answers compared with the same facts of this machine.

Each reason against a machine is one sentence with the machine, the value and the remedy.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.cluster.connection import MOST_OFFSET_ERROR_SECONDS, MachineAnswers
from engine.figure_text import decimal, listed
from engine.target.host import Host
from engine.target.kinds import kind_facts

_MOST_OFFSET_ERROR_MS = 1000 * MOST_OFFSET_ERROR_SECONDS
_LEAST_FREE_SHARE = 0.5
_INSTALL = "install the same on both"


@dataclass(frozen=True, kw_only=True)
class Findings:
    """About one machine: the reasons why it can't drive clients, and remarks that do not prevent that."""

    refusals: Sequence[str] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a run needs of its load machines: drivers for these kinds of targets, these hosts, and processors that are
    free, unless it ``takes_busy`` ones."""

    kinds: Sequence[str] = ()
    hosts: Sequence[Host] = field(default_factory=tuple)
    takes_busy: bool = False

    @property
    def places(self) -> list[tuple[str, int]]:
        """Where connections are tried; a named instance of SQL Server without a port has no known one."""
        return list(dict.fromkeys((each.name, each.port) for each in self.hosts if each.port and not _is_file(each)))


def judge_machine(name: str, answers: MachineAnswers, own: Mapping[str, Any], needs: Needs) -> Findings:
    """``own`` are the facts of this machine (``questions.local_facts``)."""
    who = f"load machine '{name}'"
    if answers.problem:
        return Findings(refusals=[f"{who} can't be used: {answers.problem}; start it first."])
    refusals = [
        *_versions(who, answers.facts, own),
        *_drivers(who, answers.facts, own, needs.kinds),
        *_compiled(who, answers.facts, own),
        *_unreached(who, answers, own, needs),
        *_clock(who, answers),
    ]
    if runs := answers.facts["runs"]:
        refusals.append(f"{who} drives run {listed(runs)}; wait for its end, or stop it.")
    busy = [*_busy(who, answers.facts)]
    if needs.takes_busy:
        return Findings(refusals=refusals, warnings=[f"{each}." for each in busy])
    remedy = ", or start the cluster so that it takes busy machines."
    return Findings(refusals=[*refusals, *(each + remedy for each in busy)])


def reached_text(answers: MachineAnswers) -> str:
    """The round trips to the hosts, in one line; empty where none was tried."""
    return ", ".join(
        f"{_place(place)} {decimal(each['round_trip_ms'], 1)} ms"
        for place, each in answers.reached.items()
        if "round_trip_ms" in each
    )


def _versions(who: str, facts: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    for key, title in (("spindle", "Spindle"), ("distributed", "the package distributed"), ("python", "Python")):
        there, here = facts[key], own[key]
        if key == "python":
            there, here = _minor(there), _minor(here)
        if there != here:
            yield f"{who} has {title} {facts[key]}, and this machine has {own[key]}; {_INSTALL}."
    if facts["spindle"] == own["spindle"] and facts["code"] != own["code"]:
        yield (
            f"{who} has other sources of Spindle {own['spindle']} ({facts['code']}) than this machine ({own['code']});"
            f" {_INSTALL}."
        )


def _drivers(who: str, facts: Mapping[str, Any], own: Mapping[str, Any], kinds: Iterable[str]) -> Iterator[str]:
    for kind in dict.fromkeys(kinds):
        if kind in own["odbc_drivers"]:
            there, here = (", ".join(each["odbc_drivers"][kind]) or "none" for each in (facts, own))
            what = f"ODBC driver for {kind_facts(kind).product}"
        else:
            there, here, what = facts["psycopg"], own["psycopg"], "psycopg"
        if there != here:
            yield f"the {what} of {who} is {there}, and {here} on this machine; {_INSTALL}."


def _compiled(who: str, facts: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
    missing = [each.rpartition(".")[2] for each in own["compiled"] if each not in facts["compiled"]]
    if missing:
        yield f"{who} lacks the compiled {listed(missing)}; install a C compiler there, and set Spindle up again."
    if set(facts["compiled"]) - set(own["compiled"]):
        yield f"{who} has compiled modules that this machine lacks; install a C compiler here, and set up again."


def _unreached(who: str, answers: MachineAnswers, own: Mapping[str, Any], needs: Needs) -> Iterator[str]:
    shares_loopback = answers.facts["loopback"] == own["loopback"]
    local = [each for each in needs.hosts if _is_local(each)] if not shares_loopback else []
    for host in dict.fromkeys(local):
        yield f"{who} can't reach {host}, which is of this machine alone; give the target an address of the network."
    here = {(each.name, each.port) for each in local}
    for place, answer in answers.reached.items():
        if "problem" in answer and place not in here:
            yield (
                f"{who} can't reach {_place(place)} ({answer['problem']}); is the name known there, and does every"
                " firewall let it through?"
            )


def _clock(who: str, answers: MachineAnswers) -> Iterator[str]:
    error_ms = 1000 * answers.offset.error_seconds if answers.offset is not None else None
    if error_ms is None or error_ms >= _MOST_OFFSET_ERROR_MS:
        known = "not known" if error_ms is None else f"known within {decimal(error_ms, 1)} ms"
        yield (
            f"the clock of {who} is {known}, and {_MOST_OFFSET_ERROR_MS:g} ms are needed; use a network with shorter"
            " round trips, or a less busy machine."
        )


def _busy(who: str, facts: Mapping[str, Any]) -> Iterator[str]:
    free, processors = facts["free_processors"], facts["processors"]
    if free < _LEAST_FREE_SHARE * processors:
        yield (
            f"{who} has {decimal(free, 1)} of {processors} processors free, and half of them are needed; end what runs"
            " there"
        )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _is_file(host: Host) -> bool:
    """Whether it is a socket in the file system."""
    return host.name.startswith("/")


def _is_local(host: Host) -> bool:
    return _is_file(host) or host.name == "localhost" or host.name.startswith("127.") or host.name == "::1"


def _place(place: tuple[str, int]) -> str:
    return str(Host(*place))
