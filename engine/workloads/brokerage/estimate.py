"""What a Brokerage store of a given scale holds before its first run."""

from engine.workload.rows.estimate import StoreEstimate, estimate_of
from engine.workloads.brokerage.schema import INDEX_KEYS, TABLES
from engine.workloads.brokerage.sizing import Size


def estimate(scale: Size) -> StoreEstimate:
    """The estimate of a store of this scale."""
    return estimate_of(str(scale), TABLES, scale.rows(), INDEX_KEYS)


def size_bytes(scale: str) -> int:
    """The size of the tables and indexes of a scale, such as ``1000C10D``."""
    return estimate(Size.parse(scale)).total_bytes
