"""Samples of Wholesale: so many New-Orders, and of the other types in proportion to them."""

from engine.histogram import bucket_of, pack
from engine.telemetry.sample import Count, Sample

TYPES = {
    "new_order": 1.0,
    "payment": 0.95,
    "order_status": 0.1,
    "delivery": 0.1,
    "stock_level": 0.1,
    "rolled_back": 0.01,
}
"""The types, and how many of each there are to a New-Order."""


def wholesale_sample(
    client: int, second: int, new_orders: int, *, times_us: int = 4_000, overdue: bytes | None = None
) -> Sample:
    """A second of a client; each transaction takes ``times_us``, those of other types ten times that."""
    transactions = {}
    for kind, share in TYPES.items():
        count, each_us = round(share * new_orders), times_us if kind == "new_order" else 10 * times_us
        histogram = pack({bucket_of(each_us): count}) if count else b""
        transactions[kind] = Count(count, each_us * count, each_us if count else 0, histogram)
    rolled_back = transactions["rolled_back"].n
    return Sample(client=client, second=second, rollbacks=rolled_back, transactions=transactions, overdue=overdue)
