"""What a lab tells its holders of its own accord: what its supervisor saw and did, and when."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class NewsKind(StrEnum):
    """What happened to a lab."""

    DIED = "died"
    UNANSWERED = "unanswered"
    FENCED = "fenced"
    PROMOTED = "promoted"
    REJOINED = "rejoined"
    PROTECTED = "protected"
    UNPROTECTED = "unprotected"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class LabNews:
    """Something that happened: ``at_monotonic`` as ``time.monotonic`` has it in every process of the machine.

    ``node`` is the name of the node that it is about, empty when it is about the lab; ``text`` is a short sentence.
    """

    at_monotonic: float
    kind: NewsKind
    node: str
    text: str

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        return cls(**(dict(message) | {"kind": NewsKind(message["kind"])}))

    def to_message(self) -> dict[str, Any]:
        """The news as JSON's plain types, for the way from the keeper."""
        return asdict(self)
