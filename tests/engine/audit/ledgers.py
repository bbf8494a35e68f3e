"""Ledgers and orders to audit, shared by the tests of this package."""

from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from engine.audit.comparing import STORED_TYPE
from engine.audit.ledger import NO_NUMBER, End, Ledger
from engine.audit.ledger_reading import RECORD_TYPE, Records

Record = tuple[int, int, int, int]
"""Moment in milliseconds, order id, customer id, net amount in cents."""

NUMBER = st.integers(1, 2**32 - 1)
MOMENT = st.integers(0, 2**63)


def records(*rows: Record) -> Records:
    return np.array(list(rows), dtype=RECORD_TYPE)


def orders(*rows: tuple[int, int, int]) -> Records:
    """Orders as a server tells them: id, customer, net amount in cents."""
    return np.array(list(rows), dtype=STORED_TYPE)


def write_ledger(
    folder: Path,
    acknowledged: list[Record],
    in_doubt: list[Record] | None = None,
    *,
    client: int = 1,
    end: End | None = End.COMPLETE,
) -> Path:
    """A ledger in the folder of a run of the folder's name; without an end it is left as by a client that died."""
    path = folder / f"client-{client}.ledger"
    ledger = Ledger(str(path), client)
    for record in acknowledged:
        ledger.note(*record)
    for moment_ms, _, customer, net_cents in in_doubt or []:
        ledger.note(moment_ms, NO_NUMBER, customer, net_cents)
    assert (ledger.flush() if end is None else ledger.close(1_000, end)) is None
    return path
