"""One planned fault as it is typed: when, counted from the beginning of measuring, and what it is called."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import BadInput
from engine.faults.planned import PlannedFault, seconds_of, time_text


@dataclass
class FaultDraft:
    """``at`` is ``m:ss``, ``h:mm:ss`` or seconds."""

    at: str = "1:00"
    label: str = ""

    @classmethod
    def from_fault(cls, fault: PlannedFault) -> Self:
        return cls(at=time_text(fault.at_seconds), label=fault.label)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or no text has its default."""
        return cls(**{name: plain[name] for name in ("at", "label") if isinstance(plain.get(name), str)})

    def to_dict(self) -> dict[str, str]:
        return dict(vars(self))

    def validate(self) -> dict[str, str]:
        """Field → sentence for each field that can't be used as it is."""
        errors: dict[str, str] = {}
        for name, read in (("at", self.at_seconds), ("label", self._checked_label)):
            try:
                read()
            except BadInput as error:
                sentence = str(error)
                errors[name] = sentence[0].upper() + sentence[1:]
        return errors

    def at_seconds(self) -> float:
        """Seconds after measuring begins; raises ``BadInput``."""
        return seconds_of(self.at)

    def fault(self) -> PlannedFault:
        """The planned fault; raises ``BadInput``."""
        return PlannedFault(at_seconds=self.at_seconds(), label=self.label)

    def _checked_label(self) -> None:
        PlannedFault(at_seconds=0, label=self.label)
