"""The state of the embedded server as the dialog shows it: texts, and the values that decide what can be done."""

from dataclasses import dataclass

from engine.draft.lab_choices import LAB_CHOICES
from engine.target.target import FAST


@dataclass(frozen=True, kw_only=True)
class LabView:
    """``facts`` are pairs of title and text; ``nodes`` are the rows of the table, as many texts as ``NODE_TITLES``.

    ``shape`` is the name of a ``LabChoice``. ``users`` is the number of sessions, ``is_kept`` whether it keeps running
    without any program.
    """

    is_running: bool = False
    headline: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    nodes: tuple[tuple[str, ...], ...] = ()
    shape: str = LAB_CHOICES[0].name
    failover: str = FAST
    users: int = 0
    is_kept: bool = False


NODE_TITLES = ("Server", "Role", "State", "Replication", "Network", "Up since", "Lag")
NODE_WORDS = 6
