"""`spindle cluster`: the load machines that drive clients of a run: certificates, start, status, stop."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.options import complete_machine, reads, target_option, whole_between
from app.cli.problems import COMPLETED, FAILED, print_notice
from app.cli.terminal import print_json, print_table, progress_shown
from app.cli.text_page import plain_table
from engine.cluster.certificates import CertificateFolder
from engine.cluster.connection import ClusterConnection
from engine.cluster.deployment import refuse_in_use, start_cluster, stop_cluster, stop_machine, worker_plans
from engine.cluster.ports import ANY_PORT, PortRange
from engine.cluster.preflight import Needs
from engine.cluster.report import ALL_KINDS, TITLES, MachineReport, ask_machines
from engine.cluster.scheduler_check import DEFAULT_PORT
from engine.cluster.state import ClusterSettings, StartedWorker, WorkerState
from engine.figure_text import capitalised
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.machine import Role

_machines_argument = click.argument("names", nargs=-1, metavar="[NAME]…", shell_complete=complete_machine)


@click.group("cluster")
def cluster_command() -> None:
    """Load machines: other machines that drive clients of a run, together with this one.

    They are machines of the inventory (`spindle machine`), with Spindle and its extra `cluster` installed in the same
    version everywhere: `pip install '.[cluster]'`. A plan says how many clients each drives: `--load-machine load1=4`.

    \b
    Examples:
      spindle machine add ssh load1 --host load1.lab --user me --role load-machine
      spindle cluster certificates
      spindle cluster start
      spindle run plan.toml --load-machine load1=4
      spindle cluster stop
    """


@cluster_command.command("certificates", short_help="Make certificates, and say how long they last.")
@_machines_argument
@click.option("--renew", is_flag=True, help="Make all certificates anew, of this cluster's authority.")
@pass_context
def certificates_command(context: Context, names: tuple[str, ...], renew: bool) -> int:
    """Make the certificates of the cluster where there are none, and say until when each is valid.

    They are made for the machines named, or for those with the role load-machine if none is.

    Each machine gets a certificate of its own, signed by an authority that is made for this home alone. Whoever has
    one may run code on all machines of the cluster, so keep the files as you keep SSH keys. `spindle cluster start`
    gives each machine its own; copy the folder that is printed to a machine where `spindle worker` is started by hand.
    """
    machines = _chosen(read_inventory(context.places.machines), names)
    certificates = CertificateFolder(context.places.cluster)
    made = certificates.make(machines, renew=renew)
    for validity in certificates.validities():
        print(validity.sentence)
    for name in made:
        print(f"made: {certificates.folder(name)}")
    return COMPLETED


@cluster_command.command("start", short_help="Start the scheduler and the workers over SSH.")
@_machines_argument
@click.option(
    "--port",
    type=whole_between(0, 65_535),
    help=f"Where the scheduler listens on this machine; 0 for any free port. [default: {DEFAULT_PORT}]",
)
@click.option(
    "--agent-ports",
    "agent_ports",
    type=reads(PortRange.read),
    metavar="FIRST[-LAST]",
    help="Where runs listen on this machine for the agents of their load machines: each takes one of these ports. 0 for"
    " any free port. [default: 0]",
)
@click.option(
    "--worker-port",
    type=whole_between(0, 65_535),
    default=0,
    show_default=True,
    help="Where the worker of each machine listens; 0 for any free port.",
)
@click.option(
    "--address",
    "controller",
    metavar="ADDRESS",
    help="This machine's address or name as the load machines reach it, such as the outer one behind NAT;"
    " workers and agents try it first. [default: found for each machine]",
)
@click.option(
    "--take-busy",
    "takes_busy",
    is_flag=True,
    default=None,
    help="Runs use load machines also when fewer than half of their processors are free.",
)
@pass_context
def start_command(
    context: Context,
    /,
    names: tuple[str, ...],
    worker_port: int,
    **given: Any,
) -> int:
    """Start the scheduler here, and a worker on each load machine over SSH.

    These are the machines named, or those with the role load-machine if none is. While the cluster runs, machines that
    it does not have are added. Certificates that are missing are made, and each machine is given its own. The cluster
    stays until `spindle cluster stop`. What is not equal on the machines is said by `spindle cluster status`. The exit
    code is 1 when a machine could not join; the others stay.
    """
    inventory = read_inventory(context.places.machines)
    plans = worker_plans(inventory, _chosen(inventory, names), port=worker_port)
    chosen = {name: value for name, value in given.items() if value is not None}

    def report(worker: StartedWorker) -> None:
        is_ready = worker.state is WorkerState.READY
        print(f"{worker.machine}: {'ready' if is_ready else worker.message}", flush=True)

    with progress_shown("starting") as (_, flag):
        have_joined = start_cluster(
            context.places.cluster,
            plans,
            ClusterSettings(**chosen) if chosen else None,
            report=report,
            cancelled=flag.is_set,
        )
    _warn_of_expiry(context.places.cluster)
    return COMPLETED if have_joined else FAILED


@cluster_command.command("status", short_help="Say what each load machine is, and its problems.")
@target_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@pass_context
def status_command(context: Context, urls: tuple[str, ...], as_json: bool) -> int:
    """Say of each load machine what it is, and why it can't drive clients.

    That is asked before each run, too: versions of Spindle, Python and drivers, compiled modules, the clock, whether
    another run is there; with --target also whether each machine reaches the hosts. The exit code is 1 when a machine
    can't drive clients.
    """
    targets = context.parse_targets(urls) if urls else ()
    needs = Needs(
        kinds=[each.kind for each in targets] or list(ALL_KINDS),
        hosts=[host for each in targets for host in each.hosts],
    )
    with ClusterConnection.connect(context.places.cluster) as cluster, progress_shown("asking") as (_, flag):
        reports = ask_machines(cluster, needs, flag.is_set)
    if as_json:
        print_json(
            {
                "port": cluster.state.port,
                "agent_ports": str(cluster.state.settings.agent_ports),
                "machines": [each.to_dict() for each in reports],
            }
        )
    else:
        print(f"the scheduler listens on port {cluster.state.port}, process {cluster.state.pid}")
        if cluster.state.settings.agent_ports != ANY_PORT:
            print(f"runs listen for their agents on port {cluster.state.settings.agent_ports}")
        print_table(_table(reports))
        for report in reports:
            for sentence in (*report.findings.refusals, *report.findings.warnings):
                print(capitalised(sentence))
    _warn_of_expiry(context.places.cluster)
    return FAILED if any(report.findings.refusals for report in reports) else COMPLETED


@cluster_command.command("stop", short_help="Stop the scheduler, the workers and agents.")
@_machines_argument
@click.option("--force", is_flag=True, help="Also when a run is driven by the machines, which it then loses.")
@pass_context
def stop_command(context: Context, names: tuple[str, ...], force: bool) -> int:
    """Stop the scheduler, the workers and their agents; nothing is left running on the machines.

    If machines are named, only these are stopped; the others and the scheduler stay.
    """
    folder = context.places.cluster
    if names:
        for name in dict.fromkeys(names):
            stop_machine(folder, name, is_forced=force)
            print(f"{name}: stopped")
        return COMPLETED
    if not force:
        refuse_in_use(folder)
    print("stopped" if stop_cluster(folder) else "it was not running")
    return COMPLETED


def _warn_of_expiry(folder: Path) -> None:
    for validity in CertificateFolder(folder).expiring():
        print_notice(validity.sentence)


def _table(reports: Sequence[MachineReport]) -> Table:
    table = plain_table(("Machine", *TITLES), folding=("Drivers", "Reaches"))
    for each in reports:
        table.add_row(each.machine, *each.texts)
    return table


def _chosen(inventory: Inventory, names: tuple[str, ...]) -> list[str]:
    """The machines of these names, or those that are load machines by their role; raises ``BadInput``."""
    if names:
        return [inventory.machine(each).name for each in dict.fromkeys(names)]
    return [each.name for each in inventory if Role.LOAD_MACHINE in each.roles]
