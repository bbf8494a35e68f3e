"""`spindle library`: the runs that were kept; the group, and the commands that name, note, tag and delete them.

`library_list` and `library_files` hold the commands that show and that read and write files.
"""

import click

from app.cli.context import Context, pass_context
from app.cli.late_group import Late, LateGroup
from app.cli.options import run_argument
from app.problems import COMPLETED, say

_COMMANDS = {
    "list": Late("app.cli.library_list", "List runs, the newest first."),
    "show": Late("app.cli.library_list", "Show a run: result, plan, servers, events."),
    "export": Late("app.cli.library_files", "Write a run, or its plan, to files."),
    "import": Late("app.cli.library_files", "Import the output of a DVD Store 2 driver."),
    "rename": Late("app.cli.library", "Give a run another name."),
    "note": Late("app.cli.library", "Set a run's note."),
    "tag": Late("app.cli.library", "Add or remove tags of a run."),
    "delete": Late("app.cli.library", "Delete a run; restore undoes it."),
    "restore": Late("app.cli.library", "Restore a deleted run."),
    "purge": Late("app.cli.library", "Remove the deleted runs for good."),
}


@click.group("library", cls=LateGroup, late=_COMMANDS)
def library_command() -> None:
    """The local library of runs.

    RUN is a run's id, the beginning of one, or `last` for the newest run.

    \b
    Examples:
      spindle library list --tag nightly
      spindle library show last
      spindle library export 20261121-05 --json result.json --csv samples.csv
    """


@click.command("rename")
@run_argument
@click.argument("name")
@pass_context
def rename_command(context: Context, reference: str, name: str) -> int:
    """Give RUN (an id, the beginning of one, or `last`) another name."""
    with context.open_library() as library:
        library.rename(library.run(reference).run_id, name)
    return COMPLETED


@click.command("note")
@run_argument
@click.argument("text")
@pass_context
def note_command(context: Context, reference: str, text: str) -> int:
    """Set the note of RUN (an id, the beginning of one, or `last`); an empty one removes it."""
    with context.open_library() as library:
        library.set_note(library.run(reference).run_id, text)
    return COMPLETED


@click.command("tag")
@run_argument
@click.argument("tags", nargs=-1, required=True)
@click.option("--remove", is_flag=True, help="Remove the tags instead.")
@pass_context
def tag_command(context: Context, reference: str, tags: tuple[str, ...], remove: bool) -> int:
    """Give RUN (an id, the beginning of one, or `last`) tags."""
    with context.open_library() as library:
        run_id = library.run(reference).run_id
        if remove:
            library.remove_tags(run_id, tags)
        else:
            library.add_tags(run_id, tags)
    return COMPLETED


@click.command("delete")
@run_argument
@pass_context
def delete_command(context: Context, reference: str) -> int:
    """Delete RUN (an id, the beginning of one, or `last`).

    `spindle library restore` undoes it until `spindle library purge`.
    """
    with context.open_library() as library:
        record = library.run(reference)
        library.delete(record.run_id)
    say(f"deleted {record.run_id} ({record.name}); undo with: spindle library restore {record.run_id}")
    return COMPLETED


@click.command("restore")
@click.argument("run_id", metavar="RUN")
@pass_context
def restore_command(context: Context, run_id: str) -> int:
    """Restore a deleted run; RUN is its full id, as printed by delete."""
    with context.open_library() as library:
        library.restore(run_id)
    return COMPLETED


@click.command("purge")
@pass_context
def purge_command(context: Context) -> int:
    """Remove the deleted runs for good."""
    with context.open_library() as library:
        gone = library.purge_deleted()
    if not gone:
        say("there are no deleted runs.")
    else:
        say(f"{gone} deleted run{'s' if gone > 1 else ''} removed for good.")
    return COMPLETED
