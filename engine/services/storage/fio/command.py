"""The arguments with which fio is called.

Sources: fio's ``HOWTO.rst`` (3.33) for the options, and for which engines queue I/Os: ``libaio`` only without the file
cache, ``io_uring`` in both cases, ``psync`` never.
"""

from engine.services.storage.access import RANDOM, Access

PROGRAM = "fio"
LIBAIO, IO_URING, PSYNC, POSIX, WINDOWS = "libaio", "io_uring", "psync", "posixaio", "windowsaio"
ENGINES = (LIBAIO, IO_URING, PSYNC, POSIX, WINDOWS)
LONGEST_SECONDS = 366 * 24 * 3600
"""How long fio runs at most: a run without an end stops it."""
_MEBI = "m"


def fio_arguments(access: Access, *, engine: str, seconds: int) -> list[str]:
    """The arguments of a load of at most ``seconds``: fio prints what it has done every second."""
    return [*_common_arguments(access, engine), f"--runtime={seconds}", "--time_based", "--norandommap"]


def fill_arguments(access: Access, *, engine: str) -> list[str]:
    """The arguments that write the whole file once, in order, with data that can't be compressed.

    Space that was only reserved, but never written, would be read as zeros without asking the disk.
    """
    return [*_common_arguments(access, engine), "--fallocate=none", "--end_fsync=1"]


def queues(engine: str, *, cached: bool) -> bool:
    """Whether an engine can have several I/Os under way in one thread."""
    return engine in (IO_URING, POSIX, WINDOWS) or (engine == LIBAIO and not cached)


def _common_arguments(access: Access, engine: str) -> list[str]:
    """An engine that can't queue gets a thread for each I/O of the queue, so that as many are under way."""
    threads, queue_depth = access.threads, access.queue_depth
    if not queues(engine, cached=access.cached):
        threads, queue_depth = threads * queue_depth, 1
    arguments = {
        "name": "spindle",
        "filename": access.path.replace("\\", "\\\\").replace(":", "\\:"),
        "size": f"{access.file_mb}{_MEBI}",
        "bs": f"{access.block_kb}k",
        "rw": _rw(access),
        "ioengine": engine,
        "iodepth": str(queue_depth),
        "numjobs": str(threads),
        "direct": "0" if access.cached else "1",
        "randseed": str(access.seed),
        "status-interval": "1",
        "output-format": "json+",
        "lat_percentiles": "1",
        "clat_percentiles": "0",
    }
    if 0 < access.read_pct < 100:
        arguments["rwmixread"] = str(access.read_pct)
    if access.synced and access.writes:
        arguments["sync"] = "1"
    flags = ["thread", "refill_buffers", "group_reporting"]
    if not access.writes:
        flags.append("readonly")
    return [PROGRAM, *(f"--{name}={value}" for name, value in arguments.items()), *(f"--{flag}" for flag in flags)]


def _rw(access: Access) -> str:
    """fio's name of the pattern, such as ``randrw``."""
    kind = {0: "write", 100: "read"}.get(access.read_pct, "rw")
    return f"rand{kind}" if access.pattern == RANDOM else kind
