"""What a Wholesale store of a given scale holds before its first run."""

from engine.workload.rows.estimate import StoreEstimate, estimate_of
from engine.workloads.wholesale.schema import INDEX_KEYS, TABLES
from engine.workloads.wholesale.sizing import Warehouses


def estimate(scale: Warehouses) -> StoreEstimate:
    """The estimate of a store of this scale; an order is expected to have 10 lines."""
    return estimate_of(str(scale), TABLES, scale.rows(), INDEX_KEYS, inexact=("order_line",))


def size_bytes(scale: str) -> int:
    """The size of the tables and indexes of a scale, such as ``10W``."""
    return estimate(Warehouses.parse(scale)).total_bytes
