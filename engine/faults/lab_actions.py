"""What can be done to a lab: the names of the actions, and each as a sentence to show before it is done.

Called by the keeper, the command line and the injections of a run.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.errors import BadInput, Remedy, RemedyKind


class LabAction(StrEnum):
    """An action on a lab. One on the primary or on a standby takes that node unless another is named.

    ``promote`` is refused while the primary still answers; ``fence_and_promote`` kills it first, frozen or not.
    """

    KILL_PRIMARY = "kill_primary"
    KILL_STANDBY = "kill_standby"
    FREEZE_PRIMARY = "freeze_primary"
    FREEZE_STANDBY = "freeze_standby"
    THAW = "thaw"
    STOP_PRIMARY = "stop_primary"
    RESTART_IMMEDIATE = "restart_immediate"
    START = "start"
    PROMOTE = "promote"
    FENCE_AND_PROMOTE = "fence_and_promote"
    SWITCHOVER = "switchover"
    REJOIN = "rejoin"
    RESET = "reset"
    RELEASE_WRITES = "release_writes"
    KILL_BACKEND = "kill_backend"
    FREEZE_WALSENDER = "freeze_walsender"
    CUT_NETWORK = "cut_network"
    SILENCE_NETWORK = "silence_network"
    DELAY_NETWORK = "delay_network"
    LIMIT_NETWORK = "limit_network"
    RESTORE_NETWORK = "restore_network"


@dataclass(frozen=True)
class ActionWords:
    """How an action is described: ``sentence`` with the node's place left as ``{node}`` and the value's as ``{value}``.

    ``node`` is what is taken when none is named, ``value`` what a number given with it means (empty: it takes none).
    ``needs_standby``: a single server can't do it. ``ends_with`` undoes it, ``None`` when nothing has to.
    """

    sentence: str
    node: str = "the primary"
    value: str = ""
    needs_standby: bool = False
    ends_with: LabAction | None = None


WORDS: dict[LabAction, ActionWords] = {
    LabAction.KILL_PRIMARY: ActionWords("Kill all processes of {node} (SIGKILL).", ends_with=LabAction.START),
    LabAction.KILL_STANDBY: ActionWords(
        "Kill all processes of {node} (SIGKILL).", node="a standby", needs_standby=True, ends_with=LabAction.START
    ),
    LabAction.FREEZE_PRIMARY: ActionWords("Freeze all processes of {node} (SIGSTOP).", ends_with=LabAction.THAW),
    LabAction.FREEZE_STANDBY: ActionWords(
        "Freeze all processes of {node} (SIGSTOP).", node="a standby", needs_standby=True, ends_with=LabAction.THAW
    ),
    LabAction.THAW: ActionWords("Resume the frozen processes of {node} (SIGCONT).", node="every node"),
    LabAction.STOP_PRIMARY: ActionWords("Shut {node} down (fast).", ends_with=LabAction.START),
    LabAction.RESTART_IMMEDIATE: ActionWords("Stop {node} without a checkpoint (immediate) and start it again."),
    LabAction.START: ActionWords("Start {node} if it is down.", node="every node"),
    LabAction.PROMOTE: ActionWords(
        "Make {node} the primary; the old one has to be down.",
        node="the most up-to-date standby",
        needs_standby=True,
    ),
    LabAction.FENCE_AND_PROMOTE: ActionWords(
        "Kill the primary, then make {node} the primary.",
        node="the most up-to-date standby",
        needs_standby=True,
    ),
    LabAction.SWITCHOVER: ActionWords(
        "Shut the primary down, promote {node}, and let the old primary follow it.",
        node="the most up-to-date standby",
        needs_standby=True,
    ),
    LabAction.REJOIN: ActionWords(
        "Bring {node} back as a standby (pg_rewind, or a base backup when that fails).",
        node="every node that is down",
        needs_standby=True,
    ),
    LabAction.RESET: ActionWords(
        "Thaw, reconnect and start everything, and copy {node} again from the primary.", node="every standby"
    ),
    LabAction.RELEASE_WRITES: ActionWords(
        "Let {node} commit without waiting for a standby (synchronous_standby_names empty).", needs_standby=True
    ),
    LabAction.KILL_BACKEND: ActionWords(
        "Kill one user's server process on {node} (SIGKILL); the server then restarts itself."
    ),
    LabAction.FREEZE_WALSENDER: ActionWords(
        "Freeze the processes that send the WAL from {node} (SIGSTOP).", needs_standby=True, ends_with=LabAction.THAW
    ),
    LabAction.CUT_NETWORK: ActionWords(
        "Cut every connection to and from {node} and refuse new ones (RST).",
        needs_standby=True,
        ends_with=LabAction.RESTORE_NETWORK,
    ),
    LabAction.SILENCE_NETWORK: ActionWords(
        "Silently drop everything to and from {node}.",
        needs_standby=True,
        ends_with=LabAction.RESTORE_NETWORK,
    ),
    LabAction.DELAY_NETWORK: ActionWords(
        "Add {value} ms to every round trip to {node}.",
        value="milliseconds added to each round trip",
        needs_standby=True,
        ends_with=LabAction.RESTORE_NETWORK,
    ),
    LabAction.LIMIT_NETWORK: ActionWords(
        "Limit the network of {node} to {value} Mbit/s each way.",
        value="Mbit/s each way",
        needs_standby=True,
        ends_with=LabAction.RESTORE_NETWORK,
    ),
    LabAction.RESTORE_NETWORK: ActionWords("Restore the network of {node}.", node="every node"),
}


def read_action(text: str) -> LabAction:
    """The action that is written with blanks, hyphens or underscores: ``kill primary``. Raises ``BadInput``."""
    name = "_".join(text.lower().replace("-", " ").replace("_", " ").split())
    try:
        return LabAction(name)
    except ValueError:
        known = ", ".join(action.value.replace("_", " ") for action in LabAction)
        raise BadInput(f"lab action '{text}' is not known; give one of {known}.") from None


def check_action(action: LabAction, *, nodes: int, node: int | None = None, value: float | None = None) -> None:
    """Raise ``BadInput`` when a lab of so many nodes can't do it, or when its number is missing or out of range."""
    words = WORDS[action]
    name = action.value.replace("_", " ")
    if words.needs_standby and nodes == 1:
        raise BadInput(f"'{name}' needs a standby", remedy=Remedy(kind=RemedyKind.DRIVE_PAIR))
    if node is not None and not 1 <= node <= nodes:
        raise BadInput(f"node {node} does not exist; give one from 1 to {nodes}.")
    if words.value and (value is None or not 0 < value <= 100_000):
        raise BadInput(f"'{name}' needs a number above 0: {words.value}.")
    if not words.value and value is not None:
        raise BadInput(f"'{name}' takes no number; leave {value:g} out.")


def sentence_of(action: LabAction, *, node: int | None = None, value: float | None = None) -> str:
    """What the action does, as a sentence for before it is done."""
    words = WORDS[action]
    return words.sentence.format(
        node=words.node if node is None else f"node {node}", value="N" if value is None else f"{value:g}"
    )
