"""The parameters of every plan: what each is called, accepts and means, for forms, options, plan files and messages."""

from collections.abc import Mapping
from dataclasses import replace

from engine.figure_text import capitalised
from engine.machines.storage_probes import StorageProbes
from engine.parameters.parameter import Choice, Flag, Minutes, Number, Parameter, Part, Text, Texts, Whole
from engine.plan.load.stage import RATE, Stages
from engine.plan.load.staircase import StaircaseType
from engine.plan.load_machines import MOST_CLIENTS, LoadMachines
from engine.workload.pacing import ARRIVALS, POISSON
from engine.workload.workload import Workload

MOST_THREADS = 1_000
_PARAMETERS = (
    Parameter(
        key="name",
        label="Name",
        type=Text(),
        default="",
        part=Part.RUN,
        help="The run's name in the library.",
        default_help="made from the plan",
        mnemonic="n",
        metavar="TEXT",
    ),
    Parameter(
        key="note",
        label="Note",
        type=Text(),
        default="",
        part=Part.RUN,
        help="A note to keep with the run.",
        mnemonic="t",
        metavar="TEXT",
    ),
    Parameter(
        key="tags",
        label="Tags",
        type=Texts(),
        default=(),
        part=Part.RUN,
        help="Tags to find the run by, such as nightly, r630-a.",
        mnemonic="g",
        option="tag",
        metavar="TAG",
    ),
    Parameter(
        key="clients",
        label="Clients per store",
        type=Whole(1, MOST_CLIENTS),
        default=1,
        part=Part.TARGETS,
        help="Clients that drive each store.",
        mnemonic="c",
    ),
    Parameter(
        key="databases",
        label="Stores per target",
        type=Whole(1, MOST_CLIENTS),
        default=1,
        part=Part.TARGETS,
        help="Stores on each target; several are numbered: NAME_1, NAME_2 …",
        mnemonic="g",
    ),
    Parameter(
        key="threads",
        label="Users per client",
        type=Whole(1, MOST_THREADS),
        default=1,
        help="Users of each client, each on its own connection.",
        mnemonic="u",
        option="users",
        aliases=("threads",),
    ),
    Parameter(
        key="think_time_ms",
        label="Think time",
        type=Number(0, 3_600_000),
        default=0.0,
        help="Mean pause of a user after each order.",
        unit="ms",
        step=10,
        mnemonic="t",
        metavar="MS",
    ),
    Parameter(
        key="ramp_rate",
        label="Ramp rate",
        type=Number(0.01, 10_000),
        default=10.0,
        help="Users who connect per second, for each client.",
        unit="users/s",
        mnemonic="m",
    ),
    Parameter(
        key="warmup_minutes",
        label="Warm-up",
        type=Minutes(0, 1_440),
        default=1.0,
        help="Before measuring: not counted, caches fill, the load settles.",
        mnemonic="w",
        option="warmup",
        metavar="MIN",
    ),
    Parameter(
        key="minutes",
        label="Run time",
        type=Minutes(0, 525_600),
        default=0.0,
        help="Measured time; 0 until stopped. 30 is 30 minutes; 90s and 1:30 work too.",
        step=5,
        mnemonic="n",
        metavar="MIN",
    ),
    Parameter(
        key="stages",
        label="Stages",
        type=Stages(),
        default=None,
        help="Load by stages: '10 users 2:00, 20 users 2:00', of all clients together; the run time is their sum.",
        default_help="none",
        mnemonic="g",
        metavar="'LOAD TIME, …'",
    ),
    Parameter(
        key="staircase",
        label="Staircase",
        type=StaircaseType(),
        default=None,
        help="10:2:00 adds 10 users every 2 minutes, until p95 > 50 ms, the throughput grows by less than 2 %, or this"
        " workstation is the limit.",
        default_help="none",
        metavar="STEP:TIME",
        examples=("10:2:00",),
    ),
    Parameter(
        key="rate",
        label="Rate",
        type=RATE,
        default=None,
        help="Open loop: so many of what the headline counts (orders a minute, trades a second) are due from all"
        " clients together, whether or not answers come.",
        default_help="closed loop",
        step=100,
    ),
    Parameter(
        key="arrivals",
        label="Arrivals",
        type=Choice(tuple(ARRIVALS), ARRIVALS),
        default=POISSON,
        help="Of an open loop: at random as independent customers come, or evenly.",
        mnemonic="v",
        metavar="HOW",
    ),
    Parameter(
        key="load_machines",
        label="Load machines",
        type=LoadMachines(),
        default=(),
        help="Machines of the inventory, each with how many clients it drives, as in load1=4, in the order of the"
        " clients; this one drives those left.",
        option="load-machine",
        metavar="NAME=CLIENTS",
    ),
    Parameter(
        key="seed",
        label="Seed",
        type=Whole(0, 2**63 - 1),
        default=1,
        help="Same seed, same random choices.",
        mnemonic="d",
    ),
    Parameter(
        key="reset",
        label="Reset before the run",
        type=Flag(),
        default=None,
        part=Part.DATABASE,
        help="Reset every store to what was built before the run.",
        default_help="as the plan file says, else no",
    ),
    Parameter(
        key="audit",
        label="Audit after the run",
        type=Flag(),
        default=None,
        part=Part.RUN,
        help="After the run, check every acknowledged order on the server.",
        default_help="as the plan file says, else no",
    ),
    Parameter(
        key="machines",
        label="Machines",
        type=Texts(),
        default=(),
        part=Part.RUN,
        help="Machines of the inventory to read during the run: CPU, disks, network, power; workstation is this one.",
        mnemonic="h",
        option="machine",
        metavar="NAME",
    ),
    Parameter(
        key="server_waits",
        label="Server waits",
        type=Flag(),
        default=False,
        part=Part.RUN,
        help="Ask each database server once a second what its sessions wait for, and for its log, buffer and replicas.",
        mnemonic="w",
    ),
    Parameter(
        key="storage_probes",
        label="Volumes to measure",
        type=StorageProbes(),
        default=(),
        part=Part.RUN,
        help="Volumes to drive alone by fio for 12 s before and after the run, such as /pg-log@db1=log: a folder, its"
        " machine (else this one), and log, write, read or mixed.",
        mnemonic="u",
        option="storage-probe",
        metavar="FOLDER[@MACHINE][=LOAD]",
        examples=("/data=log", "/data@db1=mixed"),
    ),
)
COMMON: Mapping[str, Parameter] = {each.key: each for each in _PARAMETERS}
"""By their keys, which are the names of the fields of ``engine.plan.plan.RunPlan``."""


