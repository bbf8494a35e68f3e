"""How the runs of a document were made: the plan in words and in DVD Store 2's notation, the servers, the workstation.

Called by the builders of all documents. It contains no user's name, no path and no command line of the user: of an
injection outside the embedded lab only the kind and the target are shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from engine.draft.wording import plan_sentences
from engine.errors import BadInput
from engine.faults.injections import (
    CommandInjection,
    Injection,
    LabInjection,
    RedfishInjection,
    SqlInjection,
    SshInjection,
)
from engine.faults.planned import PlannedFault
from engine.faults.sentences import fault_sentence
from engine.figure_text import UNKNOWN, capitalised, whole
from engine.parameters.typed_text import time_text
from engine.plan.plan import RunPlan
from engine.record.record import Origin, RunRecord
from engine.report.document import Block, Column, DataTable, Facts, Section, Text
from engine.workload.registry import find_workload
from engine.workloads.driver_files import DriverFiles, driver_files_of

_OF_USERS = (("PostgreSQL sessions", "postgresql_sessions"), ("Emulated users", "emulated_users"))
_WORKSTATION = (
    ("Spindle", "spindle"),
    ("Processor", "processor"),
    ("Processors", "processors"),
    ("Architecture", "machine"),
    ("Python", "python"),
    *_OF_USERS,
)


def method_sections(runs: Mapping[str, RunRecord]) -> list[Section]:
    """What was run, against what and from where; ``runs`` are the records by their names in the document."""
    return [
        Section(title="Method", blocks=(*_plans(runs), *_driver_table(runs))),
        *_servers(runs),
        *_workstations(runs),
    ]


def public_plan_sentences(plan: RunPlan) -> list[str]:
    """The plan in words, for a document that is passed on."""
    marks = tuple(fault for fault in plan.faults if fault.injection is None)
    return [*plan_sentences(replace(plan, faults=marks)), *(_fault(fault) for fault in plan.faults if fault.injection)]


def _fault(fault: PlannedFault) -> str:
    if isinstance(fault.injection, LabInjection) and isinstance(fault.end, LabInjection | None):
        return fault_sentence(fault)
    times = f", {fault.repeat} times" if fault.repeat > 1 else ""
    return f"At {time_text(fault.at_seconds)} of measuring{times}: {public_action(fault.injection)}."


def public_action(injection: Injection | None) -> str:
    """An injection in a few words, without its command, statement and user."""
    match injection:
        case SshInjection(host=host, machine=machine):
            return f"a command on {machine or host}, over ssh"
        case SqlInjection(host=host):
            return f"SQL on host {host}"
        case RedfishInjection(reset_type=reset_type, machine=machine) if machine:
            return f"{reset_type} by the management controller of {machine}"
        case RedfishInjection(url=url, reset_type=reset_type):
            return f"{reset_type} by the management controller {urlsplit(url).hostname}"
        case CommandInjection():
            return "a command on the workstation"
        case _:
            return "an action of the embedded lab"


def _plans(runs: Mapping[str, RunRecord]) -> list[Block]:
    texts = {name: _plan_text(record) for name, record in runs.items()}
    if len(set(texts.values())) == 1:
        return [Text(text=next(iter(texts.values())))]
    return [Facts(rows=tuple(texts.items()))]


def _plan_text(record: RunRecord) -> str:
    origin = ""
    if record.origin is Origin.DS2_LOG:
        origin = f"Taken in from a {find_workload(record.plan.workload).title} driver's output. "
    elif record.origin.is_imported:
        origin = f"Taken in from what {record.environment.get('program', 'another program')} printed. "
    return origin + " ".join(public_plan_sentences(record.plan))


def _driver_table(runs: Mapping[str, RunRecord]) -> list[Block]:
    """The plans as parameters of the driver that the workload's authors have published, where there is one."""
    workload = find_workload(next(iter(runs.values())).plan.workload)
    if not workload.driver_files:
        return []
    files = driver_files_of(workload.id)
    parameters = {name: _driver_parameters(record.plan, files) for name, record in runs.items()}
    columns = _grouped_by_value(parameters)
    names = list(dict.fromkeys(key for values in columns.values() for key in values))
    table = DataTable(
        caption=f"The plan as parameters of {workload.title}",
        columns=(Column(title="Parameter"), *(Column(title=title) for title in columns)),
        rows=tuple((name, *(values.get(name, UNKNOWN) for values in columns.values())) for name in names),
        note=files.note,
    )
    return [table]


