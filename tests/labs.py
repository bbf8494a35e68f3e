"""Embedded servers for the tests, whose data are copied from one that was made before."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import RemedyKind, UserError
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape
from tests.templates import copy_or_make
from tests.waiting import wait_until

_OF_A_START = ("keeper.log", "ports.json", "node1/server.log")


def make_lab(place: Path) -> None:
    """Make the folder of an embedded server, with the server's data, as if it had not been started yet."""

    def make() -> None:
        EmbeddedServer.attach(place, notify=print).detach()
        for name in _OF_A_START:
            (place / name).unlink()

    copy_or_make("lab", place, make)


@contextmanager
def running_lab(shape: LabShape | None = None) -> Iterator[EmbeddedServer]:
    """An embedded server that is stopped and removed at the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-lab-"))
    # As root the server runs under another account, which has to be able to enter; pytest's own folders are closed.
    folder.chmod(0o755)
    try:
        make_lab(folder / "lab")
        with EmbeddedServer.attach(folder / "lab", notify=print, shape=shape) as server:
            yield server
    finally:
        shutil.rmtree(folder)


def start_unused(lab: EmbeddedServer, shape: LabShape) -> None:
    """Start it in a shape, once it has noticed the end of all connections, which may have ended only here."""

    def starts() -> bool:
        try:
            lab.start(notify=print, shape=shape)
        except UserError as error:
            if error.remedy is None or error.remedy.kind is not RemedyKind.LAB_IN_USE:
                raise
            return False
        return True

    wait_until(starts, "nobody uses the lab")
