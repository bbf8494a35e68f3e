"""Random numbers that can be computed from an index alone, the same for ever and on every machine.

Every random column of the store has a stream of its own; the row generator asks it for the numbers of any range of
rows, in any order. A stream is SplitMix64 read as a counter: number *i* is the mix of ``key + i × golden gamma``.
numpy's own generators are not used, since their streams may change from version to version.

Source of the constants: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
"""

import hashlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)


class Stream:
    """The random 64-bit numbers of one column: a fixed number for every index from 0 to 2**64 - 1."""

    def __init__(self, seed: int, name: str) -> None:
        digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
        self._key = np.uint64(int.from_bytes(digest[:8], "little"))

    def words(self, first: int, count: int) -> Words:
        """The numbers of indices ``first`` to ``first + count - 1``."""
        return self.words_at(np.arange(first, first + count, dtype=np.uint64))

    def words_at(self, indices: Words) -> Words:
        """The numbers of these indices, in their order and shape."""
        state = indices * GOLDEN_GAMMA
        state += self._key
        return mixed(state)

    def below(self, limit: int, first: int, count: int) -> Whole:
        """Whole numbers from 0 to ``limit - 1``, evenly distributed, of ``count`` indices from ``first``."""
        return below(self.words(first, count), limit)

    def below_at(self, limit: int, indices: Words) -> Whole:
        """Whole numbers from 0 to ``limit - 1``, evenly distributed, of these indices."""
        return below(self.words_at(indices), limit)


def mixed(state: Words) -> Words:
    """SplitMix64's output function; ``state`` is overwritten."""
    state ^= state >> np.uint64(30)
    state *= _FIRST_FACTOR
    state ^= state >> np.uint64(27)
    state *= _SECOND_FACTOR
    state ^= state >> np.uint64(31)
    return state


def streams_of(seed: int, table: str) -> Callable[[str], Stream]:
    """Makes the stream of a column of ``table`` by the column's name."""
    return lambda column: Stream(seed, f"{table}.{column}")


def below(words: Words, limit: int | Words) -> Whole:
    """Random 64-bit numbers as whole numbers from 0 to ``limit - 1``; ``limit`` is at most 2**32.

    The upper half of the 128-bit product of number and limit (D. Lemire, "Fast Random Integer Generation in an
    Interval", 2019), in two steps that fit 64 bits: no value is likelier than another by more than 2**-32.
    """
    factor = np.uint64(limit) if isinstance(limit, int) else limit
    upper = words >> _HALF
    upper *= factor
    lower = words & _LOW_HALF
    lower *= factor
    lower >>= _HALF
    upper += lower
    upper >>= _HALF
    return upper.view(np.int64)


def split(words: Words, base: int, count: int) -> list[Whole]:
    """Each random 64-bit number as ``count`` whole numbers below ``base``: the first half of them from its upper 32
    bits, the others from its lower 32. ``base`` to the power of a half must stay well below 2**32.
    """
    factor = np.uint64(base)
    parts = []
    for half, wanted in ((words >> _HALF, (count + 1) // 2), (words & _LOW_HALF, count // 2)):
        fraction = half
        for _ in range(wanted):
            fraction = fraction * factor
            parts.append((fraction >> _HALF).view(np.int64))
            fraction &= _LOW_HALF
    return parts
