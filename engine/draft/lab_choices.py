"""The shapes of the embedded server to choose from, and who promotes a standby of it: the words for each.

Called by a target's draft and by its form.
"""

from dataclasses import dataclass

from engine.errors import BadInput
from engine.target.target import FAST, MANUAL, PROBE


@dataclass(frozen=True, kw_only=True)
class LabChoice:
    """A shape: its name in a draft, its title on the screen, what it is for, and what a target says of it."""

    name: str
    title: str
    says: str
    nodes: int
    sync: bool


LAB_CHOICES = (
    LabChoice(
        name="single",
        title="One server",
        says="For load tests without failover: nothing takes over when it fails.",
        nodes=1,
        sync=False,
    ),
    LabChoice(
        name="pair",
        title="Pair, synchronous",
        says="A real failover without any setup: kill the primary, and the standby, which has every commit,"
        " takes over.",
        nodes=2,
        sync=True,
    ),
    LabChoice(
        name="async-pair",
        title="Pair, asynchronous",
        says="The standby follows a moment later: a failover can lose the newest orders, and the audit finds them.",
        nodes=2,
        sync=False,
    ),
    LabChoice(
        name="three",
        title="Three nodes, synchronous",
        says="A primary and two standbys, one of which has every commit: a standby can go without a pause.",
        nodes=3,
        sync=True,
    ),
    LabChoice(
        name="async-three",
        title="Three nodes, asynchronous",
        says="A primary and two standbys that follow a moment later: a failover can lose the newest orders.",
        nodes=3,
        sync=False,
    ),
)
SINGLE = LAB_CHOICES[0]

FAILOVER_TITLES = {FAST: "Fast", PROBE: "By probing", MANUAL: "Manual"}
FAILOVER_HELP = {
    FAST: "The standby is promoted as soon as the primary's process has ended; a frozen primary is not noticed.",
    PROBE: "The primary is probed twice a second; after two failures in a row the standby is promoted, also when the"
    " primary is only frozen.",
    MANUAL: "Nothing is promoted until you do it: with an injection, or in Practice servers.",
}


def lab_choice(name: str) -> LabChoice:
    """The choice of this name; raises ``BadInput`` when there is none."""
    for choice in LAB_CHOICES:
        if choice.name == name:
            return choice
    raise BadInput(f"servers is '{name}'; give one of {', '.join(choice.name for choice in LAB_CHOICES)}.")


def lab_choice_of(nodes: int, *, sync: bool) -> LabChoice:
    """The choice that a target of so many nodes is."""
    return next(choice for choice in LAB_CHOICES if (choice.nodes, choice.sync) == (nodes, sync))
