"""`spindle lab`: the embedded PostgreSQL, alone or with standbys: start, status, fault actions, logs, stop."""

import time
from datetime import datetime
from typing import Any

import click

from app.cli.context import Context, pass_context
from app.cli.options import NUMBER, WHOLE, whole_between
from app.cli.problems import COMPLETED, print_notice, without_passwords
from engine.errors import UserError
from engine.faults.lab_actions import LabAction, read_action, sentence_of
from engine.figure_text import UNKNOWN, whole, with_unit
from engine.lab.logs import KEEPER, log_path, primary_number, read_end, read_more
from engine.lab.server import EmbeddedServer, lab_do, lab_status, lab_stop
from engine.lab.shapes import LabShape
from engine.lab.status import PRIMARY, LabStatus, NodeStatus, lsn_text
from engine.target.target import FAILOVER_MODES
from engine.target.url import read_nodes, read_switch

_STOP_SECONDS = 60.0
_FOLLOW_SECONDS = 0.5
_ACTIONS = "\n".join(f"  {action.value.replace('_', '-'):<18} {sentence_of(action)}" for action in LabAction)
_UNPROTECTED = "no: an order acknowledged now is lost if the primary is"


@click.group("lab")
def lab_command() -> None:
    """The embedded PostgreSQL: on this machine's loopback only, with its data under Spindle's home.

    Runs and builds without --target start it and stop it by themselves; here it can be kept up and looked at. With two
    or three nodes it is a primary and its standbys, to practise a failover.
    """


@lab_command.command("status")
@pass_context
def status_command(context: Context) -> int:
    """Say whether it runs, on which ports, and how its nodes stand."""
    status = lab_status(context.places.lab)
    print(f"state    {status.state}")
    if status.shape.nodes > 1:
        print(f"shape    {status.shape.in_words()}")
    print(f"version  PostgreSQL {status.version}")
    print(f"port     {UNKNOWN if status.port is None else status.port}")
    print(f"process  {UNKNOWN if status.server_pid is None else status.server_pid}")
    if (since := _since(status)) is not None:
        print(f"since    {since:%Y-%m-%d %H:%M:%S}")
    kept = "; kept running until spindle lab stop" if status.kept else ""
    print(f"used by  {', '.join(status.holders) or 'no program'}{kept}")
    print(f"users    {status.users} connected")
    print(f"data     {status.data_folder}")
    if status.shape.nodes > 1:
        _print_nodes(status)
    return COMPLETED


@lab_command.command("start")
@click.option("--nodes", metavar="N", help="1, 2 or 3: a primary and its standbys. [default: as it runs, else 1]")
@click.option("--sync", metavar="on|off", help="Whether commits wait for a standby. [default: off]")
@click.option(
    "--failover", metavar="MODE", help=f"Who promotes a standby: {', '.join(FAILOVER_MODES)}. [default: manual]"
)
@click.option(
    "--probe-interval", type=NUMBER, metavar="SECONDS", help="How often probe asks the primary. [default: 0.5]"
)
@click.option("--probe-misses", type=WHOLE, metavar="N", help="Failed probes in a row before a failover. [default: 2]")
@click.option("--rejoin-after", type=NUMBER, metavar="SECONDS", help="Bring the old primary back after a failover.")
@pass_context
def start_command(context: Context, /, **options: Any) -> int:
    """Start it and keep it up.

    It stays until `spindle lab stop`. What has died is started again, on the same port. The failover fast looks at
    the primary's process; probe asks the primary, and so notices a frozen or unreachable one too.
    """
    server = EmbeddedServer.attach(context.places.lab, notify=print_notice, keep=True, shape=_shape(options))
    try:
        print(server.status().shape.url if server.status().shape.nodes > 1 else server.target().url)
        print_notice(f"its password is in a file under {context.places.lab} that only you can read.")
    finally:
        server.detach()
    return COMPLETED


