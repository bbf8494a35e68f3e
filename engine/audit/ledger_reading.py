"""Reading the ledgers of a run as arrays, also those that were torn when their process died. Called by the audit."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.audit.ledger import FORMAT, HEADER, MAGIC, RECORD, End
from engine.audit.ledger_overflow import overflow_of

Records = npt.NDArray[np.void]
RECORD_TYPE = np.dtype([("moment_ms", "<u8"), ("number", "<u4"), ("key", "<u4"), ("check", "<u4")])
"""A record without its checksum: the type of every array of transactions in this package."""

_OLD_FORMAT = 1  # records without a checksum; a file that was torn ends with its last whole one
_OLD_RECORD = struct.Struct("<QIII")
_FILE_TYPE = np.dtype([("words", "<u4", 5), ("checksum", "<u4")])
_NUMBERS_OF_FILE = np.dtype(
    {
        "names": ["moment_ms", "number", "key", "check"],
        "formats": ["<u8", "<u4", "<u4", "<u4"],
        "offsets": [0, 8, 12, 16],
        "itemsize": RECORD.size,
    }
)
"""``RECORD_TYPE`` as it stands in a file, with the checksum between the records."""
_AT_ONCE = 1 << 20

assert RECORD_TYPE.itemsize == _OLD_RECORD.size, "a record of the older format is one without a checksum"
assert _FILE_TYPE.itemsize == RECORD.size, "the two ways to read a record are of one size"


class UnreadableLedger(Exception):  # noqa: N818 - a finding about a file, for the audit
    """The file contains no ledger, or another one; the message says why."""


@dataclass(frozen=True)
class LedgerContent:
    """The contents of one client's ledger.

    ``acknowledged`` and ``in_doubt`` are arrays of ``RECORD_TYPE`` in the order of writing, the former read from the
    file when it is used. ``end`` is the reason why the ledger ended; ``None`` if the client died, or could not write.
    ``has_room`` is true if the file had preallocated space left when its client died: then it contains every record.
    ``torn`` is the number of records with a wrong checksum.
    """

    client: int
    acknowledged: Records
    in_doubt: Records
    end: End | None
    has_room: bool = False
    torn: int = 0

    @property
    def is_complete(self) -> bool:
        return self.end is End.COMPLETE

    @property
    def last_moment_ms(self) -> int:
        """The moment of the last record; 0 if there is none."""
        last = [int(part["moment_ms"][-1]) for part in (self.acknowledged, self.in_doubt) if len(part)]
        return max(last, default=0)


def read_ledger(path: Path, run_id: str, client: int) -> LedgerContent:
    """Read one client's ledger, as far as it holds whole records, with what had to be put elsewhere; raises
    ``UnreadableLedger``."""
    rest = overflow_of(path)
    if rest is None:
        return _read_file(path, run_id, client)
    behind = _read_file(rest, run_id, client)
    try:
        begin = _read_file(path, run_id, client)
    except UnreadableLedger:
        return behind
    return LedgerContent(
        client,
        np.concatenate([begin.acknowledged, behind.acknowledged]),
        np.concatenate([begin.in_doubt, behind.in_doubt]),
        behind.end,
        torn=begin.torn + behind.torn,
    )


def _read_file(path: Path, run_id: str, client: int) -> LedgerContent:
    try:
        with path.open("rb") as file:
            version, begin = _past_header(file.read(HEADER.size + 2**16), run_id, client)
        size = path.stat().st_size - begin
        if version == _OLD_FORMAT:
            return _sorted_out(client, _mapped(path, RECORD_TYPE, begin, size))
        return _read_checked(client, _mapped(path, _FILE_TYPE, begin, size))
    except FileNotFoundError:
        raise UnreadableLedger("there is none") from None
    except OSError as error:
        raise UnreadableLedger(f"it can't be read: {error.strerror}") from error


def _past_header(begin: bytes, run_id: str, client: int) -> tuple[int, int]:
    """The format's version, and where the records begin."""
    if len(begin) < HEADER.size:
        raise UnreadableLedger("it is empty")
    magic, version, of_client, size = HEADER.unpack_from(begin)
    end: int = HEADER.size + size
    if magic == bytes(len(MAGIC)):
        raise UnreadableLedger("it is empty")
    if magic != MAGIC:
        raise UnreadableLedger("it is not a ledger of Spindle")
    if version not in (_OLD_FORMAT, FORMAT):
        raise UnreadableLedger(f"it is of format {version}, which this version of Spindle does not support")
    if len(begin) < end:
        raise UnreadableLedger("it is empty")
    if (of_client, begin[HEADER.size : end].decode(errors="replace")) != (client, run_id):
        raise UnreadableLedger("it belongs to another run or client")
    return version, end


def _mapped(path: Path, dtype: np.dtype[np.void], begin: int, size: int) -> Records:
    count = size // dtype.itemsize
    if not count:
        return np.empty(0, dtype)
    found: Records = np.memmap(path, dtype, mode="r", offset=begin, shape=count)
    return found


def _read_checked(client: int, found: Records) -> LedgerContent:
    """The records whose checksum fits; where there are only zeros, none was ever written."""
    fits = np.concatenate([np.empty(0, dtype=bool), *_checked(found)])
    count, others, numbers = int(np.count_nonzero(fits)), found[~fits], found.view(_NUMBERS_OF_FILE)
    torn = int(np.count_nonzero(others["words"].any(axis=1) | (others["checksum"] > 0)))
    return _sorted_out(
        client,
        numbers[:count] if fits[:count].all() else numbers[fits],
        has_room=len(others) > torn,
        torn=torn,
    )


def _parts(found: Records) -> Iterator[Records]:
    for begin in range(0, len(found), _AT_ONCE):
        yield found[begin : begin + _AT_ONCE]


def _checked(found: Records) -> Iterator[npt.NDArray[np.bool_]]:
    """Whether each record has the checksum that ``engine.audit.notes.checksum_of`` computes."""
    for part in _parts(found):
        yield checksums_of(part["words"]) == part["checksum"]


def checksums_of(words: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The checksums of records whose numbers are given as words of 32 bits, five of each."""
    check = np.full(len(words), 2_166_136_261, dtype=np.uint32)
    for place in range(words.shape[1]):
        check ^= words[:, place]
        check *= np.uint32(16_777_619)
    return check | np.uint32(1)


def _sorted_out(client: int, found: Records, *, has_room: bool = False, torn: int = 0) -> LedgerContent:
    """The records by what they are; those without a number are few, so that the others are seldom copied."""
    rest = np.flatnonzero(found["number"] == 0)
    if not len(rest):
        return LedgerContent(client, found, found[:0], None, has_room, torn)
    others = np.array(found[rest])
    ends = np.flatnonzero(others["key"] == 0)
    end = End(int(others["check"][ends[-1]])) if len(ends) else None
    if end is End.COMPLETE and rest[ends[-1]] < len(found) - 1:
        end = None  # there are records after the client's end
    in_doubt = others[others["key"] > 0]
    only_the_last = len(rest) == 1 and rest[0] == len(found) - 1
    acknowledged = found[:-1] if only_the_last else found[found["number"] > 0]
    return LedgerContent(client, acknowledged, in_doubt, end, has_room, torn)
