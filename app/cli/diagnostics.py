"""`spindle diagnostics`: what a report of a fault needs to say of this installation."""

import click

from app.cli.context import Context, pass_context
from app.cli.problems import COMPLETED
from app.diagnostics import diagnostics


@click.command("diagnostics")
@click.option("--licences", is_flag=True, help="Print the licences of all that Spindle is shipped with instead.")
@pass_context
def diagnostics_command(context: Context, licences: bool) -> int:
    """Print versions, system, folders, library, drivers and the log's last errors, for a report of a fault.

    Passwords are left out, and your home folder is written as ~. Names of hosts may stand in the log's lines: read the
    text before you send it.
    """
    print(_licences() if licences else diagnostics(context.places), end="")
    return COMPLETED


def _licences() -> str:
    from app.licences import CALLED_ONLY, shipped_licences

    lines = [f"{each.package:28} {each.version:24} {each.licence}" for each in shipped_licences()]
    return "\n".join([*lines, "", CALLED_ONLY, ""])
