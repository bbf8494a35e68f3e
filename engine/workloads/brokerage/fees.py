"""The costs of a trade: charges and commissions by customer tier, type of trade, exchange and quantity; and taxes.

Amounts are in cents, rates in hundredths of a per cent. Larger orders and better tiers pay less, as in TPC-E's tables,
whose values are not used.
"""

import numpy as np

from engine.workload.rows.randomness import Whole
from engine.workloads.brokerage.words import EXCHANGES, TRADE_TYPES

TIERS = 3
QUANTITY_LIMITS = (1, 201, 601, 1_001)
MOST_QUANTITY = 9_999
TAX_IDS = 320
NATIONAL_TAXES = 20
"""The number of national tax rates, which come first; all others are regional. A customer pays one of each."""

CHARGES: Whole = np.array([[150 + 75 * kind + 250 * tier for tier in range(TIERS)] for kind in range(len(TRADE_TYPES))])
"""By type of trade and tier."""

COMMISSION_RATES: Whole = np.array(
    [
        [
            [[60 - 12 * tier - 8 * amount + 2 * kind + exchange for amount in range(len(QUANTITY_LIMITS))]
             for exchange in range(len(EXCHANGES))]
            for kind in range(len(TRADE_TYPES))
        ]
        for tier in range(TIERS)
    ]
)  # fmt: skip
"""By tier, type of trade, exchange and range of quantities."""

_AMOUNTS = np.searchsorted(QUANTITY_LIMITS, np.arange(MOST_QUANTITY + 1), side="right") - 1  # by quantity


def commissions(tier: Whole, kind: Whole, exchange: Whole, quantity: Whole, price: Whole) -> Whole:
    """The commissions of trades: value times the rate for the quantity, rounded to cents, half up."""
    amount = _AMOUNTS[quantity]
    cents: Whole = (quantity * price * COMMISSION_RATES[tier - 1, kind, exchange, amount] + 5_000) // 10_000
    return cents
