"""The events that a lab sends to its holders: what its supervisor observed and did, and when."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class LabEventKind(StrEnum):
    """What happened in a lab."""

    DIED = "died"
    UNANSWERED = "unanswered"
    FENCED = "fenced"
    PROMOTED = "promoted"
    REJOINED = "rejoined"
    PROTECTED = "protected"
    UNPROTECTED = "unprotected"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class LabEvent:
    """An event in a lab; ``at_monotonic`` is a moment of ``time.monotonic``, which all processes of the machine share.

    ``node`` is the name of the node concerned, empty for the whole lab; ``text`` is a short sentence.
    """

    at_monotonic: float
    kind: LabEventKind
    node: str
    text: str

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        return cls(**(dict(message) | {"kind": LabEventKind(message["kind"])}))

    def to_message(self) -> dict[str, Any]:
        """The event as plain JSON types, to be sent by the keeper."""
        return asdict(self)
