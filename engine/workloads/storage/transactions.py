"""What storage counts: I/Os, each of which is a read or a write."""

from engine.workload.transaction import Metric, TransactionType

IO, READ, WRITE = "io", "read", "write"
TRANSACTIONS = (
    TransactionType(id=IO, label="I/O", plural="ios"),
    TransactionType(id=READ, label="read", plural="reads", step_of=IO),
    TransactionType(id=WRITE, label="write", plural="writes", step_of=IO),
)
IOPS = Metric(id="iops", label="IOPS", unit="I/Os/s", counts=IO, per_seconds=1)
