"""The word lists that titles, actors and full-text searches are made of.

The row generator and the emulated user both read them here; nothing in this file needs numpy. The order of the words
is part of the rows: a word that moves changes every store that is built after it.
"""

from functools import cache

from resources import read_text


@cache
def title_words() -> tuple[str, ...]:
    """The 1,000 words of titles: a title is two of them."""
    return _read("titles.txt")


@cache
def first_names() -> tuple[str, ...]:
    """The 200 first names of actors."""
    return _read("first_names.txt")


@cache
def last_names() -> tuple[str, ...]:
    """The 200 last names of actors."""
    return _read("last_names.txt")


def title_of(prod_id: int) -> tuple[str, str]:
    """The two words of a product's title; those of products 1 to 1,000,000 are all different."""
    words = title_words()
    return words[(prod_id - 1) // len(words) % len(words)], words[(prod_id - 1) % len(words)]


def _read(name: str) -> tuple[str, ...]:
    return tuple(read_text("words", name).split())
