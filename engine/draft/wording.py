"""A plan in words: as sentences, as what it will touch, and as titled values.

Called by the wizard's summary and review, and by whoever shows a stored plan.
"""

from collections.abc import Iterable
from typing import Any

from engine.analysis.little import connections, highest_rate
from engine.faults.fault_text import fault_text
from engine.faults.injections import FaultKind
from engine.faults.planned import PlannedFault
from engine.faults.sentences import fault_sentence
from engine.figure_text import capitalised, counted, planned_length, whole
from engine.machines.storage_probes import PROBE_LOADS
from engine.parameters.parameter import Choice, Minutes
from engine.parameters.typed_text import time_text, write_number
from engine.plan.load.staircase import Staircase
from engine.plan.pace import paces_nobody
from engine.plan.parameters import COMMON
from engine.plan.plain import LEFT_OUT_WHEN_EMPTY
from engine.plan.plan import RunPlan
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, STORAGE, Host, Target
from engine.workload.pacing import ARRIVALS
from engine.workload.registry import find_workload

_MOST_NAMED = 6
_DEFAULTS = RunPlan()


def plan_sentences(plan: RunPlan) -> list[str]:
    """What is to be run, one sentence for each thing that somebody decides."""
    first = plan.loads[0]
    sentences = [_who_against_what(first), _pace(first), *_load(first), _phases(plan)]
    sentences += _workload(first)
    for title, load in zip(plan.titles[1:], plan.loads[1:], strict=True):
        of_load = " ".join([_who_against_what(load), _pace(load), *_load(load), *_workload(load)])
        sentences.append(f"At the same time {title}: {of_load}")
    marks = [fault for fault in plan.faults if fault.kind is FaultKind.MARK]
    if marks:
        sentences.append(_marks(marks))
    sentences += [fault_sentence(fault) for fault in plan.faults if fault.kind is not FaultKind.MARK]
    with_users = [load for load in plan.loads if find_workload(load.workload).user is not None]
    if with_users:
        sentences.append(f"About {whole(int(sum(map(connections, with_users))))} connections.")
    highest = None if plan.is_mixed else highest_rate(plan)
    if highest is not None:
        headline = find_workload(plan.workload).headline.label
        sentences.append(f"At most {whole(int(round(highest, 6)))} {headline} by think time alone.")
    if plan.load_machines:
        sentences.append(_placement(plan))
    if plan.machines:
        sentences.append(f"Measured during the run: {_listed(plan.machines)}.")
    if plan.server_waits:
        sentences.append("The database servers are asked once a second what their sessions wait for.")
    sentences += [
        f"Before and after the run, the volume of {each.folder} on {each.machine or 'this machine'} is driven alone for"
        f" 12 s: {PROBE_LOADS[each.load]}."
        for each in plan.storage_probes
    ]
    return sentences


def titled_values(plan: RunPlan) -> dict[str, Any]:
    """The plan's values under the titles of the wizard's fields, with their units; without those that pace no users."""
    targets = [f"{each.label}: {each.url}" if each.label else each.url for each in plan.targets]
    titled: dict[str, Any] = {"Targets": _numbered(targets), "Workload": find_workload(plan.workload).title}
    for key, each in plan.described().items():
        value = plan.value(key)
        if (key in LEFT_OUT_WHEN_EMPTY and not value) or paces_nobody(plan, key):
            continue
        is_text = isinstance(each.type, Minutes | Choice)
        titled[each.titled] = each.shown(value) if is_text else each.plain(value)
    titled["Faults"] = _numbered(map(fault_text, plan.faults))
    return {title: value for title, value in titled.items() if value not in (None, "", {}, [])}


def _numbered(texts: Iterable[str]) -> dict[str, str]:
    return {str(number): text for number, text in enumerate(texts, start=1)}


def closed_loop_sentence(plan: RunPlan) -> str:
    """How the users place their orders, and what that means for response times."""
    workload = find_workload(plan.workload)
    unit = workload.wording.unit
    if workload.user is None:
        return (
            f"{capitalised(workload.in_words(plan.parameters))}: a stall shows as one slow {unit} for each that was"
            " outstanding, whatever it delayed."
        )
    if plan.is_open_loop:
        return f"{_open_loop(plan)}: a response time begins when its {unit} was due, whoever delayed it."
    pause = _pause(plan)
    if not pause:
        return f"Closed-loop users without think time: a stall shows as one slow {unit} per user, whatever it delayed."
    return (
        f"Closed-loop users, {pause}: service times show a stall once per user, times as intended every delayed {unit}."
    )