def _driver_parameters(plan: RunPlan, files: DriverFiles) -> dict[str, str]:
    """The parameters of one database's drivers, where the driver knows only one database name."""
    try:
        text = files.file_of(plan)
    except BadInput:
        text = files.file_of(replace(plan, databases=1, targets=plan.targets[:1], faults=()))
    pairs = (line.partition("=") for line in text.splitlines())
    return {name: value for name, _, value in pairs}


def _grouped_by_value(by_name: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Equal values once, under the names of all that have them; a value of all is named ``Value``."""
    groups: list[tuple[list[str], dict[str, str]]] = []
    for name, values in by_name.items():
        for names, known in groups:
            if known == values:
                names.append(name)
                break
        else:
            groups.append(([name], values))
    if len(groups) == 1:
        return {"Value": groups[0][1]}
    return {", ".join(names): values for names, values in groups}


def _servers(runs: Mapping[str, RunRecord]) -> list[Section]:
    rows = {name: [_server_row(server) for server in _of(record)] for name, record in runs.items()}
    unique = dict.fromkeys((_who(name, runs), *row) for name, found in rows.items() for row in found)
    if not unique:
        return []
    if len({tuple(map(tuple, found)) for found in rows.values()}) == 1:
        unique = dict.fromkeys(("every run", *row[1:]) if len(runs) > 1 else row for row in unique)
    workloads = [find_workload(record.plan.workload) for record in runs.values()]
    called = {workload.wording.stores[1] for workload in workloads}
    of = "programs" if all(workload.user is None for workload in workloads) else "servers"
    table = DataTable(
        caption=f"{capitalised(called.pop()) if len(called) == 1 else 'Stores'} and their {of}",
        columns=(
            Column(title="Run"),
            Column(title="Host"),
            Column(title="Product"),
            Column(title="Version"),
            Column(title="Size"),
            Column(title="Driver"),
        ),
        rows=tuple(unique),
    )
    return [Section(title=capitalised(of), blocks=(table, *_settings(runs, of)))]


def _who(name: str, runs: Mapping[str, RunRecord]) -> str:
    return name if len(runs) > 1 else "this run"


def _of(record: RunRecord) -> Sequence[Mapping[str, Any]]:
    servers: Sequence[Mapping[str, Any]] = record.environment.get("servers") or ()
    return servers


def _server_row(server: Mapping[str, Any]) -> tuple[str, ...]:
    size = (server.get("store") or {}).get("size")
    host = str(server.get("host") or "")
    found = (
        "local socket" if "/" in host else host,
        server.get("product"),
        server.get("version"),
        size,
        server.get("driver"),
    )
    return tuple(UNKNOWN if each is None or each == "" else str(each) for each in found)


def _settings(runs: Mapping[str, RunRecord], of: str) -> list[Block]:
    """The settings of the first server of each run, as nearly always all stores of a run are of one kind."""
    found = {name: _server_settings(record) for name, record in runs.items()}
    known = {name: settings for name, settings in found.items() if settings}
    if not known:
        return []
    columns = _grouped_by_value(known)
    names = sorted({key for values in columns.values() for key in values})
    table = DataTable(
        caption=f"Settings of the {of}",
        columns=(Column(title="Setting"), *(Column(title=title) for title in columns)),
        rows=tuple((name, *(values.get(name, UNKNOWN) for values in columns.values())) for name in names),
    )
    return [table]


def _server_settings(record: RunRecord) -> dict[str, str]:
    settings = next((server.get("settings") or {} for server in _of(record)), {})
    return {
        str(name): str(value) for name, value in settings.items() if "/" not in str(value) and "\\" not in str(value)
    }


def _workstations(runs: Mapping[str, RunRecord]) -> list[Section]:
    found = {name: _workstation(record) for name, record in runs.items()}
    known = {name: facts for name, facts in found.items() if facts}
    blocks: list[Block] = []
    for title, facts in _grouped_by_value(known).items() if known else ():
        blocks += [Text(text=f"{title}:")] if title != "Value" else []
        blocks.append(Facts(rows=tuple(facts.items())))
    return [Section(title="Workstation", blocks=tuple(blocks))] if blocks else []


def _workstation(record: RunRecord) -> dict[str, str]:
    machine: Mapping[str, Any] = record.environment.get("workstation") or {}
    if not machine:
        return {}
    has_users = find_workload(record.plan.workload).user is not None
    described = [each for each in _WORKSTATION if has_users or each not in _OF_USERS]
    facts = {label: str(machine.get(key) or UNKNOWN) for label, key in described}
    memory = machine.get("memory_mb")
    return {
        "System": f"{machine.get('system')} {machine.get('release')}",
        **facts,
        "Memory, MB": whole(memory),
    }
