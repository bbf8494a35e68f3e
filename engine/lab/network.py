"""How a node's network stands, as arithmetic: what arrives when, over which networks, and whether at all.

Called by the proxies, which carry the bytes, and shown in the lab's status.
"""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What is wrong with a network; nothing is, as it is made.

    ``is_cut``: connections are reset, new ones too. ``is_silent``: packets are dropped without an error.
    ``round_trip_seconds`` are added to a round trip, half of them each way. ``bytes_per_second`` is the most that
    comes through each way, shared by all connections; ``None`` is no limit.
    """

    is_cut: bool = False
    is_silent: bool = False
    round_trip_seconds: float = 0.0
    bytes_per_second: float | None = None

    @property
    def is_normal(self) -> bool:
        return self == Conditions()

    def delayed(self, seconds: float) -> "Conditions":
        return replace(self, round_trip_seconds=seconds)

    def limited(self, bytes_per_second: float) -> "Conditions":
        return replace(self, bytes_per_second=bytes_per_second)

    def in_words(self) -> str:
        """Such as "silent" or "5 ms more per round trip, 10 Mbit/s"; "normal" when nothing is wrong."""
        words = [word for word, holds in (("cut", self.is_cut), ("silent", self.is_silent)) if holds]
        if self.round_trip_seconds:
            words.append(f"{1000 * self.round_trip_seconds:g} ms more per round trip")
        if self.bytes_per_second is not None:
            words.append(f"{8 * self.bytes_per_second / 1e6:g} Mbit/s")
        return ", ".join(words) or "normal"


@dataclass(eq=False)
class Network:
    """The network of one node: a line each way on which what is sent waits for what was sent before it."""

    conditions: Conditions = field(default_factory=Conditions)
    _free_at: dict[bool, float] = field(default_factory=lambda: {True: 0.0, False: 0.0})

    def arrival(self, sent_at: float, size: int, *, inward: bool) -> float:
        """When ``size`` bytes that are sent to (``inward``) or from the node at a moment come out at the other end."""
        arrived = sent_at
        if self.conditions.bytes_per_second is not None:
            arrived = max(sent_at, self._free_at[inward]) + size / self.conditions.bytes_per_second
            self._free_at[inward] = arrived
        return arrived + self.conditions.round_trip_seconds / 2


@dataclass(frozen=True)
class Route:
    """The networks that a connection crosses on its way from who opened it: each, and whether that is inward there."""

    hops: tuple[tuple[Network, bool], ...]

    @property
    def is_cut(self) -> bool:
        return any(network.conditions.is_cut for network, _ in self.hops)

    @property
    def is_silent(self) -> bool:
        return any(network.conditions.is_silent for network, _ in self.hops)

    @property
    def is_normal(self) -> bool:
        return all(network.conditions.is_normal for network, _ in self.hops)

    def arrival(self, sent_at: float, size: int, *, forward: bool) -> float:
        """When ``size`` bytes sent at a moment arrive: ``forward``, or back to who opened the connection."""
        at = sent_at
        for network, inward in self.hops if forward else reversed(self.hops):
            at = network.arrival(at, size, inward=inward == forward)
        return at
