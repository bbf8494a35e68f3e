"""One planned fault as it is typed: when, counted from the beginning of measuring, what is done, and its label."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from engine.draft.injection_choices import MARK, TEXT
from engine.draft.injection_draft import InjectionDraft
from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.figure_text import capitalised
from engine.parameters.typed_text import duration_of, time_text

_MOMENT = "t+"


def _no_injection() -> InjectionDraft:
    return InjectionDraft(kind=MARK)


@dataclass
class FaultDraft:
    """``at`` is ``m:ss``, ``h:mm:ss``, ``40s``, ``2m`` or seconds, ``done`` what Spindle does then.

    Of a mark, Spindle does nothing: it needs a ``label``, and ``is_fault`` says whether the run is to recover from it.
    """

    at: str = "1:00"
    label: str = ""
    is_fault: bool = False
    done: InjectionDraft = field(default_factory=_no_injection)

    @classmethod
    def from_fault(cls, fault: PlannedFault) -> Self:
        done = InjectionDraft.from_fault(fault)
        if fault.injection is None:
            return cls(at=time_text(fault.at_seconds), label=fault.label, is_fault=bool(fault.is_fault), done=done)
        own = replace(fault, label="").label
        return cls(at=time_text(fault.at_seconds), label="" if fault.label == own else fault.label, done=done)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A fault typed as for ``--fault``: ``T+40s kill primary``. Raises ``BadInput``."""
        return cls.from_fault(parse_fault(text))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or of another kind has its default."""
        texts = {name: plain[name] for name in ("at", "label") if isinstance(plain.get(name), str)}
        draft = cls(**texts, is_fault=plain.get("is_fault") is True)
        if isinstance(plain.get("done"), Mapping):
            draft.done = InjectionDraft.from_dict(plain["done"])
        return draft

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self)) | {"done": self.done.to_dict()}

    @property
    def is_mark(self) -> bool:
        return self.done.kind == MARK

    @property
    def what(self) -> str:
        """What is done as it is typed, empty for a mark."""
        return self.done.text()

    def type_what(self, text: str) -> None:
        """Take over what was typed as text: what is done, perhaps with its moment before it and its label in it."""
        text = text.strip()
        first, _, rest = text.partition(" ")
        if first.lower().startswith(_MOMENT):
            self._take_moment(first[len(_MOMENT) :])
            text = rest.strip()
        if text.lower() in ("", MARK):
            self.done = replace(self.done, kind=MARK)
            return
        done = InjectionDraft.from_text(text)
        if done.kind != TEXT:
            typed = type(self).from_text(f"0 {text}")
            self.label, self.is_fault = typed.label or self._own_label(done), typed.is_fault
        self.done = done

    def called(self) -> str:
        """What it is called: its label, else what is done in a few words; empty when that can't be read."""
        try:
            return self.label if self.is_mark else self.fault().label
        except BadInput:
            return self.label

    def validate(self) -> dict[str, str]:
        """Field → sentence for each field that can't be used as it is; one of ``done`` is ``done.value``."""
        errors: dict[str, str] = {}
        at_seconds = 0.0
        try:
            at_seconds = self.at_seconds()
        except BadInput as error:
            errors["at"] = capitalised(str(error))
        wrong = self.done.validate(at_seconds)
        errors |= {f"done.{name}": text for name, text in wrong.items()}
        try:
            replace(self, at="0" if "at" in errors else self.at).fault()
        except BadInput as error:
            if not wrong:  # what it is called by itself is not known before
                errors["label"] = capitalised(str(error))
        return errors

    def at_seconds(self) -> float:
        """Seconds after measuring begins; raises ``BadInput``."""
        return duration_of(self.at)

    def fault(self) -> PlannedFault:
        """The planned fault; raises ``BadInput``."""
        at_seconds = self.at_seconds()
        if self.is_mark:
            return PlannedFault(at_seconds=at_seconds, label=self.label, is_fault=self.is_fault)
        return self.done.fault(at_seconds, self.label)

    def _take_moment(self, text: str) -> None:
        try:
            self.at = time_text(duration_of(text))
        except BadInput:
            self.at = text

    def _own_label(self, done: InjectionDraft) -> str:
        """The label that stays when another injection is typed; a mark's own was about something else."""
        return "" if self.is_mark or done.kind == MARK else self.label
