"""The names and tiers of customers, which several tables contain."""

import numpy as np

from engine.workload.rows.randomness import Whole, streams_of
from engine.workload.rows.texts import Text, table_of
from engine.workloads.brokerage.fees import TIERS
from engine.workloads.brokerage.words import FIRST_NAMES, LAST_NAMES

_TIER_LIMITS = (2, 8)  # of ten customers, two are in tier 1 and two in tier 3
_FIRST, _LAST = table_of(FIRST_NAMES), table_of(LAST_NAMES)
_FULL = table_of([f"{first} {last}" for first in FIRST_NAMES for last in LAST_NAMES])


class Names:
    """The first and last name and the tier of each customer; customers count from 0."""

    def __init__(self, seed: int) -> None:
        stream = streams_of(seed, "customer")
        self._first, self._last, self._tier = stream("c_f_name"), stream("c_l_name"), stream("c_tier")

    def first(self, customers: Whole) -> Text:
        names: Text = _FIRST[self._first_numbers(customers)]
        return names

    def last(self, customers: Whole) -> Text:
        names: Text = _LAST[self._last_numbers(customers)]
        return names

    def full(self, customers: Whole) -> Text:
        names: Text = _FULL[self._first_numbers(customers) * len(LAST_NAMES) + self._last_numbers(customers)]
        return names

    def tiers(self, customers: Whole) -> Whole:
        """The tier of each customer, 1 to 3."""
        tenth = self._tier.below_at(10, customers.astype(np.uint64))
        tiers: Whole = 1 + np.searchsorted(_TIER_LIMITS, tenth, side="right")
        assert tiers.max(initial=1) <= TIERS
        return tiers

    def _first_numbers(self, customers: Whole) -> Whole:
        return self._first.below_at(len(FIRST_NAMES), customers.astype(np.uint64))

    def _last_numbers(self, customers: Whole) -> Whole:
        return self._last.below_at(len(LAST_NAMES), customers.astype(np.uint64))
