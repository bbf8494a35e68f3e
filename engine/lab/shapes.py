"""The shapes a lab can have: how many servers, how they replicate, and who promotes a standby.

Called by the lab, the command line and the tests; an app asks for a shape with its target.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from engine.errors import BadInput
from engine.target.target import EMBEDDED, FAST, MANUAL, Target

_NAMED: dict[str, Target] = {
    "single": Target(kind=EMBEDDED),
    "pair": Target(kind=EMBEDDED, nodes=2, sync=True, failover=FAST),
    "async-pair": Target(kind=EMBEDDED, nodes=2, sync=False, failover=FAST),
    "three": Target(kind=EMBEDDED, nodes=3, sync=True, failover=FAST),
}
LAB_NAMES = tuple(_NAMED)


def lab_target(name: str) -> Target:
    """The target that a short name stands for: ``single``, ``pair``, ``async-pair`` or ``three``.

    Raises ``BadInput`` for another name.
    """
    if name not in _NAMED:
        raise BadInput(f"lab is '{name}'; give one of {', '.join(LAB_NAMES)}.")
    return _NAMED[name]


@dataclass(frozen=True, kw_only=True)
class LabShape:
    """A lab's shape: the three fields of its target, and how its supervisor goes about a failover.

    With the failover ``probe`` the primary is asked every ``probe_interval_seconds`` and given up after
    ``probe_misses`` silences in a row. ``rejoin_after_seconds`` after an automatic failover the old primary comes back
    as a standby; ``None`` leaves that to somebody else.
    """

    nodes: int = 1
    sync: bool = False
    failover: str = MANUAL
    probe_interval_seconds: float = 0.5
    probe_misses: int = 2
    rejoin_after_seconds: float | None = None

    def __post_init__(self) -> None:
        Target(kind=EMBEDDED, nodes=self.nodes, sync=self.sync, failover=self.failover)
        if not 0.05 <= self.probe_interval_seconds <= 60:
            raise BadInput(f"probe interval is {self.probe_interval_seconds:g} s; give one from 0.05 to 60 s.")
        if not 1 <= self.probe_misses <= 100:
            raise BadInput(f"probe misses is {self.probe_misses}; give a number from 1 to 100.")
        if self.rejoin_after_seconds is not None and not 0 <= self.rejoin_after_seconds <= 86_400:
            raise BadInput(f"rejoin is after {self.rejoin_after_seconds:g} s; give a time from 0 to 86400 s.")

    @classmethod
    def of(cls, target: Target) -> Self:
        """The shape that an embedded target asks for."""
        return cls(nodes=target.nodes, sync=target.sync, failover=target.failover)

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        return cls(**message)

    def to_message(self) -> dict[str, Any]:
        """The shape as JSON's plain types, for the way to the keeper and back."""
        return asdict(self)

    def is_met_by(self, running: "LabShape") -> bool:
        """Whether a lab of the other shape serves one who asks for this one: what stands in a target is the same."""
        return (self.nodes, self.sync, self.failover) == (running.nodes, running.sync, running.failover)

    @property
    def is_target_only(self) -> bool:
        """Whether nothing is asked for but what stands in a target."""
        return self == LabShape(nodes=self.nodes, sync=self.sync, failover=self.failover)

    @property
    def url(self) -> str:
        """The URL of a target of this shape."""
        return Target(kind=EMBEDDED, nodes=self.nodes, sync=self.sync, failover=self.failover).url

    def in_words(self) -> str:
        """Such as "a synchronous pair, failover fast"."""
        if self.nodes == 1:
            return "a single server"
        how = "synchronous" if self.sync else "asynchronous"
        what = f"{how} pair" if self.nodes == 2 else f"{how} group of {self.nodes}"
        return f"{'a' if self.sync else 'an'} {what}, failover {self.failover}"
