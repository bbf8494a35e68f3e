"""Which of a machine's accesses are power meters, and which of them counts when there are several."""

from collections.abc import Iterable

from engine.machines.access import AccessKind

METERS = (
    AccessKind.SERIAL_METER,
    AccessKind.SNMP,
    AccessKind.PROMETHEUS,
    AccessKind.REDFISH,
    AccessKind.IPMI,
)
"""The best first; management controllers come last, as they give slow averages. Several meters of one kind measure
parts of the machine, and are added up."""


def best_meter(kinds: Iterable[str]) -> AccessKind | None:
    """The best of the kinds of accesses that a machine has; ``None`` if none is a meter."""
    known = set(kinds)
    return next((each for each in METERS if each in known), None)