def short_closed_loop_sentence(plan: RunPlan) -> str:
    """The same without what it means, for where there is little room."""
    workload = find_workload(plan.workload)
    if workload.user is None:
        return f"{capitalised(workload.in_words(plan.parameters))}."
    if plan.is_open_loop:
        return f"{_open_loop(plan)}."
    pause = _pause(plan)
    return f"Closed-loop users, {pause}." if pause else "Closed-loop users without think time."


def reach_sentence(plan: RunPlan, opens: str = "Connections") -> str:
    """How many connections the load ``opens``, and how many transactions its pauses allow, in a line."""
    workload = find_workload(plan.workload)
    if workload.user is None:
        return short_closed_loop_sentence(plan)
    opened = f"{opens}: {whole(connections(plan))}"
    if plan.is_open_loop or plan.profile is not None:
        return f"{opened} · {short_closed_loop_sentence(plan)}"
    highest = highest_rate(plan)
    bound = f"{whole(highest)}, by Little's law" if highest is not None else "no limit without think time"
    return f"{opened} · highest {workload.headline.label} by think time: {bound}"


def touched_sentences(plan: RunPlan) -> list[str]:
    """What the run changes, and where."""
    if plan.is_mixed:
        return list(dict.fromkeys(sentence for load in plan.loads for sentence in touched_sentences(load)))
    stores = plan.stores()
    workload = find_workload(plan.workload)
    writes, wording = workload.writes(plan.parameters), workload.wording
    into, places = counted(len(stores), *wording.stores), _stores_by_place(stores)
    sentences = [
        f"{capitalised(wording.written)} are written into {into}: {places}."
        if writes
        else f"Nothing is written into {into}: {places}."
    ]
    if any(store.kind == EMBEDDED for store in stores):
        store = workload.store_of(str(plan.scale)) if plan.scale else "store"
        sentences.append(f"A {store} is built first if the embedded server does not have it yet.")
    if any(kind_facts(store.kind).removes_made for store in stores):
        sentences.append("A file that is missing is written in full first, and removed at the end of the run.")
    if plan.reset:
        sentences.append(f"Before the run, {wording.undone}.")
    elif writes:
        sentences.append(f"The {wording.stores[1]} are used as they are; {wording.kept}.")
    return sentences


def _who_against_what(plan: RunPlan) -> str:
    clients, stores = len(plan.client_plans()), plan.stores()
    workload = find_workload(plan.workload)
    who = f"{counted(clients, 'client')} × {counted(plan.threads, *workload.wording.who)}"
    scale = workload.scale
    size = scale.in_words(plan.scale) if plan.scale else scale.default_help
    of = f" of {size}" if size else ""
    return f"{who} against {counted(len(stores), *workload.wording.stores)}{of} on {_places(stores)}."


def _places(stores: tuple[Target, ...]) -> str:
    """The servers, each once: ``host r630-a``, ``hosts db1, db2 and db3``, ``the embedded server``."""
    places = list(dict.fromkeys(_where(store) for store in stores))
    return _listed(places)


def _stores_by_place(stores: tuple[Target, ...]) -> str:
    """``ds2_1 and ds2_2 on host db1; ds2 on the embedded server``; of many at one place, the first and the last."""
    names: dict[str, list[str]] = {}
    for store in stores:
        names.setdefault(_where(store), []).append(store.database)
    return "; ".join(
        f"{_listed(found) if len(found) <= _MOST_NAMED else f'{found[0]} … {found[-1]}'} on {place}"
        for place, found in names.items()
    )


def _where(store: Target) -> str:
    if store.kind == EMBEDDED and store.nodes > 1:
        servers = "pair" if store.nodes == 2 else f"group of {store.nodes}"
        return f"the embedded {servers} ({'synchronous' if store.sync else 'asynchronous'}, failover {store.failover})"
    if store.kind == EMBEDDED:
        return "the embedded server"
    if store.kind == STORAGE:
        return f"machine {store.storage.machine}" if store.storage.machine else "this machine"
    return f"host {' or '.join(_named(host) for host in store.hosts)}"


