"""`spindle library delete`, `restore` and `empty-bin`: deleted runs stay in the bin until it is emptied."""

import sys

import click

from app.cli.context import Context, pass_context
from app.cli.options import complete_deleted_run, run_argument
from app.cli.problems import COMPLETED, print_notice
from engine.errors import BadInput
from engine.figure_text import byte_size, counted


@click.command("delete")
@run_argument
@pass_context
def delete_command(context: Context, reference: str) -> int:
    """Delete RUN (an id, the beginning of one, or `last`).

    `spindle library restore` undoes it until `spindle library empty-bin`.
    """
    with context.open_library() as library:
        record = library.run(reference)
        library.delete(record.run_id)
    print_notice(f"deleted {record.run_id} ({record.name}); undo with: spindle library restore {record.run_id}")
    return COMPLETED


@click.command("restore")
@click.argument("references", nargs=-1, required=True, metavar="RUN…", shell_complete=complete_deleted_run)
@pass_context
def restore_command(context: Context, references: tuple[str, ...]) -> int:
    """Restore deleted runs.

    RUN is the id of one, the beginning of an id, or `last` for the run that was deleted last; `spindle library list
    --deleted` shows them.
    """
    with context.open_library() as library:
        for reference in references:
            record = library.bin.find(reference)
            library.bin.restore(record.run_id)
            print_notice(f"restored {record.run_id} ({record.name}).")
    return COMPLETED


@click.command("empty-bin")
@click.option("--yes", is_flag=True, help="Do not ask (for scripts).")
@pass_context
def empty_bin_command(context: Context, yes: bool) -> int:
    """Remove all deleted runs for good, with their samples and ledgers.

    Asks before it does so. The space in the library's file is used again by later runs.
    """
    with context.open_library() as library:
        sizes = library.bin.bytes_by_run()
        if not sizes:
            print_notice("there are no deleted runs.")
            return COMPLETED
        size = byte_size(sum(sizes.values()))
        if not yes:
            _confirm(len(sizes), size)
        removed = library.bin.empty(list(sizes))
    print_notice(f"{counted(removed, 'deleted run')} removed for good, about {size}.")
    return COMPLETED


def _confirm(runs: int, size: str) -> None:
    """Ask; raises ``BadInput`` when the answer is no, or when there is no terminal to ask at."""
    if not sys.stdin.isatty():
        raise BadInput("empty-bin asks before it removes runs for good; add --yes in a script.")
    question = f"Remove {counted(runs, 'deleted run')} for good, about {size}?"
    if not click.confirm(question, default=False, err=True):
        raise BadInput("nothing was removed.")