def described(*workloads: Workload) -> dict[str, Parameter]:
    """The parameters of every plan and those of the workloads, by their keys, in the order of a plan's parts."""
    own = [each for workload in workloads for each in workload.parameters]
    parts = list(Part)
    common = COMMON if len(workloads) != 1 else {**COMMON, **_in_words_of(*workloads)}
    every = sorted((*common.values(), *own), key=lambda each: parts.index(each.part))
    return {each.key: each for each in every}


def of_stores(workload: Workload) -> dict[str, Parameter]:
    """How many stores a target has, and each of them clients, in the workload's own words, by their keys."""
    one, many = workload.wording.stores
    databases, clients = COMMON["databases"], COMMON["clients"]
    on_each = f"{capitalised(many)} on each target; several are numbered: NAME_1, NAME_2 …"
    return {
        databases.key: replace(databases, label=f"{capitalised(many)} per target", help=on_each),
        clients.key: replace(clients, label=f"Clients per {one}", help=f"Clients that drive each {one}."),
    }


def _in_words_of(workload: Workload) -> dict[str, Parameter]:
    return {"rate": _rate_of(workload), "threads": _who(workload), **of_stores(workload)}


def _rate_of(workload: Workload) -> Parameter:
    """The rate in the workload's own words and unit."""
    metric = workload.headline
    (counted,) = (each for each in workload.transactions if each.id == metric.counts)
    return replace(
        COMMON["rate"],
        help=f"Open loop: so many {counted.labels} a {metric.period} are due from all clients together, whether or not"
        " answers come.",
        unit=f"per {metric.period}",
        step=1 if metric.has_decimals else COMMON["rate"].step,
    )


def _who(workload: Workload) -> Parameter:
    """How many users a client has, or threads where it runs a program."""
    if workload.user is not None:
        return COMMON["threads"]
    return replace(
        COMMON["threads"], label="Threads per client", help="Threads of each client's program.", mnemonic="i"
    )
