"""The command line of fio.

Sources: fio's ``HOWTO.rst`` (3.33) for the options, and for the engines that queue I/Os: ``libaio`` only without the
file cache, ``io_uring`` in both cases, ``psync`` never.
"""

from engine.services.storage.access import RANDOM, Access

PROGRAM = "fio"
LIBAIO, IO_URING, PSYNC, POSIX, WINDOWS = "libaio", "io_uring", "psync", "posixaio", "windowsaio"
ENGINES = (LIBAIO, IO_URING, PSYNC, POSIX, WINDOWS)
LONGEST_SECONDS = 366 * 24 * 3600
"""The longest time of fio; it is stopped at the end of a run whose length is not known."""
_MEBI = "m"


def fio_arguments(access: Access, *, engine: str, seconds: int) -> list[str]:
    """The arguments of a load of at most ``seconds``, of which fio prints a status every second."""
    return [*_common_arguments(access, engine), f"--runtime={seconds}", "--time_based", "--norandommap"]


def fill_arguments(access: Access, *, engine: str) -> list[str]:
    """The arguments that write the whole file once, sequentially, with incompressible data.

    Space that was reserved but never written would be read as zeros without reading the disk.
    """
    return [*_common_arguments(access, engine), "--fallocate=none", "--end_fsync=1"]


def queues(engine: str, *, cached: bool) -> bool:
    """Whether an engine can have several I/Os outstanding in one thread."""
    return engine in (IO_URING, POSIX, WINDOWS) or (engine == LIBAIO and not cached)


def _common_arguments(access: Access, engine: str) -> list[str]:
    """An engine that can't queue I/Os gets as many threads as the queue is deep, so that as many are outstanding."""
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
