"""A home with a small store on its embedded server, and the program as it is run from a shell."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from engine.lab.server import EmbeddedServer, lab_status, lab_stop
from engine.library.library import Library
from engine.places import HOME_VARIABLE, Places, find_places
from engine.telemetry.sample import Sample
from tests.app.calling import Outcome, in_this_process
from tests.templates import copy_or_make
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
COMMAND_SECONDS = 240.0
STOP_SECONDS = 120.0


class RunningCommand:
    """`spindle …` on its way, in a session of its own, so that Ctrl-C reaches it as in a terminal."""

    def __init__(self, home: Path, arguments: tuple[str, ...]) -> None:
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            cwd=ROOT,
            env=os.environ | {HOME_VARIABLE: str(home)},
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            start_new_session=True,
        )

    @property
    def out(self) -> str:
        return _read(self._out)

    @property
    def err(self) -> str:
        return _read(self._err)

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        self.process.kill()
        self.exit_code()

    def exit_code(self) -> int:
        try:
            return self.process.wait(COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the command did not end; it said:\n{self.err}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait(COMMAND_SECONDS)
        self._out.close()
        self._err.close()


class Spindle:
    """One home, with the operations and the observations that are possible from outside."""

    def __init__(self, home: Path) -> None:
        self.places: Places = find_places(home)
        self._earlier_log = self._whole_log()
        self._commands: list[RunningCommand] = []
        self._library: Library | None = None

    def start(self, *arguments: str) -> RunningCommand:
        command = RunningCommand(self.places.home, arguments)
        self._commands.append(command)
        return command

    def ends(self, *arguments: str, exit_code: int = 0) -> str:
        """Run a command that has to succeed; returns its output."""
        command = self.start(*arguments)
        assert command.exit_code() == exit_code, command.err
        return command.out

    def call(self, *arguments: str) -> Outcome:
        """Run a command that starts nothing, within this process."""
        return in_this_process("--home", str(self.places.home), *arguments)

    def prints(self, *arguments: str) -> str:
        """Run such a command, which has to succeed; returns its output."""
        outcome = self.call(*arguments)
        assert outcome.code == 0, outcome.err
        return outcome.out

    def result(self, reference: str = "last") -> Any:
        return json.loads(self.prints("library", "show", reference, "--json"))

    @property
    def library(self) -> Library:
        """The home's library, which stays open: waiting for a run means to look at it again and again."""
        if self._library is None:
            self._library = Library.open(self.places.library, notify=print)
        return self._library

    def samples(self) -> list[Sample]:
        """The samples of the newest run as they are durable by now."""
        return list(self.library.samples(self.library.run("last").run_id))

    def has_measured(self) -> bool:
        """Whether the newest run measures, and orders of every client in a measured second are durable."""
        run = self.library.run("last")
        begins = run.phases.measuring_from
        if begins is None:
            return False
        ordering = {each.client for each in self.samples() if each.second >= begins and each.of("order").n}
        return len(ordering) == len(run.plan.client_plans())

    def is_without_orders(self) -> bool:
        """Whether every client's two newest seconds, which are the same ones, are without an order."""
        samples = self.samples()
        newest = min({each.client: each.second for each in samples}.values())  # they are sorted by second
        return not any(each.of("order").n for each in samples if each.second >= newest - 1)

    def wait_until_measuring(self, known: int) -> None:
        """Wait until a run beyond the ``known`` ones measures, and some of its orders are durable."""
        wait_until(lambda: self.run_count() > known, "the run begins", timeout_seconds=COMMAND_SECONDS)
        wait_until(self.has_measured, "it measures", timeout_seconds=COMMAND_SECONDS)

    def wait_until_all_order(self, *, reconnects: int) -> None:
        """Wait until so many users of the newest run have reconnected, and every client orders in the last second.

        Starting a server takes as long as the machine has other work: a run that ends by itself may end before.
        """

        def all_order() -> bool:
            samples = self.samples()
            last = max(sample.second for sample in samples)
            back = sum(sample.reconnects for sample in samples)
            return back == reconnects and all(sample.of("order").n for sample in samples if sample.second == last)

        wait_until(all_order, "all users order again", timeout_seconds=COMMAND_SECONDS)

    def run_count(self) -> int:
        return len(self.library.runs())

    def server_processes(self) -> list[psutil.Process]:
        """The embedded server's processes, the first being its own, as `spindle lab status` says."""
        status = dict(line.split(maxsplit=1) for line in self.prints("lab", "status").splitlines())
        server = psutil.Process(int(status["process"]))
        return [server, *server.children(recursive=True)]

    def log(self) -> str:
        """What was logged since this object was made: other tests use the same home."""
        return self._whole_log().removeprefix(self._earlier_log)

    def _whole_log(self) -> str:
        return self.places.log.read_text(encoding="utf-8") if self.places.log.exists() else ""

    def close(self) -> None:
        for command in self._commands:
            command.close()
        self._commands.clear()
        if self._library is not None:
            self._library.close()
            self._library = None
        lab_stop(self.places.lab, timeout_seconds=STOP_SECONDS)


class HeldServer:
    """The home's embedded server, kept up by the test and asked directly."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server

    def connect(self) -> psycopg.Connection:
        target = self._server.target()
        return psycopg.connect(
            host=target.hosts[0].name,
            port=target.hosts[0].port,
            user=target.user,
            dbname=target.database,
            password=self._server.secret.reveal(),
            autocommit=True,
        )

    def orders(self) -> int:
        with self.connect() as connection:
            row = connection.execute("SELECT count(*) FROM orders").fetchone()
            assert row is not None
            return int(row[0])


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A home with a 1MB store on its embedded server, which is down."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-system-"))
    # As root the server runs under another account, which has to be able to enter.
    folder.chmod(0o755)
    spindle = Spindle(folder / "home")

    def make() -> None:
        spindle.ends("build", "--db-size", "1MB")
        spindle.close()
        (spindle.places.lab / "ports.json").unlink()  # each copy has a port of its own

    try:
        copy_or_make("home", spindle.places.home, make)
        yield spindle.places.home
    finally:
        spindle.close()
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def bare_home() -> Iterator[Path]:
    """A home in which nothing is there yet; a file's own, since the library lists what other tests have run."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-system-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        Spindle(folder).close()
        shutil.rmtree(folder)


@pytest.fixture
def bare_spindle(bare_home: Path) -> Iterator[Spindle]:
    """The program in an empty home, or one that only such tests of the same file have used."""
    spindle = Spindle(bare_home)
    yield spindle
    spindle.close()
    wait_until(lambda: lab_status(spindle.places.lab).server_pid is None, "the embedded server is down")


@pytest.fixture
def spindle(home: Path) -> Iterator[Spindle]:
    """The program; whatever a test leaves of it is ended afterwards."""
    spindle = Spindle(home)
    yield spindle
    spindle.close()
    wait_until(lambda: lab_status(spindle.places.lab).server_pid is None, "the embedded server is down")


@pytest.fixture
def server(spindle: Spindle) -> Iterator[HeldServer]:
    with EmbeddedServer.attach(spindle.places.lab, notify=print) as held:
        yield HeldServer(held)


def _read(file: Any) -> str:
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode("utf-8")
