"""What can be planned or injected, to choose from: the kinds, and the embedded server's actions in groups.

Called by the injection's draft, its form and the live page's menu.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import BadInput
from engine.faults.fitting import has_database
from engine.faults.injections import action_text
from engine.faults.lab_actions import WORDS, LabAction, check_action, sentence_of
from engine.target.target import EMBEDDED, Target

MARK, LAB, SQL, RUN, SHELL, SSH, REDFISH, TEXT = "mark", "lab", "sql", "run", "shell", "ssh", "redfish", "text"


@dataclass(frozen=True, kw_only=True)
class InjectionKind:
    """A kind to choose, with the fields of a draft that it has of its own."""

    name: str
    title: str
    says: str
    fields: tuple[str, ...] = ()


INJECTION_KINDS = (
    InjectionKind(name=MARK, title="Mark", says="Spindle does nothing; you act yourself."),
    InjectionKind(
        name=LAB,
        title="Lab action",
        says="An action on the embedded server.",
        fields=("action", "node", "value"),
    ),
    InjectionKind(
        name=SQL,
        title="SQL",
        says="A statement on one host of a target, by the target's user.",
        fields=("statement", "host", "target"),
    ),
    InjectionKind(
        name=RUN,
        title="Command",
        says="A program on this machine with its arguments, without a shell.",
        fields=("command",),
    ),
    InjectionKind(
        name=SHELL,
        title="Shell command",
        says="A command line for this machine's shell, such as one | two.",
        fields=("command",),
    ),
    InjectionKind(
        name=SSH,
        title="SSH command",
        says="A command on another machine, by ssh with its keys, agent and known hosts.",
        fields=("place", "command"),
    ),
    InjectionKind(
        name=REDFISH,
        title="Redfish reset",
        says="A power action through a server's management controller.",
        fields=("reset_type", "url", "user", "system", "fingerprint", "ca_file"),
    ),
    InjectionKind(
        name=TEXT,
        title="As text",
        says="As on the command line: freeze primary for 5s.",
        fields=("typed",),
    ),
)


def injection_kind(name: str) -> InjectionKind:
    """The kind of this name; raises ``BadInput`` when there is none."""
    for kind in INJECTION_KINDS:
        if kind.name == name:
            return kind
    raise BadInput(f"kind is '{name}'; give one of {', '.join(kind.name for kind in INJECTION_KINDS)}.")


@dataclass(frozen=True, kw_only=True)
class ActionChoice:
    """An action of the lab to choose: ``name`` in a draft, its title, and the sentence that describes it.

    ``value`` says what a number given with it means, empty when it takes none; ``end`` is what undoes it, as it is
    typed, empty when nothing has to.
    """

    name: str
    title: str
    sentence: str
    value: str
    end: str


ACTION_GROUPS: dict[str, tuple[LabAction, ...]] = {
    "Kill and stop": (
        LabAction.KILL_PRIMARY,
        LabAction.KILL_STANDBY,
        LabAction.KILL_BACKEND,
        LabAction.STOP_PRIMARY,
        LabAction.RESTART_IMMEDIATE,
    ),
    "Freeze": (
        LabAction.FREEZE_PRIMARY,
        LabAction.FREEZE_STANDBY,
        LabAction.FREEZE_WALSENDER,
        LabAction.THAW,
    ),
    "Failover": (LabAction.SWITCHOVER, LabAction.FENCE_AND_PROMOTE, LabAction.PROMOTE),
    "Network": (
        LabAction.CUT_NETWORK,
        LabAction.SILENCE_NETWORK,
        LabAction.DELAY_NETWORK,
        LabAction.LIMIT_NETWORK,
        LabAction.RESTORE_NETWORK,
    ),
    "Mend": (LabAction.START, LabAction.REJOIN, LabAction.RELEASE_WRITES, LabAction.RESET),
}
"""Every action once, by what it is about."""


def action_choices(nodes: int) -> dict[str, tuple[ActionChoice, ...]]:
    """What a lab of so many servers can do, in its groups; a group of which nothing fits is left out."""
    fitting = {
        group: tuple(_choice(action) for action in actions if _fits(action, nodes))
        for group, actions in ACTION_GROUPS.items()
    }
    return {group: choices for group, choices in fitting.items() if choices}


def offered_kinds(stores: Sequence[Target]) -> tuple[InjectionKind, ...]:
    """The kinds that can act on these; without any, those that can act on databases."""
    unfit = set() if lab_nodes(stores) else {LAB}
    if stores and not has_database(stores):
        unfit.add(SQL)
    return tuple(kind for kind in INJECTION_KINDS if kind.name not in unfit)


def lab_nodes(stores: Sequence[Target]) -> int:
    """How many servers the embedded one among these has; 0 when it is not among them."""
    return max((store.nodes for store in stores if store.kind == EMBEDDED), default=0)


def _fits(action: LabAction, nodes: int) -> bool:
    try:
        check_action(action, nodes=nodes, value=1.0 if WORDS[action].value else None)
    except BadInput:
        return False
    return True


def _choice(action: LabAction) -> ActionChoice:
    words = WORDS[action]
    return ActionChoice(
        name=action.value,
        title=action_text(action).capitalize(),
        sentence=sentence_of(action),
        value=words.value,
        end="" if words.ends_with is None else action_text(words.ends_with),
    )
