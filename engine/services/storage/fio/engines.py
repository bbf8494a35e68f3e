"""Finds out by trial which of fio's I/O engines a machine can use: one that fio lists may be forbidden there."""

from engine.errors import UserError
from engine.services.storage.access import Access
from engine.services.storage.fio.command import IO_URING, LIBAIO, POSIX, PROGRAM, PSYNC
from engine.services.storage.place import Place

_OLDEST = (3, 1)
_NOT_FOUND = 127
"""The exit code of a shell that finds no such program."""


class FioMissingError(UserError):
    """The machine has no fio."""


def fio_version(place: Place) -> str:
    """fio's version, such as ``3.33``; raises ``FioMissingError``, or ``UserError`` where it is too old."""
    said = place.run(["sh", "-c", f"{PROGRAM} --version"])
    version = said.output.strip().removeprefix("fio-")
    numbers = tuple(int(each) for each in version.split("-")[0].split(".") if each.isdecimal())
    if said.code != _NOT_FOUND and not numbers:
        why = said.errors.strip() or f"exit code {said.code}"
        raise UserError(f"fio on {place.name} does not tell its version ({why}); try fio --version by hand.")
    if not numbers:
        raise FioMissingError(
            f"fio is not installed on {place.name}; install it (Debian: apt install fio; macOS: brew install fio;"
            " Windows: winget install fio)."
        )
    if numbers < _OLDEST:
        raise UserError(f"fio on {place.name} is {version}; 3.1 and newer print latencies in nanoseconds; update it.")
    return version


def engine_for(place: Place, access: Access) -> str:
    """The engine that the access names, or else the best one for it that the machine has.

    ``libaio`` queues without the file cache; ``io_uring``, which queues with it, is often forbidden in containers, and
    ``posixaio`` is what macOS has. ``psync`` is always there, and has a thread for each I/O.
    """
    listed = place.run([PROGRAM, "--enghelp"]).output.split()
    if access.engine:
        if access.engine not in listed:
            raise UserError(f"engine is '{access.engine}', which fio on {place.name} lacks; leave it open.")
        return access.engine
    best = IO_URING if access.cached else LIBAIO
    for engine in (best, POSIX):
        if engine in listed and _works(place, engine):
            return engine
    return PSYNC


def _works(place: Place, engine: str) -> bool:
    """Whether fio can set the engine up: it reads one block of the null device."""
    words = ["--name=try", "--filename=/dev/zero", "--size=4k", "--bs=4k", "--rw=read", "--readonly"]
    return place.run([PROGRAM, *words, f"--ioengine={engine}"]).code == 0
