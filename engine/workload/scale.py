"""The scale of a store: how large it is, by the value of one parameter of its workload or by those of several."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from engine.figure_text import listed
from engine.parameters.parameter import Parameter


class Scale(ABC):
    """How large the stores of a workload are; ``str`` of a scale is what is recorded with a store.

    ``parameters`` are those whose values make a scale. Without a value of the first one, the scale is ``None``: that of
    the store that is there.
    """

    def __init__(self, *parameters: Parameter) -> None:
        self.parameters = parameters

    @abstractmethod
    def of(self, values: Mapping[str, Any]) -> Any:
        """The scale that a workload's values make; raises ``BadInput`` for values that do not fit together."""

    @abstractmethod
    def values(self, scale: Any) -> Mapping[str, Any]:
        """The values, by the parameters' keys, that make this scale."""

    @abstractmethod
    def read(self, recorded: str) -> Any:
        """The scale of which this is the ``str``; raises ``BadInput``."""

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(each.key for each in self.parameters)

    @property
    def label(self) -> str:
        """What is asked for first, as on a form."""
        return self.parameters[0].label

    @property
    def default_help(self) -> str:
        """What a scale that is left open means."""
        return self.parameters[0].default_help

    def typed(self, scale: Any) -> dict[str, str]:
        """The values as somebody would type them; empty for a scale that is left open."""
        if scale is None:
            return dict.fromkeys(self.keys, "")
        values = self.values(scale)
        return {each.key: each.write(values[each.key]) for each in self.parameters}

    def options(self, scale: Any) -> str:
        """The options of a command: ``--customers 5000 --days 10``."""
        typed = self.typed(scale)
        return " ".join(f"--{each.option_name} {shlex.quote(typed[each.key])}" for each in self.parameters)

    def in_words(self, scale: Any) -> str:
        """The scale in a sentence: ``10 warehouses``, ``5 000 customers and 10 days of trades``."""
        values = self.values(scale)
        return listed([each.in_words(values[each.key]) for each in self.parameters])

    def store(self, recorded: str, called: str = "store") -> str:
        """A store of a recorded scale: ``100MB store``, ``store of 10 warehouses``; or what it is ``called``."""
        if self.parameters[0].noun is None:
            return f"{recorded} {called}"
        return f"{called} of {self.in_words(self.read(recorded))}"


class ScaleOfOne(Scale):
    """A scale that is the value of one parameter; the parameter reads what was recorded as what was typed."""

    def of(self, values: Mapping[str, Any]) -> Any:
        return values[self.parameters[0].key]

    def values(self, scale: Any) -> Mapping[str, Any]:
        return {self.parameters[0].key: scale}

    def read(self, recorded: str) -> Any:
        return self.parameters[0].read(recorded)
