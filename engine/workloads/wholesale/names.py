"""Last names of customers, and the non-uniform numbers by which items and customers are chosen.

Used by the row generator and by the emulated user, so nothing here needs numpy. ``NURand(A, x, y)`` of the TPC-C
specification, clause 2.1.6, is ``((random(0, A) | random(x, y)) + C) % (y - x + 1) + x``: the bitwise "or" of two
random numbers makes some values more frequent than others. C is a constant of the run.
"""

from typing import NamedTuple

SYLLABLES = ("BER", "LAN", "MOR", "TIS", "VAL", "DOR", "KEN", "RUD", "HAL", "STEIN")
LAST_NAMES = 1_000


class NonUniform(NamedTuple):
    """The constants of one kind of number: ``a`` is the largest value of the first random number, ``c`` is added."""

    a: int
    c: int


# Clause 2.1.6.1: C of the last names in a run differs from that of the build by 65 to 119, but not by 96 or 112.
BUILT_LAST_NAME = NonUniform(255, 157)
LAST_NAME = NonUniform(255, 223)
CUSTOMER = NonUniform(1023, 259)
ITEM = NonUniform(8191, 7911)


def last_name(number: int) -> str:
    """The last name of a number from 0 to 999: a syllable for each of its three digits (clause 4.3.2.3)."""
    return SYLLABLES[number // 100] + SYLLABLES[number // 10 % 10] + SYLLABLES[number % 10]
