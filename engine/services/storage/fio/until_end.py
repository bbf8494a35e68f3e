"""Follows an fio that ends by itself: its reports until then, and the reason if it failed."""

from collections.abc import Iterator, Sequence

from engine.databases.progress import IsCancelled
from engine.errors import Cancelled, UserError
from engine.services.storage.fio.output import Status, StatusReader
from engine.services.storage.place import Place


def statuses_until_end(place: Place, words: Sequence[str], failed: str, cancelled: IsCancelled) -> Iterator[Status]:
    """Yield fio's reports, about one a second, until it ends.

    ``failed`` is the clause for a failure, such as ``/data/file on db1 could not be written``. Raises ``UserError``
    with it and fio's reason when an I/O or fio failed, and ``Cancelled`` after fio has ended because of that.
    """
    reader, error = StatusReader(), 0
    with place.start(words) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        for line in process.stdout:
            if cancelled():
                process.stdin.close()
                process.wait()
                raise Cancelled
            if (status := reader.read(line)) is not None:
                error = status.error or error
                yield status
        said = process.stderr.read().strip()
    if process.returncode or error:
        reason = " ".join([*reader.messages, said]).strip() or f"error {error or process.returncode}"
        raise UserError(f"{failed} ({reason}); see to the disk.")
