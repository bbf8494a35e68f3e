"""Storage as a workload: reads and writes of one file by fio, and what can be set of them.

The published test (a report of 2013, its table of SQLIO's settings) used 4 threads, random 8K I/Os, a file of 51,200 MB
and 30 s; it names no queue depth, no buffering and no warm-up. What is chosen for these here stands in every report.
"""

from collections.abc import Mapping
from typing import Any

from engine.parameters.parameter import Choice, Flag, Parameter, Part, Whole
from engine.services.storage.access import PATTERNS, RANDOM, SEQUENTIAL
from engine.services.storage.fio.command import ENGINES
from engine.subject import Subject
from engine.workload.registry import STORAGE
from engine.workload.wording import Wording
from engine.workload.workload import NamedLoad, Workload
from engine.workloads.storage.sizing import FileSize, FileSizeType, estimate
from engine.workloads.storage.transactions import IOPS, TRANSACTIONS

ANY_ENGINE = "best"
_PUBLISHED = {
    "threads": 4,
    "file_size": FileSize(51_200),
    "block_kb": 8,
    "pattern": RANDOM,
    "warmup_minutes": 5 / 60,
    "minutes": 0.5,
}
_SCALE = Parameter(
    key="file_size",
    label="File size",
    type=FileSizeType(),
    default=None,
    part=Part.DATABASE,
    help="The file that is read and written, such as 51200MB or 50GB; several times the memory, and the caches, of what"
    " is measured.",
    default_help="the file already written",
    mnemonic="f",
    metavar="SIZE",
    examples=("1GB", "51200MB", "100GB"),
)


def _never(_values: Mapping[str, Any], _think_time_ms: float) -> float:
    """Threads do not think."""
    return 0.0


def _writes(values: Mapping[str, Any]) -> bool:
    return int(values["read_pct"]) < 100


WORKLOAD = Workload(
    id=STORAGE,
    title="Storage",
    subject=Subject.STORAGE,
    note="What the published test leaves open (queue depth, buffering, warm-up) is chosen here and stands in the plan.",
    scale_key=_SCALE.key,
    small_scale=FileSize(64),
    usual_scale=FileSize(1024),
    estimate=estimate,
    transactions=TRANSACTIONS,
    headline=IOPS,
    mean_think_seconds=_never,
    factors=("queue_depth",),
    writes=_writes,
    has_p999=True,
    bindings="engine.workloads.storage.bindings",
    summary="{pattern} {block_kb} I/Os, {read_pct} reads, queue depth {queue_depth}",
    sentence="Storage: {pattern} I/Os of {block_kb}, {read_pct} reads, {queue_depth} outstanding per thread.",
    wording=Wording(
        unit="I/O",
        users="Each thread keeps its queue full: when an I/O ends, it begins the next.",
        page="File",
        stores=("file", "files"),
        part="Content",
        entries="Files",
        build="Writes the file in full.",
        replace="Removes the file, then writes it anew.",
        store="Each target is a file; a run that finds none writes it, and removes it at its end; a built one stays.",
        verify="Checks the size of each file, and that all of its blocks are there.",
        reset="Changes nothing: what runs write in a file does not matter to the next one.",
        reset_first="Check the files before the run",
        written="blocks",
        undone="each file is checked: nothing that earlier runs wrote has to be undone",
        kept="what the run writes takes the place of what was there",
        who=("thread", "threads"),
        missed="not done",
        unaudited="A run of storage keeps no record of single I/Os: what was written is not looked for afterwards.",
        counted="Reads and writes that have ended without an error.",
        timed="Of an I/O: from its submission until its completion, as fio measures it (within 0.8 %)",
        untimed="Nothing is between two I/Os of a thread.",
        slowing="a disk slows down as its caches fill and its cells are rewritten",
        received="Read and written",
    ),
    loads=(
        NamedLoad(
            "Quick: 8 threads, 6 + 48 s",
            "8K random reads, one at a time by each thread: a first look in about a minute",
            {"threads": 8, "warmup_minutes": 0.1, "minutes": 0.8},
        ),
        NamedLoad(
            "8K random read, as published: 4 threads, 30 s",
            "a file of 51,200 MB; queue depth 8, without the file cache, 5 s of warm-up: the published test names none",
            {**_PUBLISHED, "read_pct": 100, "queue_depth": 8},
        ),
        NamedLoad(
            "8K random write, as published: 4 threads, 30 s",
            "the same with writes, which the device may hold in its own cache",
            {**_PUBLISHED, "read_pct": 0, "queue_depth": 8},
        ),
        NamedLoad(
            "8K random, 70 % reads: 4 threads, 60 s",
            "the mix of an order database",
            {**_PUBLISHED, "read_pct": 70, "queue_depth": 8, "minutes": 1.0},
        ),
        NamedLoad(
            "Log: sequential 8K writes, each synced, 30 s",
            "one thread, one write at a time, which has ended when the device has it: as a database's log",
            {**_PUBLISHED, "threads": 1, "queue_depth": 1, "read_pct": 0, "pattern": SEQUENTIAL, "synced_writes": True},
        ),
        NamedLoad(
            "8K random read, one at a time, 30 s",
            "one thread with queue depth 1: the latency of a single read",
            {**_PUBLISHED, "threads": 1, "queue_depth": 1, "read_pct": 100},
        ),
    ),
    parameters=(
        _SCALE,
        Parameter(
            key="pattern",
            label="Pattern",
            type=Choice(PATTERNS),
            default=RANDOM,
            help="random: anywhere in the file; sequential: from its beginning to its end, and again.",
            mnemonic="p",
            metavar="NAME",
        ),
        Parameter(
            key="read_pct",
            label="Reads",
            type=Whole(0, 100),
            default=100,
            help="The share of I/Os that are reads; the others are writes.",
            unit="%",
            step=10,
            mnemonic="r",
            metavar="PCT",
        ),
        Parameter(
            key="block_kb",
            label="Block size",
            type=Whole(1, 65_536),
            default=8,
            help="Of each I/O.",
            unit="KB",
            step=4,
            mnemonic="b",
            metavar="KB",
        ),
        Parameter(
            key="queue_depth",
            label="Queue depth",
            type=Whole(1, 1_024),
            default=1,
            help="I/Os that each thread has outstanding.",
            mnemonic="q",
            examples=("1", "2", "4", "8", "16", "32"),
        ),
        Parameter(
            key="file_cache",
            label="Through the system's file cache",
            type=Flag(),
            default=False,
            help="Otherwise I/Os avoid it (O_DIRECT), so that the disk and not the memory is measured.",
            mnemonic="h",
        ),
        Parameter(
            key="synced_writes",
            label="Sync each write",
            type=Flag(),
            default=False,
            help="A write ends when the device has it on stable storage (O_SYNC).",
            mnemonic="y",
        ),
        Parameter(
            key="engine",
            label="I/O engine",
            type=Choice((ANY_ENGINE, *ENGINES)),
            default=ANY_ENGINE,
            help="fio's; best is libaio, or io_uring with the file cache, where the machine has it.",
            mnemonic="e",
            metavar="NAME",
        ),
    ),
)
