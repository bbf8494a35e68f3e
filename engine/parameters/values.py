"""The types of parameters' values: what each accepts, how it is typed, written, and kept in JSON and TOML.

Called by ``engine.parameters.parameter``. A workload may bring a type of its own, such as the size of its database.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.errors import BadInput
from engine.parameters.typed_text import (
    read_list,
    read_minutes,
    read_number,
    read_whole,
    write_list,
    write_minutes,
    write_number,
)

# Of difflib's ratio, which is 1 for the same word.
_TYPING_ERROR, _SIMILAR = 0.85, 0.6


class ValueType:
    """What a value may be. ``name`` is the parameter's, as the sentence of an error begins with it.

    ``is_number``: it is typed as a number, and an arrow key adds to it. ``is_list``: it is any number of texts, with
    commas between them in a form, each with its own option on the command line. ``units`` are those in which it may be
    typed; a form has a field of its own for them, and a number without any is in the unit that was chosen there.
    """

    is_number: ClassVar[bool] = False
    is_list: ClassVar[bool] = False
    units: ClassVar[tuple[str, ...]] = ()

    def checked(self, name: str, value: object) -> Any:
        """The value as it is kept in a plan; raises ``BadInput`` with the name, the value and the remedy."""
        raise NotImplementedError

    def read(self, name: str, text: str) -> Any:
        """The value that a text means; raises ``BadInput``, or leaves it to ``checked`` to refuse what was read."""
        return text

    def write(self, value: Any) -> str:
        """The text that ``read`` reads back."""
        return str(value)

    def plain(self, value: Any) -> Any:
        """The value for JSON and TOML; ``checked`` takes it back."""
        return value

    def shown(self, value: Any) -> str:
        """The value as screens and documents show it."""
        return self.write(value)

    def one_by_one(self, value: Any) -> list[str]:
        """The texts of a list, as they are typed one by one; ``checked`` takes them back."""
        return [self.write(value)]


@dataclass(frozen=True)
class Whole(ValueType):
    """A whole number within its limits."""

    is_number: ClassVar[bool] = True
    least: int
    most: int

    def checked(self, name: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise BadInput(f"{name} is {value!r}; give a whole number from {self.least} to {self.most}.")
        return value

    def read(self, name: str, text: str) -> int:
        return read_whole(name, text)


@dataclass(frozen=True)
class Number(ValueType):
    """A number within its limits."""

    is_number: ClassVar[bool] = True
    least: float
    most: float

    def checked(self, name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            raise BadInput(f"{name} is {value!r}; give a number from {self.least} to {self.most}.")
        return float(value)

    def read(self, name: str, text: str) -> float:
        return read_number(name, text)

    def write(self, value: float) -> str:
        return write_number(value)


@dataclass(frozen=True)
class Minutes(Number):
    """A duration, kept in minutes and typed as ``30``, ``90s`` or ``1:30``."""

    def read(self, name: str, text: str) -> float:
        return read_minutes(name, text)

    def write(self, value: float) -> str:
        return write_minutes(value)


@dataclass(frozen=True)
class Flag(ValueType):
    """Yes or no."""

    def checked(self, name: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise BadInput(f"{name} is {value!r}; give true or false.")
        return value

    def read(self, name: str, text: str) -> bool:
        if text not in ("yes", "no"):
            raise BadInput(f"{name} is '{text}'; give yes or no.")
        return text == "yes"

    def write(self, value: bool) -> str:
        return "yes" if value else "no"


@dataclass(frozen=True)
class Choice(ValueType):
    """One of several texts, which may be the members of an enumeration.

    ``titles`` are what is shown for those that are no words: names in their usual spelling.
    """

    texts: tuple[str, ...]
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)

    def shown(self, value: Any) -> str:
        return self.titles.get(value, str(value))

    def checked(self, name: str, value: object) -> str:
        if not isinstance(value, str) or value not in self.texts:
            raise BadInput(f"{name} is {value!r}; {did_you_mean(str(value), self.texts, 'give one of')}.")
        return self.texts[self.texts.index(value)]


@dataclass(frozen=True)
class Text(ValueType):
    """Any text."""

    def checked(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise BadInput(f"{name} is {value!r}; give a text in quotes.")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise BadInput(f"{name} is {value!r}; write it in UTF-8.")
        return value


@dataclass(frozen=True)
class Texts(ValueType):
    """Any number of texts, typed with commas between them."""

    is_list: ClassVar[bool] = True

    def checked(self, name: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            raise BadInput(f"{name} is not a list; give a list in square brackets.")
        return tuple(Text().checked(name, each) for each in value)

    def read(self, name: str, text: str) -> tuple[str, ...]:
        return read_list(text)

    def write(self, value: Iterable[str]) -> str:
        return write_list(value)

    def plain(self, value: Iterable[str]) -> list[str]:
        return list(value)

    def one_by_one(self, value: Iterable[str]) -> list[str]:
        return list(value)


def did_you_mean(
    word: str, known: Iterable[str], otherwise: str = "known keys are", *, listed: Iterable[str] | None = None
) -> str:
    """The remedy for an unknown word: a known one that differs in a letter or two, else the only one that begins with
    it, else the most similar one if it is near, else all of them, or those that are ``listed``, after ``otherwise``."""
    known, lower = tuple(known), word.lower()
    listed = known if listed is None else listed
    by_lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(lower, by_lower, n=1, cutoff=_TYPING_ERROR)
    begun = [each for each in by_lower if each.startswith(lower)]
    found = near or (begun if len(begun) == 1 else difflib.get_close_matches(lower, by_lower, n=1, cutoff=_SIMILAR))
    return f"did you mean '{by_lower[found[0]]}'" if found else f"{otherwise} {', '.join(listed)}"
