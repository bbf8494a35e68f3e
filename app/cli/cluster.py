"""`spindle cluster`: the load machines that drive clients of a run: certificates, start, status, stop."""

import click

from app.cli.context import Context, pass_context
from app.cli.options import complete_machine
from app.cli.problems import COMPLETED
from engine.cluster.certificates import CertificateFolder
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.machine import Role

_machines_option = click.option(
    "--machine",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_machine,
    help="A machine of the inventory. Repeatable. [default: those with the role load-machine]",
)


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


@cluster_command.command("certificates")
@_machines_option
@click.option("--renew", is_flag=True, help="Make all certificates anew, of this cluster's authority.")
@pass_context
def certificates_command(context: Context, names: tuple[str, ...], renew: bool) -> int:
    """Make the certificates of the cluster where there are none, and say until when each is valid.

    Each machine gets a certificate of its own, signed by an authority that is made for this home alone. Whoever has
    one may run code on all machines of the cluster, so keep the files as you keep SSH keys. `spindle cluster start`
    gives each machine its own; copy the folder that is printed to a machine where `spindle worker` is started by hand.
    """
    machines = load_machines(read_inventory(context.places.machines), names)
    certificates = CertificateFolder(context.places.cluster)
    made = certificates.make(machines, renew=renew)
    for validity in certificates.validities():
        print(validity.sentence)
    for name in made:
        print(f"made: {certificates.folder(name)}")
    return COMPLETED


def load_machines(inventory: Inventory, names: tuple[str, ...]) -> list[str]:
    """The machines of these names, or those that are load machines by their role; raises ``BadInput``."""
    if names:
        return [inventory.machine(each).name for each in dict.fromkeys(names)]
    return [each.name for each in inventory if Role.LOAD_MACHINE in each.roles]
