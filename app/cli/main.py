"""The command `spindle`: its groups, its options for all, and how every error becomes one sentence and an exit code."""

import io
import os
import sys
from pathlib import Path

import click

from app.cli.context import Context
from app.cli.lazy_group import LazyCommand, LazyGroup
from app.cli.problems import BAD_INPUT, COMPLETED, FAILED, keep_log, report_error
from app.display import require_display
from app.preferences import with_library_folder
from engine.errors import BadInput
from engine.places import Places, find_places

_COMMANDS = {
    "run": LazyCommand("app.cli.run", "Run a plan against databases and store the run."),
    "demo": LazyCommand("app.cli.run", "About a minute on the embedded PostgreSQL."),
    "build": LazyCommand("app.cli.stores", "Build stores: tables, rows, indexes, procedures."),
    "verify": LazyCommand("app.cli.stores", "Check stores: rows, keys, indexes, sums."),
    "reset": LazyCommand("app.cli.stores", "Reset stores to what was built."),
    "drop": LazyCommand("app.cli.stores", "Remove stores."),
    "audit": LazyCommand("app.cli.audit", "Check that no acknowledged order of a run was lost."),
    "library": LazyCommand("app.cli.library", "List, show, export, tag and delete stored runs."),
    "set": LazyCommand("app.cli.run_sets", "Run sets: several runs as one result, and their median run."),
    "campaign": LazyCommand("app.cli.campaign", "Campaigns: reset, restart, wait, idle, run; sweeps; searches."),
    "configuration": LazyCommand("app.cli.configuration", "Hardware configurations: costs, watts, factors."),
    "machine": LazyCommand("app.cli.machine", "Machines and how they are reached: add, list, test, remove."),
    "cluster": LazyCommand("app.cli.cluster", "Load machines: certificates, start, status, stop."),
    "worker": LazyCommand("app.cli.worker", "Serve as a load machine of a cluster."),
    "check": LazyCommand("app.cli.check", "Whether a result fails conditions, for build servers."),
    "host": LazyCommand("app.cli.host", "Host measurements of a run: CPU, disk, network, power."),
    "storage": LazyCommand("app.cli.storage", "diskspd on Windows; a quick look at a disk."),
    "reference": LazyCommand("app.cli.reference", "Published results to compare with."),
    "report": LazyCommand("app.cli.report", "Write runs, sets and comparisons as HTML or PDF."),
    "lab": LazyCommand("app.cli.lab", "The embedded PostgreSQL: status, start, stop, actions, logs."),
    "password": LazyCommand("app.cli.password", "Store a target's password in the keyring."),
    "ds2": LazyCommand("app.cli.ds2", "A drop-in for DVD Store 2's drivers."),
    "settings": LazyCommand("app.cli.settings", "The settings of this home: list, print, set."),
    "diagnostics": LazyCommand("app.cli.diagnostics", "Versions, folders, library, drivers and last errors."),
    "completion": LazyCommand("app.cli.completion", "Print a shell's completion script."),
}


def _print_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from engine.workstation import application_version

        click.echo(f"spindle {application_version()}")
        context.exit()


@click.group(
    cls=LazyGroup,
    lazy_commands=_COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--home",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder for the library, the embedded server and logs, instead of the user's data folder."
    " [env var: SPINDLE_HOME]",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
@click.pass_context
def spindle(context: click.Context, home: str | None) -> int | None:
    """Drive an order workload (DVD Store 2, Wholesale, Brokerage) against databases, or load mail servers and storage;
    watch its orders per minute, keep the runs.

    Without a command, the window opens.

    \b
    Without a server of your own:
      spindle demo
    Against your server:
      spindle build --target postgresql://me@host/ds2 --db-size 1GB
      spindle run --target postgresql://me@host/ds2 --users 32 --minutes 30
      spindle library list
    MariaDB, MySQL and SQL Server are driven too:
      mariadb://me@host/ds2   mysql://me@host/ds2   mssql://sa@host/ds2

    \b
    Passwords: the target's URL, else SPINDLE_PASSWORD, else `spindle password`,
    else a prompt. They are never stored with a run, and never printed.

    Exit codes: 0 completed, 1 failed, 2 bad input or an unknown run, 3 orders lost, 4 measured but not kept in the
    library, 130 stopped.
    """
    if home == "":
        raise BadInput("--home is empty; give a folder.")
    places = with_library_folder(find_places(None if home is None else Path(home)))
    keep_log(places.log)
    context.obj = Context(places)
    return _open_window(places) if context.invoked_subcommand is None else None


def _open_window(places: Places) -> int:
    require_display()
    from app.start import run_window  # imports Qt, which no command and no client process should load

    return run_window(places)


def run_program(arguments: list[str] | None = None) -> None:
    """Run the command line; always raises ``SystemExit``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character that the terminal can't show must not end the program
    sys.exit(_flushed(_code_of(arguments)))


def _code_of(arguments: list[str] | None) -> int:
    try:
        code = spindle.main(args=arguments, prog_name="spindle", standalone_mode=False)
    except click.exceptions.Abort:
        return report_error(KeyboardInterrupt())
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return BAD_INPUT
    except click.ClickException as error:
        return report_error(BadInput(_sentence(error)))
    except BrokenPipeError:
        return FAILED
    except Exception as error:
        return report_error(error)
    return code if isinstance(code, int) else COMPLETED


def _sentence(error: click.ClickException) -> str:
    """Click's message in one line, with the command whose help explains it."""
    text = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{text}; see {context.command_path} --help." if context is not None else f"{text}."


def _flushed(code: int) -> int:
    """Flush the output, since the interpreter would complain at exit; returns the exit code."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code == COMPLETED and not isinstance(error, BrokenPipeError):
            return report_error(error)
        return code or FAILED
    return code
