"""Which of a machine's accesses tell its watts, and which of them is believed when there are several."""

from collections.abc import Iterable

from engine.machines.access import AccessKind

METERS = (
    AccessKind.SERIAL_METER,
    AccessKind.SNMP,
    AccessKind.PROMETHEUS,
    AccessKind.REDFISH,
    AccessKind.IPMI,
)
"""The best first: controllers give slow averages. Meters of one kind are of a machine's parts, and are added up."""


def best_meter(kinds: Iterable[str]) -> AccessKind | None:
    """The best of the kinds of accesses that a machine has; ``None`` if none is a meter."""
    known = set(kinds)
    return next((each for each in METERS if each in known), None)
