"""The logs of a lab: each server's own and the keeper's, read from their end.

Called by the command line and by the window; nothing here needs the lab to run.
"""

from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput
from engine.lab.folder import LabFolder
from engine.target.target import MOST_NODES

KEEPER = 0
"""Instead of a node's number: the log of the process that keeps the servers."""
_BYTES_OF_A_LINE = 300
_MOST_BYTES_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class LogPiece:
    """Complete lines of a log, and the position in its file after them, from which ``read_more`` continues."""

    text: str
    end: int


def primary_number(folder: Path) -> int:
    """The number of the node that is the primary, or was the last one."""
    return int(LabFolder(folder).read_roles().primary.removeprefix("node"))


def log_path(folder: Path, node: int) -> Path:
    """The log file of a node by its number from 1, or the keeper's. Raises ``BadInput``."""
    if not 0 <= node <= MOST_NODES:
        raise BadInput(f"node {node} does not exist; give one from 1 to {MOST_NODES}.")
    lab = LabFolder(folder)
    return lab.keeper_log if node == KEEPER else lab.node(f"node{node}") / "server.log"


def read_end(path: Path, lines: int) -> LogPiece:
    """The last lines of a log; of a log that does not exist yet, none. Raises ``OSError``."""
    size = _size(path)
    begin = max(0, size - lines * _BYTES_OF_A_LINE)
    piece = _read(path, begin, size)
    whole = piece.text if begin == 0 else piece.text.partition("\n")[2]
    kept = whole.splitlines(keepends=True)[-lines:] if lines else []
    return LogPiece("".join(kept), piece.end)


def read_more(path: Path, after: int) -> LogPiece:
    """What was written since ``after``; a file that was begun again is read from its beginning. Raises ``OSError``."""
    size = _size(path)
    begin = after if after <= size else 0
    return _read(path, max(begin, size - _MOST_BYTES_AT_ONCE), size)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _read(path: Path, begin: int, end: int) -> LogPiece:
    """The whole lines between two places in the file; a line that is still being written waits for its end."""
    if begin >= end:
        return LogPiece("", end)
    with path.open("rb") as file:
        file.seek(begin)
        found = file.read(end - begin)
    whole = found[: found.rfind(b"\n") + 1]
    return LogPiece(whole.decode("utf-8", "replace"), begin + len(whole))
