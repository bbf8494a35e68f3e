"""The command line of diskspd.

Source: diskspd's command-line help (2.2). ``-Su`` avoids the system's file cache, ``-Sh`` also writes through to the
device; ``-Sb`` and ``-Sbw`` do the same with the file cache. ``-Zr`` writes random data, ``-L`` measures latencies,
``-D1000`` counts I/Os by second. ``-si`` lets the threads share one sequence of offsets.
"""

from engine.services.storage.access import RANDOM, Access

PROGRAM = "diskspd.exe"


def diskspd_arguments(access: Access, *, seconds: int, warmup_seconds: int) -> list[str]:
    """The arguments of one measurement: diskspd creates the file, and prints the result as XML when it ends."""
    cache = {
        (False, False): "-Su",
        (False, True): "-Sh",
        (True, False): "-Sb",
        (True, True): "-Sbw",
    }[access.cached, access.synced]
    return [
        f"-c{access.file_mb}M",
        f"-b{access.block_kb}K",
        f"-t{access.threads}",
        f"-o{access.queue_depth}",
        "-r" if access.pattern == RANDOM else "-si",
        f"-w{100 - access.read_pct}",
        f"-d{seconds}",
        f"-W{warmup_seconds}",
        f"-z{access.seed}",
        cache,
        *(["-Zr"] if access.writes else []),
        "-L",
        "-D1000",
        "-Rxml",
        access.path,
    ]
