"""A workload, as far as a plan knows it: its name and what can be set of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import BadInput
from engine.workload.parameters import Parameter, ParameterValues, Part, did_you_mean
from engine.workload.transaction import Metric, TransactionType


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What can be run.

    ``id`` is its name in plans and on the command line, ``title`` that on screens. No parameter has the key of one that
    every plan has. ``summary`` says the load in one phrase, ``sentence`` in one sentence, with each parameter's key in
    braces for its value in words; empty: the values are listed with their labels.

    ``transactions`` are what its users count, first what the ``headline`` counts, the rate that is shown first.
    """

    id: str
    title: str
    parameters: tuple[Parameter, ...]
    transactions: tuple[TransactionType, ...]
    headline: Metric
    summary: str = ""
    sentence: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all parameters."""
        return tuple(each.key for each in self.parameters)

    @property
    def load(self) -> tuple[Parameter, ...]:
        """The parameters that are part of the load."""
        return tuple(each for each in self.parameters if each.part is Part.LOAD)

    def values(self, given: Mapping[str, Any]) -> ParameterValues:
        """The values of all parameters: those given, and the defaults of the others.

        Raises ``BadInput`` that names an unknown key and the nearest known one, or a value that can't be used.
        """
        known = {each.key: each for each in self.parameters}
        for key in given:
            if key not in known:
                raise BadInput(f"'{key}' is not a parameter of workload {self.id}; {did_you_mean(key, known)}.")
        return ParameterValues({key: each.checked(given.get(key, each.default)) for key, each in known.items()})

    def in_words(self, values: Mapping[str, Any]) -> str:
        """The load in one phrase: ``20 % new customers, 3 searches of 5 rows, 5 lines``."""
        words = self._words(values)
        if self.summary:
            return self.summary.format_map(words)
        return ", ".join(_labelled(each, words[each.key]) for each in self.load if words[each.key])

    def in_a_sentence(self, values: Mapping[str, Any]) -> str:
        """The load in one sentence."""
        if self.sentence:
            return self.sentence.format_map(self._words(values))
        return f"{self.title}: {self.in_words(values)}."

    def _words(self, values: Mapping[str, Any]) -> dict[str, str]:
        return {each.key: each.in_words(values[each.key]) for each in self.load}


def _labelled(parameter: Parameter, words: str) -> str:
    return words if parameter.noun is not None else f"{parameter.label.lower()} {words}"
