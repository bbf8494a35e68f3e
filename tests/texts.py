"""Helpers to test texts for people by their figures and essential words, so that the wording can change."""

from collections.abc import Iterable


def plain(text: str) -> str:
    """A text with ordinary spaces in the place of thin ones."""
    return text.replace("\u202f", " ")


def lacks(text: str | Iterable[str], *parts: str) -> list[str]:
    """The parts that a text, or several together, does not contain; kinds of spaces and capitals count for nothing."""
    whole = plain(text if isinstance(text, str) else "\n".join(text)).casefold()
    return [part for part in parts if plain(part).casefold() not in whole]


def number_in(text: object) -> float:
    """The number that a text is, apart from its thin spaces."""
    return float(str(text).replace("\u202f", "").replace("−", "-"))


def one_with(texts: Iterable[str], part: str) -> str:
    """The only one of several texts that contains a part."""
    (found,) = [text for text in texts if not lacks(text, part)]
    return found
