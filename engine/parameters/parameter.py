"""Parameters: what can be set in a plan or for a machine, each described once.

The form, the command line's options, the plan file, the sentences and the errors are made from the descriptions: those
of every plan are ``engine.plan.parameters.COMMON``, the others are a workload's own or those of an access to a machine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.figure_text import counted
from engine.parameters.values import Choice, Flag, Minutes, Number, Text, Texts, ValueType, Whole, did_you_mean

__all__ = [
    "Choice",
    "Flag",
    "Minutes",
    "Number",
    "Parameter",
    "ParameterValues",
    "Part",
    "Text",
    "Texts",
    "ValueType",
    "Whole",
    "did_you_mean",
]


class Part(StrEnum):
    """What part of a plan a parameter belongs to; the wizard has a page for each."""

    TARGETS = "targets"
    DATABASE = "database"
    LOAD = "load"
    RUN = "run"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One thing that can be set.

    ``key`` is its name in plan files, stored plans and errors about them, ``label`` in the form, and ``help`` one
    sentence on it for the form and for the command line. A ``default`` of ``None`` leaves the value open;
    ``default_help`` says what that means. ``step`` is what an arrow key adds, in the field's unit, and ``mnemonic`` the
    letter of the label that leads to the field with Alt.

    ``option`` is the name on the command line, empty for the key with hyphens; ``aliases`` are others.
    ``metavar`` stands for the value in the command's help, and ``examples`` are offered by the shell's completion.
    ``noun``, singular and plural, is what the value counts in a sentence.
    """

    key: str
    label: str
    type: ValueType
    default: Any
    part: Part = Part.LOAD
    help: str = ""
    default_help: str = ""
    unit: str = ""
    step: float = 1
    mnemonic: str = ""
    option: str = ""
    aliases: tuple[str, ...] = ()
    metavar: str = "N"
    examples: tuple[str, ...] = ()
    noun: tuple[str, str] | None = None

    @property
    def option_name(self) -> str:
        """The option without its hyphens: ``think-time-ms``."""
        return self.option or self.key.replace("_", "-")

    @property
    def titled(self) -> str:
        """The label with the unit: ``Think time, ms``."""
        return f"{self.label}, {self.unit}" if self.unit else self.label

    def checked(self, value: object, name: str = "") -> Any:
        """The value as a plan holds it; raises ``BadInput`` that begins with ``name``, or else with the key."""
        return self._checked(name or self.key, value)

    def read(self, text: str) -> Any:
        """The value that was typed into the form; raises ``BadInput`` that begins with the label.

        Nothing typed leaves a value open that may be.
        """
        if self.default is None and not text.strip():
            return None
        return self._checked(self.label, self.type.read(self.label, text))

    def write(self, value: Any) -> str:
        """The value as somebody would type it; empty when it is left open."""
        return "" if value is None else self.type.write(value)

    def shown(self, value: Any) -> str:
        """The value as screens and documents show it, without its unit; empty when it is left open."""
        return "" if value is None else self.type.shown(value)

    def plain(self, value: Any) -> Any:
        """The value for JSON and TOML."""
        return None if value is None else self.type.plain(value)

    def in_words(self, value: Any) -> str:
        """The value in a sentence: ``3 searches``, ``20 %``."""
        if self.noun is not None:
            return counted(self.plain(value), *self.noun)
        return f"{self.shown(value)} {self.unit}".rstrip()

    def _checked(self, name: str, value: object) -> Any:
        return None if value is None and self.default is None else self.type.checked(name, value)


class ParameterValues(Mapping[str, Any]):
    """The values of a workload's parameters by their keys; can't be changed, compares and hashes by value."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values})"
