"""The command `spindle`: its groups, its options for all, and how every error becomes one sentence and an exit code."""

import sys
from pathlib import Path

import click

from app.cli.context import Context
from app.problems import BAD_INPUT, STOPPED, explain, keep_log, say
from engine.places import find_places
from engine.workstation import application_version

_COMMANDS = {
    "run": "app.cli.run",
    "demo": "app.cli.run",
    "ds2": "app.cli.ds2",
    "build": "app.cli.stores",
    "verify": "app.cli.stores",
    "reset": "app.cli.stores",
    "drop": "app.cli.stores",
    "library": "app.cli.library",
    "lab": "app.cli.lab",
    "password": "app.cli.password",
    "completion": "app.cli.completion",
}


class _LateGroup(click.Group):
    """Loads a command's module only when it is called, so that `--help` and completion answer at once."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = __import__(_COMMANDS[name], fromlist=["commands"])
        command: click.Command = getattr(module, f"{name}_command")
        return command


@click.group(cls=_LateGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep library, embedded server and logs under this folder. [env: SPINDLE_HOME]",
)
@click.version_option(application_version(), prog_name="spindle")
@click.pass_context
def spindle(context: click.Context, home: Path | None) -> None:
    """Drive the DVD Store order workload against databases, watch the orders per minute, keep the run.

    \b
    Without a server of your own:  spindle demo
    Against your server:           spindle build --target postgresql://me@host/ds2 --db-size 1GB
                                   spindle run   --target postgresql://me@host/ds2 --threads 32 --minutes 30

    Exit codes: 0 completed, 1 failed, 2 bad input, 130 stopped.
    """
    context.obj = Context(find_places(home))


def run_program(arguments: list[str] | None = None) -> None:
    """Run the command line; always ends by ``SystemExit``."""
    keep_log(find_places().log)
    try:
        code = spindle.main(args=arguments, prog_name="spindle", standalone_mode=False)
    except click.exceptions.Abort:
        code = STOPPED
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        code = BAD_INPUT
    except click.ClickException as error:
        say(" ".join(error.format_message().split()))
        code = BAD_INPUT
    except Exception as error:
        code = explain(error)
    sys.exit(code if isinstance(code, int) else 0)
