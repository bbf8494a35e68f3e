"""The ledgers of a run on a load machine: where they are until the run has fetched them, and reading them in pieces."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.audit.ledger_files import join_overflows, ledger_path, remove_ledgers
from engine.cluster.messages import FetchLedger, LedgerPiece
from engine.driver.messages import ClientStart

PIECE_BYTES = 1_000_000


class AgentLedgers:
    """The ledgers of a run, below the ``folder`` that this machine's agents share."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._beside = folder / "library"  # ledgers are in a folder beside a library; here there is none
        self._run_id = run_id

    @property
    def folder(self) -> Path:
        """Where the run's ledgers are."""
        return self._path(0).parent

    def with_paths(self, starts: Iterable[ClientStart]) -> tuple[ClientStart, ...]:
        """The start messages with the paths that the ledgers have on this machine."""
        return tuple(
            start if start.ledger is None else replace(start, ledger=str(self._path(start.client))) for start in starts
        )

    def piece(self, asked: FetchLedger) -> LedgerPiece:
        """A piece of a ledger that is written to its end."""
        client, offset = asked.client, asked.offset
        try:
            if offset == 0:
                join_overflows(self._beside)
            with self._path(client).open("rb") as file:
                size = file.seek(0, 2)
                file.seek(offset)
                data = file.read(PIECE_BYTES)
                is_last = offset + len(data) >= size
                if is_last:
                    file.seek(0)
                ledger_sha256 = hashlib.file_digest(file, "sha256").digest() if is_last else b""
        except OSError as error:
            return LedgerPiece(client=client, offset=offset, failure=error.strerror or str(error))
        return LedgerPiece(
            client=client,
            offset=offset,
            data=data,
            sha256=hashlib.sha256(data).digest(),
            size=size,
            ledger_sha256=ledger_sha256,
        )

    def remove(self) -> None:
        """Remove the ledgers, when the run has fetched them."""
        remove_ledgers(self._beside, self._run_id)
        with suppress(OSError):
            self.folder.parent.rmdir()
            self._beside.parent.rmdir()

    def _path(self, client: int) -> Path:
        return ledger_path(self._beside, self._run_id, client)