@lab_command.command("do", epilog=f"\b\nActions:\n{_ACTIONS}")
@click.argument("action", metavar="ACTION")
@click.option("--node", type=WHOLE, metavar="N", help="The node. [default: the one the action applies to]")
@click.option(
    "--value", type=NUMBER, metavar="NUMBER", help="Milliseconds for delay-network, Mbit/s for limit-network."
)
@pass_context
def do_command(context: Context, action: str, node: int | None, value: float | None) -> int:
    """Do something to it: kill, freeze, promote, cut and the like."""
    print(lab_do(context.places.lab, read_action(action), node=node, value=value))
    return COMPLETED


@lab_command.command("log")
@click.option("--node", type=WHOLE, metavar="N", help="The server's number. [default: the primary's]")
@click.option("--keeper", is_flag=True, help="The log of the process that keeps the servers.")
@click.option("--lines", type=whole_between(0, 10_000), default=40, show_default=True, help="Lines to print first.")
@click.option("--follow", is_flag=True, help="Print new lines as they are written, until Ctrl-C.")
@pass_context
def log_command(context: Context, node: int | None, keeper: bool, lines: int, follow: bool) -> int:
    """Print the end of a server's log."""
    folder = context.places.lab
    path = log_path(folder, KEEPER if keeper else primary_number(folder) if node is None else node)
    try:
        piece = read_end(path, lines)
        if not path.exists():
            print_notice(f"{path} does not exist: this server has not run yet.")
        print(without_passwords(piece.text), end="", flush=True)
        while follow:
            time.sleep(_FOLLOW_SECONDS)
            piece = read_more(path, piece.end)
            print(without_passwords(piece.text), end="", flush=True)
    except OSError as error:
        raise UserError(f"the log {path} can't be read ({error.strerror}); check its permissions.") from error
    return COMPLETED


@lab_command.command("stop")
@pass_context
def stop_command(context: Context) -> int:
    """Stop it, even if other programs use it."""
    stopped = lab_stop(context.places.lab, timeout_seconds=_STOP_SECONDS)
    print("stopped" if stopped else "it was not running")
    return COMPLETED


def _since(status: LabStatus) -> datetime | None:
    """When the primary was started, in local time."""
    started = next((node.started_at for node in status.nodes if node.role == PRIMARY), None)
    return None if started is None else datetime.fromtimestamp(started).astimezone()


def _shape(options: dict[str, Any]) -> LabShape | None:
    """The shape that the options ask for; ``None`` when they ask for none."""
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return None
    fields = {
        "nodes": read_nodes(given.pop("nodes", "1")),
        "sync": read_switch(given.pop("sync", "off")),
        "probe_interval_seconds": given.pop("probe_interval", None),
        "probe_misses": given.pop("probe_misses", None),
        "rejoin_after_seconds": given.pop("rejoin_after", None),
    } | given
    return LabShape(**{name: value for name, value in fields.items() if value is not None})


def _print_nodes(status: LabStatus) -> None:
    print(f"safe     {'yes: a standby has every acknowledged order' if status.is_protected else _UNPROTECTED}")
    print(
        f"\n{'node':<7}{'role':<9}{'state':<9}{'port':>6}{'server':>8}  {'received':<12}{'replayed':<12}{'lag':>10}  ",
        end="",
    )
    print(f"{'follows':<9}network")
    for node in status.nodes:
        print(_node_line(node))


def _node_line(node: NodeStatus) -> str:
    lag = with_unit(whole(node.lag_bytes), "B")
    client_port, port, follows = node.client_port or UNKNOWN, node.port or UNKNOWN, node.follows or UNKNOWN
    return (
        f"{node.name:<7}{node.role:<9}{node.state:<9}{client_port:>6}{port:>8}  "
        f"{lsn_text(node.received):<12}{lsn_text(node.replayed):<12}{lag:>10}  {follows:<9}{node.network}"
    )