def _named(host: Host) -> str:
    """``db1``, and of a named instance ``db1\\prod``."""
    return f"{host.name}\\{host.instance}" if host.instance else host.name


def _pace(plan: RunPlan) -> str:
    if find_workload(plan.workload).user is None:
        return "Each keeps its queue full from the beginning."
    pause = f"Open loop, {_arrivals(plan)}" if plan.is_open_loop else capitalised(_pause(plan)) or "No think time"
    return f"{pause}; {write_number(plan.ramp_rate)} users per second connect, for each client."


def _pause(plan: RunPlan) -> str:
    """How long a user pauses between transactions; empty for not at all."""
    workload = find_workload(plan.workload)
    if workload.user is None:
        return ""
    if not workload.uses_think_time(plan.parameters):
        seconds = workload.mean_think_seconds(plan.parameters, plan.think_time_ms)
        return f"keying and think times as specified ({seconds:.1f} s on average)"
    return f"{write_number(plan.think_time_ms)} ms think time" if plan.think_time_ms else ""


def _arrivals(plan: RunPlan) -> str:
    return f"{ARRIVALS[plan.arrivals]} arrivals"


def _open_loop(plan: RunPlan) -> str:
    rate = "" if plan.rate is None else f" of {write_number(plan.rate)} {find_workload(plan.workload).headline.label}"
    return f"Open loop{rate}, {_arrivals(plan)}"


def _load(plan: RunPlan) -> list[str]:
    """The rate of an open loop, and the stages."""
    headline = find_workload(plan.workload).headline.label
    sentences = []
    if plan.rate is not None:
        sentences.append(f"{write_number(plan.rate)} {headline} are due, whether or not answers come.")
    if plan.staircase is not None and plan.profile is not None:
        sentences.append(f"Staircase: {plan.profile.in_words()}, {_ends(plan.staircase)}.")
    elif plan.stages is not None:
        sentences.append(f"Stages: {COMMON['stages'].write(plan.stages)}.")
    return sentences


def _ends(staircase: Staircase) -> str:
    """When a staircase ends before its last step."""
    limits = [f"p95 > {write_number(staircase.p95_limit_ms)} ms"] if staircase.p95_limit_ms else []
    if staircase.least_growth_pct:
        limits.append(f"the throughput grows by less than {write_number(staircase.least_growth_pct)} %")
    ends = [*limits, "this workstation is the limit"]
    return f"each {planned_length(staircase.seconds)}, until {' or '.join(ends)}"


def _phases(plan: RunPlan) -> str:
    warmup = f"{planned_length(plan.warmup_seconds)} warm-up" if plan.warmup_seconds else "No warm-up"
    measured = (
        f"{planned_length(plan.measured_seconds)} measured" if plan.measured_seconds else "measured until stopped"
    )
    return f"{warmup}, {measured}."


def _workload(plan: RunPlan) -> list[str]:
    """Of another workload than the usual one its name, and of any load that is not the usual one what it is."""
    workload = find_workload(plan.workload)
    is_usual = all(plan.parameters[each.key] == each.default for each in workload.load)
    if plan.workload == _DEFAULTS.workload and is_usual:
        return []
    return [workload.in_a_sentence(plan.parameters)]


def _placement(plan: RunPlan) -> str:
    """Who drives the clients: ``Load machine load1 drives 4 clients, load2 4 and this workstation 2.``"""
    placed = [(each.name, each.clients) for each in plan.load_machines]
    left = len(plan.client_plans()) - sum(each.clients for each in plan.load_machines)
    (name, clients), *others = [*placed, *([("this workstation", left)] if left else [])]
    first = f"Load machine {name} drives {counted(clients, 'client')}"
    return f"{_listed([first, *(f'{other} {number}' for other, number in others)])}."


def _marks(faults: list[PlannedFault]) -> str:
    marks = _listed(f"“{fault.label}” at {time_text(fault.at_seconds)}" for fault in faults)
    return f"{counted(len(faults), 'planned mark')}: {marks} of measuring."


def _listed(entries: Iterable[str]) -> str:
    *others, last = entries
    return f"{', '.join(others)} and {last}" if others else last
