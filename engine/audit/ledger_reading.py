"""Reading the ledgers of a run as arrays, also those that were torn when their process died. Called by the audit."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.audit.ledger import FORMAT, HEADER, MAGIC, RECORD

Records = npt.NDArray[np.void]
RECORD_TYPE = np.dtype([("moment_ms", "<u8"), ("order", "<u4"), ("customer", "<u4"), ("net_cents", "<u4")])
"""A record of ``engine.audit.ledger``, and of every array of orders in this room."""

assert RECORD_TYPE.itemsize == RECORD.size, "the two ways to read a record are of one size"


class UnreadableLedger(Exception):  # noqa: N818 - a finding about a file, which the audit tells
    """There is no ledger in this file, or not the one that is looked for; says why."""


@dataclass(frozen=True)
class LedgerContent:
    """What stands in one client's ledger.

    ``acknowledged`` and ``in_doubt`` are arrays of ``RECORD_TYPE`` in the order of writing, the former read from the
    file as it is used. ``is_complete`` is false when the client died, or could not write, before it had told all.
    """

    client: int
    acknowledged: Records
    in_doubt: Records
    is_complete: bool

    @property
    def last_moment_ms(self) -> int:
        """The moment of the last thing noted; 0 when there is none."""
        last = [int(part["moment_ms"][-1]) for part in (self.acknowledged, self.in_doubt) if len(part)]
        return max(last, default=0)


def read_ledger(path: Path, run_id: str, client: int) -> LedgerContent:
    """Read one client's ledger, as far as it holds whole records; raises ``UnreadableLedger``."""
    try:
        with path.open("rb") as file:
            begin = _past_header(file.read(HEADER.size + 2**16), run_id, client)
        records = (path.stat().st_size - begin) // RECORD.size
        if not records:
            empty = np.empty(0, RECORD_TYPE)
            return LedgerContent(client, empty, empty, is_complete=False)
        found: Records = np.memmap(path, RECORD_TYPE, mode="r", offset=begin, shape=records)
    except FileNotFoundError:
        raise UnreadableLedger("there is none") from None
    except OSError as error:
        raise UnreadableLedger(f"it can't be read: {error.strerror}") from error
    return _sorted_out(client, found)


def _past_header(begin: bytes, run_id: str, client: int) -> int:
    """Where the records begin."""
    if len(begin) < HEADER.size:
        raise UnreadableLedger("it is empty")
    magic, version, of_client, size = HEADER.unpack_from(begin)
    end: int = HEADER.size + size
    if magic != MAGIC:
        raise UnreadableLedger("it is not an order ledger of Spindle")
    if version != FORMAT:
        raise UnreadableLedger(f"it is of format {version}, which this version of Spindle does not support")
    if len(begin) < end:
        raise UnreadableLedger("it is empty")
    if (of_client, begin[HEADER.size : end].decode(errors="replace")) != (client, run_id):
        raise UnreadableLedger("it belongs to another run or client")
    return end


def _sorted_out(client: int, found: Records) -> LedgerContent:
    """The records by what they are; those without an order id are few, so that the others are seldom copied."""
    rest = np.flatnonzero(found["order"] == 0)
    if not len(rest):
        return LedgerContent(client, found, found[:0], is_complete=False)
    others = np.array(found[rest])
    is_complete = rest[-1] == len(found) - 1 and others["customer"][-1] == 0
    in_doubt = others[others["customer"] > 0]
    last_is_all = is_complete and len(rest) == 1
    acknowledged = found[:-1] if last_is_all else found[found["order"] > 0]
    return LedgerContent(client, acknowledged, in_doubt, is_complete=bool(is_complete))
