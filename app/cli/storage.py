"""`spindle storage`: disks beside storage runs: diskspd on Windows, and a quick look without any program."""

import click

from app.cli.context import Context, pass_context
from app.cli.options import complete_machine, whole_between
from app.cli.problems import COMPLETED
from app.cli.terminal import output_width, print_json, progress_shown

_MOST_SECONDS = 7 * 86_400


@click.group("storage", short_help="diskspd on Windows; a quick look at a disk.")
def storage_command() -> None:
    """Look at a disk, or measure one with diskspd. `spindle run --workload storage` makes the storage runs."""


@storage_command.command("look", short_help="Take a quick look at a disk.")
@click.argument("folder", metavar="FOLDER")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def look_command(folder: str, as_json: bool) -> int:
    """Take a quick look at the disk of FOLDER on this machine, where neither fio nor diskspd is installed.

    One thread does one 8K read at a time for 3 s, and then one 8K write, in a file of 64 MB, without the system's
    file cache where possible. It is no measurement: a disk does more with several I/Os outstanding, and a small file
    may fit into the device's cache. The file is removed afterwards. Nothing is kept in the library.
    """
    from dataclasses import asdict

    from engine.services.storage.quick_look import quick_look

    look = quick_look(folder)
    if as_json:
        print_json({**asdict(look), "is_measurement": False})
    else:
        print(look.sentence)
    return COMPLETED


@storage_command.command("diskspd", short_help="Measure a disk with diskspd, on Windows.")
@click.argument("file", metavar="FILE")
@click.option("--machine", metavar="NAME", shell_complete=complete_machine, help="A Windows machine of the inventory.")
@click.option("--file-size", default="1GB", show_default=True, metavar="SIZE", help="Such as 51200MB or 50GB.")
@click.option("--threads", type=whole_between(1, 1000), default=1, show_default=True, metavar="N")
@click.option("--queue-depth", type=whole_between(1, 1024), default=1, show_default=True, metavar="N")
@click.option("--block-kb", type=whole_between(1, 65_536), default=8, show_default=True, metavar="KB")
@click.option("--pattern", type=click.Choice(("random", "sequential")), default="random", show_default=True)
@click.option("--read-pct", type=whole_between(0, 100), default=100, show_default=True, metavar="PCT")
@click.option("--file-cache", is_flag=True, help="Through the system's file cache.")
@click.option("--synced-writes", is_flag=True, help="A write ends when the device has it.")
@click.option("--warmup-seconds", type=whole_between(0, 86_400), default=5, show_default=True, metavar="N")
@click.option("--seconds", type=whole_between(1, _MOST_SECONDS), default=30, show_default=True, metavar="N")
@click.option("--program", default="diskspd.exe", show_default=True, metavar="PATH", help="Where diskspd is there.")
@click.option("--name", metavar="TEXT", help="The run's name.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag to find it by. Repeatable.")
@pass_context
def diskspd_command(
    context: Context,
    file: str,
    machine: str | None,
    file_size: str,
    threads: int,
    queue_depth: int,
    block_kb: int,
    pattern: str,
    read_pct: int,
    file_cache: bool,
    synced_writes: bool,
    warmup_seconds: int,
    seconds: int,
    program: str,
    name: str | None,
    tags: tuple[str, ...],
) -> int:
    """Measure a disk of Windows by diskspd, on this machine or on one that is reached over SSH; never tried on Windows.

    diskspd prints nothing while it runs: its result comes at its end, and is kept in the library as an imported one is,
    with I/Os by seconds and latencies of the whole time. FILE is made for it and removed afterwards, also when Ctrl-C
    ends it; a file that exists, a device and a running database's data directory are refused.

    \b
    Example:
      spindle storage diskspd 'E:\\spindle.dat' --machine win1 --file-size 51200MB --threads 4 --queue-depth 8
    """
    from datetime import UTC, datetime

    from app.cli.result_text import result_text
    from app.library.jobs import import_text
    from engine.machines.access import SshAccess
    from engine.machines.inventory import read_inventory
    from engine.services.storage.access import Access
    from engine.services.storage.diskspd.measuring import WindowsPlace, measure
    from engine.workloads.storage.sizing import FileSize

    ssh = None if machine is None else read_inventory(context.places.machines).access_of(machine, SshAccess)
    access = Access(
        path=file,
        file_mb=FileSize.parse(file_size, "file-size").mb,
        threads=threads,
        queue_depth=queue_depth,
        block_kb=block_kb,
        read_pct=read_pct,
        pattern=pattern,
        cached=file_cache,
        synced=synced_writes,
    )
    with context.open_library_to_write() as library:
        with progress_shown("") as (report_progress, flag):
            printed = measure(
                WindowsPlace(ssh),
                access,
                seconds=seconds,
                warmup_seconds=warmup_seconds,
                program=program,
                report_progress=report_progress,
                cancelled=flag.is_set,
            )
        where = machine or "this machine"
        record = import_text(
            library,
            printed,
            source=f"diskspd's output on {where}",
            written_at=datetime.now(UTC),
            name=name or f"diskspd on {where}, {file}",
            tags=tags,
        )
        print(result_text(record, output_width()))
    return COMPLETED
