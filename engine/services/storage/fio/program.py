"""fio as the load generator of a client."""

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress

from engine.services.storage.access import Access
from engine.services.storage.fio.command import LONGEST_SECONDS, PROGRAM, fio_arguments
from engine.services.storage.fio.output import DIRECTIONS, NOTHING, Done, StatusReader
from engine.services.storage.place import Place
from engine.telemetry.sample import Count

_KB = 1024
_MOST_OF_A_MESSAGE = 300


class FioProgram:
    """Implements ``engine.databases.program.LoadProgram``: fio on a file, with an I/O ``engine``.

    ``both`` is the id under which reads and writes are counted together.
    """

    def __init__(self, place: Place, access: Access, *, engine: str, both: str) -> None:
        self._place = place
        self._words = fio_arguments(access, engine=engine, seconds=LONGEST_SECONDS)
        self._both = both
        self._io_bytes = _KB * access.block_kb
        self._process: subprocess.Popen[str] | None = None
        self._reader = StatusReader()
        self._error = 0
        self._errors: list[str] = []
        self._was_ended = False

    def start(self) -> None:
        self._reader, self._errors, self._error = StatusReader(), [], 0
        self._process = self._place.start(self._words)
        threading.Thread(target=self._collect_errors, args=(self._process,), name="fio-errors", daemon=True).start()

    def reports(self) -> Iterator[Mapping[str, Count]]:
        assert self._process is not None
        assert self._process.stdout is not None
        before: dict[str, Done] = dict.fromkeys(DIRECTIONS, NOTHING)
        together = NOTHING
        with self._process.stdout as lines:
            for line in lines:
                status = self._reader.read(line)
                if status is None:
                    continue
                self._error = status.error or self._error
                counts = {each: status.done[each].since(before[each]) for each in DIRECTIONS}
                total = sum((status.done[each] for each in DIRECTIONS), start=NOTHING)
                yield {self._both: total.since(together), **counts}
                before, together = dict(status.done), total

    def bytes_of(self, counts: Mapping[str, Count]) -> int:
        return counts[self._both].n * self._io_bytes

    def end(self) -> None:
        self._was_ended = True
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # it has ended already
                self._process.stdin.close()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def wait(self, seconds: float) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return f"{PROGRAM} did not end within {seconds:.0f} s and was killed"
        if self._was_ended or (code == 0 and not self._error):
            return ""
        said = [each for each in (*self._reader.messages, *self._errors) if each.strip()]
        return f"{PROGRAM} ended with exit code {code}: {' '.join(said)[-_MOST_OF_A_MESSAGE:] or 'it gave no reason'}"

    def _collect_errors(self, process: "subprocess.Popen[str]") -> None:
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                self._errors = [*self._errors[-4:], line.strip()]
