"""Random columns that several tables of a Wholesale store share: texts, addresses, moments, non-uniform numbers.

Texts are capital letters of a uniformly distributed length, where the TPC-C specification (clause 4.3.2.2) asks for
random characters of any kind.
"""

from collections.abc import Callable

import numpy as np

from engine.workload.rows.randomness import Stream, Whole, below
from engine.workload.rows.texts import Text, as_bytes, as_text, capitals, digits, joined_columns
from engine.workloads.wholesale.names import NonUniform

_LETTERS_AT_ONCE = 12
_ORIGINAL = b"ORIGINAL"
_ORIGINALS_PER_100 = 10
BUILT_SECONDS = 365 * 86_400
BUILT_FROM = np.datetime64("2025-01-01T00:00:00", "s")


class TextColumn:
    """A column of texts of ``least`` to ``most`` random letters, which depend on the row's number from 0."""

    def __init__(self, stream: Callable[[str], Stream], name: str, least: int, most: int) -> None:
        self._letters = stream(name)
        self._lengths = stream(f"{name}.length")
        self._least = least
        self._most = most
        self._parts = -(-most // _LETTERS_AT_ONCE)

    def texts(self, first: int, rows: int) -> Text:
        """The column of ``rows`` rows from ``first``."""
        words = self._letters.words(first * self._parts, rows * self._parts)
        letters = capitals(words, _LETTERS_AT_ONCE).view(f"S{_LETTERS_AT_ONCE * self._parts}")
        cut = np.ascontiguousarray(as_bytes(letters)[:, : self._most])
        if self._least < self._most:
            length = self._least + self._lengths.below(self._most - self._least + 1, first, rows)
            cut[np.arange(self._most) >= length[:, np.newaxis]] = 0
        return as_text(cut)


class DataColumn:
    """``i_data`` and ``s_data``: 26 to 50 letters, with ORIGINAL somewhere in one row of ten (clause 4.3.3.1)."""

    _least, _most = 26, 50

    def __init__(self, stream: Callable[[str], Stream], name: str) -> None:
        self._texts = TextColumn(stream, name, self._least, self._most)
        self._chance = stream(f"{name}.original")
        self._place = stream(f"{name}.place")

    def texts(self, first: int, rows: int) -> Text:
        texts = self._texts.texts(first, rows)
        place = self._place.below(self._least - len(_ORIGINAL) + 1, first, rows)
        letters = as_bytes(texts)
        for row in np.flatnonzero(self._chance.below(100, first, rows) < _ORIGINALS_PER_100):
            letters[row, place[row] : place[row] + len(_ORIGINAL)] = np.frombuffer(_ORIGINAL, np.uint8)
        return texts


class AddressColumns:
    """Street, city, state and zip of warehouses, districts and customers; ``prefix`` is that of the columns' names."""

    def __init__(self, stream: Callable[[str], Stream], prefix: str) -> None:
        names = (f"{prefix}_street_1", f"{prefix}_street_2", f"{prefix}_city")
        self._texts = {name: TextColumn(stream, name, 10, 20) for name in names}
        self._state = TextColumn(stream, f"{prefix}_state", 2, 2)
        self._zip = stream(f"{prefix}_zip")
        self._prefix = prefix

    def columns(self, first: int, rows: int) -> dict[str, np.ndarray]:
        zip_start = digits(self._zip.words(first, rows), 4)
        return {
            **{name: column.texts(first, rows) for name, column in self._texts.items()},
            f"{self._prefix}_state": self._state.texts(first, rows),
            f"{self._prefix}_zip": joined_columns(zip_start, b"11111", rows=rows),  # clause 4.3.2.7
        }


def non_uniform(stream: Stream, constants: NonUniform, limit: int, first: int, rows: int) -> Whole:
    """``NURand`` from 0 to ``limit - 1``, see ``engine.workloads.wholesale.names``."""
    words = stream.words(2 * first, 2 * rows)
    one, other = below(words[::2], constants.a + 1), below(words[1::2], limit)
    return ((one | other) + constants.c) % limit


def moments(stream: Stream, first: int, rows: int) -> np.ndarray:
    """Moments within the year before the build, to the second."""
    return BUILT_FROM + stream.below(BUILT_SECONDS, first, rows).astype("timedelta64[s]")
