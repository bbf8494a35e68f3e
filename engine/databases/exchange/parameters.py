"""How a call's arguments become the parameters of its statement, as data: a ``Source`` for each parameter.

The compiled ``Parameters`` (``_parameters.c``) make them on the hot path; ``PlainParameters`` define what they are.
"""

import re
from enum import IntEnum
from typing import Any, NamedTuple

from engine.databases.exchange import compiled

# What full-text search takes for words: everything else would be an operator of its language.
_WORD = re.compile(r"\w+")


class Form(IntEnum):
    """What is done with arguments; ``_parameters.c`` knows the numbers."""

    PLAIN = 0
    JOINED = 1
    WORDS = 2
    MEMBERS = 3
    COUNT = 4
    SPREAD = 5


class Source(NamedTuple):
    """Where a parameter comes from: a form, the places of one or two arguments, and for how many parameters."""

    form: Form
    first: int
    second: int = 0
    length: int = 1


def plain(place: int) -> Source:
    """The argument itself."""
    return Source(Form.PLAIN, place)


def joined(place: int, other_place: int) -> Source:
    """Two texts with a space between them."""
    return Source(Form.JOINED, place, other_place)


def words(place: int, other_place: int) -> Source:
    """All words of two texts in the syntax of MySQL's full-text search in boolean mode: each prefixed with a plus."""
    return Source(Form.WORDS, place, other_place)


def members(place: int, member: int) -> Source:
    """The list of one member of each tuple in a list."""
    return Source(Form.MEMBERS, place, member)


def count(place: int) -> Source:
    """How long a list is."""
    return Source(Form.COUNT, place)


def spread(place: int, *, length: int, width: int = 1) -> Source:
    """So many parameters: the members of a list, or of its tuples of a width, and 0 for those that are left."""
    return Source(Form.SPREAD, place, width, length)


class PlainParameters:
    """The parameters of a call: called with the arguments, the tuple of what each source makes of them."""

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        return tuple(parameter for source in self._sources for parameter in _made(source, arguments))


def _made(source: Source, arguments: tuple[Any, ...]) -> list[Any]:
    argument = arguments[source.first]
    match source.form:
        case Form.PLAIN:
            return [argument]
        case Form.JOINED:
            return [f"{argument} {arguments[source.second]}"]
        case Form.WORDS:
            return [all_words(argument, arguments[source.second])]
        case Form.MEMBERS:
            return [[each[source.second] for each in argument]]
        case Form.COUNT:
            return [len(argument)]
        case Form.SPREAD:
            spread_out = list(argument) if source.second == 1 else [member for each in argument for member in each]
            if len(spread_out) > source.length:
                raise ValueError(f"a list of {len(argument)} is longer than there are parameters for")
            return [*spread_out, *[0] * (source.length - len(spread_out))]


def all_words(*texts: str) -> str:
    """A search in boolean mode for all words of the texts; for nothing where there is no word."""
    return " ".join(f"+{word}" for text in texts for word in _WORD.findall(text))


Parameters = PlainParameters if compiled is None else compiled.Parameters
