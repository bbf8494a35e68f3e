"""`spindle library`: the group, and the commands that name, annotate and tag runs.

`library_list`, `library_files` and `library_bin` hold the commands that show runs, that read and write files, and that
delete runs.
"""

import click

from app.cli.context import Context, pass_context
from app.cli.lazy_group import LazyCommand, LazyGroup
from app.cli.options import run_argument
from app.cli.problems import COMPLETED

_COMMANDS = {
    "list": LazyCommand("app.cli.library_list", "List runs, the newest first."),
    "show": LazyCommand("app.cli.library_list", "Show a run: result, plan, servers, events."),
    "history": LazyCommand("app.cli.library_history", "The runs of one plan, and when their figures changed."),
    "export": LazyCommand("app.cli.library_files", "Write a run, or its plan, to files."),
    "import": LazyCommand("app.cli.library_files", "Import the output of a DVD Store 2 driver, or rescued runs."),
    "rename": LazyCommand("app.cli.library", "Give a run another name."),
    "note": LazyCommand("app.cli.library", "Set a run's note."),
    "tag": LazyCommand("app.cli.library", "Add or remove tags of a run."),
    "delete": LazyCommand("app.cli.library_bin", "Delete a run; restore undoes it."),
    "restore": LazyCommand("app.cli.library_bin", "Restore deleted runs."),
    "empty-bin": LazyCommand("app.cli.library_bin", "Remove the deleted runs for good."),
}


@click.group("library", cls=LazyGroup, lazy_commands=_COMMANDS)
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
