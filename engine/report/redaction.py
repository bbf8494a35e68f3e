"""Removes users' names and paths from texts that programs wrote, for documents that are passed on.

Called by the builders for the texts of events, errors and audits. Titles, labels and notes that the user typed are not
changed.
"""

import getpass
import re
from collections.abc import Callable

from engine.faults.injections import FaultKind
from engine.figure_text import capitalised
from engine.plan.plan import RunPlan
from engine.report.method import public_action

HIDDEN = "…"
_QUOTED = re.compile(r"""\b(user|role|login|account)(\s+)["'“‘][^"'”’]+["'”’]""", re.IGNORECASE)
_BEFORE_HOST = re.compile(r"(?<=//)[^/@\s]+@")
_WINDOWS_PATH = re.compile(r"""\b[A-Za-z]:[\\/](?:[^\\/\s"';,]+(?: [^\\/\s"';,]+)*[\\/])*[^\\/\s"';,]*""")
_SHARE = re.compile(r"""\\\\[^\\\s]+\\[^\s"';,]+""")
_UNIX_PATH = re.compile(r"""(?<![\w:/.\\])~?(?:/[\w.+@%=-]+){2,}/?|(?<![\w:/.\\])~/[\w.+@%=-]+""")


def redactor(plan: RunPlan) -> Callable[[str], str]:
    """A function that removes the users' names (the plan's and the workstation's), passwords in URLs, and paths from a
    text."""
    shown = {store.database for store in plan.stores()} | {client.label for client in plan.client_plans()}
    users = {target.user for target in plan.targets} | {_workstation_user()}
    names = sorted((re.escape(user) for user in users if user and user not in shown), key=len, reverse=True)
    acts = _action_texts(plan)
    named = re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-])") if names else None

    def redact(text: str) -> str:
        for act, said in acts.items():
            text = text.replace(act, said)
        text = _BEFORE_HOST.sub("", text)
        text = _QUOTED.sub(rf"\1\2{HIDDEN}", text)
        for path in (_WINDOWS_PATH, _SHARE, _UNIX_PATH):
            text = path.sub(HIDDEN, text)
        return text if named is None else named.sub(HIDDEN, text)

    return redact


def _action_texts(plan: RunPlan) -> dict[str, str]:
    """The replacements for commands and statements that serve as labels of injections."""
    injections = [each for fault in plan.faults for each in (fault.injection, fault.end)]
    acts = {each.act: public_action(each) for each in injections if each is not None and each.kind is not FaultKind.LAB}
    return {act: capitalised(said) for act, said in acts.items()}


def _workstation_user() -> str:
    try:
        return getpass.getuser()
    except OSError:
        return ""
