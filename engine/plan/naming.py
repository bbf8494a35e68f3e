"""The name of a run that nobody has named, made from its plan: what it drives, with how many users, and its faults.

Called by the conductor and by the wizard, which proposes the same name before the run.
"""

from dataclasses import replace

from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION
from engine.target.host import Host
from engine.target.target import EMBEDDED, Target
from engine.workload.registry import DVD_STORE, find_workload


def name_of(plan: RunPlan) -> str:
    """The name that was given to the plan, or else the proposed one."""
    return plan.name or proposed_name(plan)


def proposed_name(plan: RunPlan) -> str:
    """Such as ``db1.lab, 4 × 32 users, 20 ms, Kill primary``, after the name of another workload than DVD Store; of a
    mixed run ``db1.lab, DVD Store 1 × 8 users + Wholesale 1 × 4 users``.

    The demonstration is called so.
    """
    if is_demonstration(plan):
        return DEMONSTRATION.name
    if plan.is_mixed:
        loads = " + ".join(_load_in_short(load, title) for load, title in zip(plan.loads, plan.titles, strict=True))
        return ", ".join(filter(None, (_servers(plan), loads, _faults(plan))))
    users = f"{len(plan.client_plans())} × {plan.threads} {_users(plan)}"
    parts = (_workload(plan), _servers(plan), users, _think_time(plan), _load(plan), _faults(plan))
    return ", ".join(filter(None, parts))


def _load_in_short(load: RunPlan, title: str) -> str:
    users = f"{title} {len(load.client_plans())} × {load.threads} {_users(load)}"
    return " ".join(filter(None, (users, _load(load))))


def is_demonstration(plan: RunPlan) -> bool:
    """Whether the plan drives what the demonstration does, whatever it is called and however it begins and ends."""
    others = ("name", "note", "tags", "reset", "audit", "machines", "server_waits", "storage_probes")
    return replace(plan, **{name: getattr(DEMONSTRATION, name) for name in others}) == DEMONSTRATION


def _workload(plan: RunPlan) -> str:
    return "" if plan.workload == DVD_STORE else find_workload(plan.workload).title


def _users(plan: RunPlan) -> str:
    return find_workload(plan.workload).wording.who[1]


def _think_time(plan: RunPlan) -> str:
    workload = find_workload(plan.workload)
    if workload.user is None:
        return workload.in_words(plan.parameters)
    if workload.due_rate is not None:
        return ""
    if not workload.uses_think_time(plan.parameters):
        return "times as specified"
    return f"{plan.think_time_ms:g} ms" if plan.think_time_ms else ""


def _load(plan: RunPlan) -> str:
    """The stages or the rate; empty where the load is the same throughout."""
    if plan.rate is not None:
        return f"{plan.rate:g}/{find_workload(plan.workload).headline.per}"
    if plan.profile is None:
        return ""
    return f"staircase to {plan.profile.stages[-1].load_text}" if plan.staircase else plan.profile.in_words()


def _servers(plan: RunPlan) -> str:
    found = (_server(target) for load in plan.loads for target in load.targets)
    servers = list(dict.fromkeys(filter(None, found)))
    return f"{servers[0]} and {len(servers) - 1} more" if len(servers) > 2 else " and ".join(servers)


def _server(target: Target) -> str:
    if target.label:
        return target.label
    if target.kind == EMBEDDED:
        return {1: "Embedded server", 2: "Embedded pair"}.get(target.nodes, f"Embedded group of {target.nodes}")
    return "/".join(_host(host) for host in target.hosts) or target.storage.machine


def _host(host: Host) -> str:
    return f"{host.name}\\{host.instance}" if host.instance else host.name


def _faults(plan: RunPlan) -> str:
    labels = [fault.label for fault in plan.faults]
    return f"{labels[0]} and {len(labels) - 1} more" if len(labels) > 1 else "".join(labels)
