"""`spindle worker`: this machine as a load machine of a cluster."""

import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from app.cli.context import Context, pass_context
from app.cli.options import whole_between
from app.cli.problems import COMPLETED, print_notice
from engine.cluster.certificates import SOON_DAYS, member_files, validity_of
from engine.cluster.extra import check_cluster_packages
from engine.cluster.scheduler_check import SchedulerAddress
from engine.cluster.worker_process import received_member, serve_worker
from engine.driver.cpu_meter import usable_processors
from engine.places import HOME_VARIABLE

_STANDARD_INPUT = "-"


@click.command("worker")
@click.option("--scheduler", "address", required=True, metavar="tls://HOST:PORT", help="Where the scheduler listens.")
@click.option(
    "--certificates",
    "folder",
    required=True,
    metavar="FOLDER|-",
    help="This machine's certificate: the folder that `spindle cluster certificates` has made for it, copied here; or"
    " -, to read it from standard input and end with that.",
)
@click.option(
    "--port",
    type=whole_between(0, 65_535),
    default=0,
    show_default=True,
    help="Where this worker listens; 0 for any free port.",
)
@pass_context
def worker_command(context: Context, address: str, folder: str, port: int) -> int:
    """Serve as a load machine until Ctrl-C, or until the scheduler is gone.

    The machine has the name that its certificate has, which is its name in the inventory of the machine that makes the
    runs. `spindle cluster start` calls this over SSH; call it by hand where there is no SSH.

    \b
    Example:
      spindle worker --scheduler tls://controller.lab:8786 --certificates ./load1
    """
    check_cluster_packages()
    scheduler = SchedulerAddress.parse(address)
    os.environ[HOME_VARIABLE] = str(context.places.home)  # agents are processes of their own
    with ExitStack() as stack:
        is_sent = folder == _STANDARD_INPUT
        if is_sent:
            private = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spindle-certificate-")))
            files = received_member(sys.stdin, private)
        else:
            files = member_files(Path(folder).absolute())
            if (validity := validity_of(Path(files.certificate))).days_left < SOON_DAYS:
                print_notice(validity.sentence)

        def announce(machine: str) -> None:
            line = json.dumps({"ready": machine, "processors": usable_processors()})
            print(line if is_sent else f"{machine} is ready", flush=True)

        why = serve_worker(
            scheduler,
            files,
            runs_folder=context.places.cluster / "runs",
            port=port,
            lines=sys.stdin if is_sent else None,
            announce=announce,
        )
    print_notice(why)
    return COMPLETED
