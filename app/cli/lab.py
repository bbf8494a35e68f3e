"""`spindle lab`: the embedded PostgreSQL, kept up between runs or looked at."""

import click

from app.cli.context import Context, pass_context
from app.problems import COMPLETED, say
from engine.lab.server import EmbeddedServer, lab_status, lab_stop

_STOP_SECONDS = 60.0


@click.group("lab")
def lab_command() -> None:
    """The embedded PostgreSQL: on this machine's loopback only, with its data under Spindle's home.

    Runs and builds without --target start it and stop it by themselves; here it can be kept up and looked at.
    """


@lab_command.command("status")
@pass_context
def status_command(context: Context) -> int:
    """Say whether it runs, and on which port."""
    status = lab_status(context.places.lab)
    print(f"state    {status.state}")
    print(f"version  PostgreSQL {status.version}")
    print(f"port     {'–' if status.port is None else status.port}")
    print(f"process  {'–' if status.server_pid is None else status.server_pid}")
    kept = ", kept until spindle lab stop" if status.kept else ""
    print(f"held by  {status.leases} program{'' if status.leases == 1 else 's'}{kept}")
    print(f"data     {status.data_folder}")
    return COMPLETED


@lab_command.command("start")
@pass_context
def start_command(context: Context) -> int:
    """Start it and keep it up.

    It stays until `spindle lab stop`. One that has died under a run is started again, on the same port.
    """
    server = EmbeddedServer.attach(context.places.lab, tell=say, keep=True)
    try:
        server.start(tell=say)
        print(server.target().url)
        say(f"its password stands in a file under {context.places.lab} that only you can read.")
    finally:
        server.detach()
    return COMPLETED


@lab_command.command("stop")
@pass_context
def stop_command(context: Context) -> int:
    """Stop it, whoever uses it."""
    stopped = lab_stop(context.places.lab, timeout_seconds=_STOP_SECONDS)
    print("stopped" if stopped else "it was not running")
    return COMPLETED
