"""Mail as a workload, and what can be set of it: the mailboxes, and what their users do."""

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.errors import BadInput
from engine.parameters.parameter import Choice, Number, Parameter, Part, Whole
from engine.subject import Subject
from engine.workload.registry import MAIL
from engine.workload.scale import Scale
from engine.workload.tally import Tally
from engine.workload.wording import Wording
from engine.workload.workload import NamedLoad, ServiceLevel, Workload
from engine.workloads.mail.profiles import PROFILES
from engine.workloads.mail.sizing import LEAST_MB, MOST_MAILBOXES, MOST_MB, USUAL_MB, Mailboxes, estimate
from engine.workloads.mail.transactions import TASKS_PER_MINUTE, TRANSACTIONS
from engine.workloads.mail.user import MailUser

MAILBOXES = Parameter(
    key="mailboxes",
    label="Mailboxes",
    type=Whole(1, MOST_MAILBOXES),
    default=None,
    part=Part.DATABASE,
    help="Mailboxes that are filled, one for each user at least.",
    default_help="the mailboxes already built",
    mnemonic="x",
    examples=("100", "500"),
    noun=("mailbox", "mailboxes"),
)
MAILBOX_MB = Parameter(
    key="mailbox_mb",
    label="Size of a mailbox",
    type=Number(LEAST_MB, MOST_MB),
    default=None,
    part=Part.DATABASE,
    help=f"What each mailbox is filled with; {USUAL_MB:g} for mailboxes without a size.",
    default_help="the size already built",
    unit="MB",
    mnemonic="z",
    examples=("1", "100", "500"),
)
LATENCY_LIMIT_MS = Parameter(
    key="latency_limit_ms",
    label="Latency limit",
    type=Number(0.1, 3_600_000.0),
    default=20.0,
    help="What the mean or the 95th percentile of the tasks' times is to be at most, for the verdict on the run.",
    unit="ms",
    mnemonic="m",
    metavar="MS",
)
LEAST_DONE_PCT = 99.0
"""LoadGen compares the tasks planned with those done; the share is Spindle's choice."""


class MailboxesAndSize(Scale):
    """The scale of a mail store, a ``Mailboxes``."""

    def of(self, values: Mapping[str, Any]) -> Mailboxes | None:
        count, megabytes = values[MAILBOXES.key], values[MAILBOX_MB.key]
        if count is not None:
            return Mailboxes(count, USUAL_MB if megabytes is None else megabytes)
        if megabytes is not None:
            raise BadInput(
                f"mailbox_mb is {megabytes:g} without mailboxes; give both, or neither for the store that is there."
            )
        return None

    def values(self, scale: Mailboxes) -> Mapping[str, Any]:
        return {MAILBOXES.key: scale.count, MAILBOX_MB.key: scale.megabytes}

    def read(self, recorded: str) -> Mailboxes:
        return Mailboxes.parse(recorded)

    def in_words(self, scale: Mailboxes) -> str:
        return f"{MAILBOXES.in_words(scale.count)} of {scale.megabytes:g} MB"


SCALE = MailboxesAndSize(MAILBOXES, MAILBOX_MB)


def _user(values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally) -> MailUser:
    scale = SCALE.of(values)
    assert scale is not None, "users run once the scale of the store is known"
    return MailUser(PROFILES[values["profile"]], scale.count, number, random, tally)


def _due_rate(values: Mapping[str, Any]) -> float:
    return PROFILES[values["profile"]].tasks_per_second * float(values["rate_factor"])


def _no_think_time(_values: Mapping[str, Any], _think_time_ms: float) -> float:
    return 0.0


def _mailboxes_of(scale: Mailboxes) -> int:
    return scale.count


WORKLOAD = Workload(
    id=MAIL,
    title="Mail",
    subject=Subject.MAIL,
    note="Mail follows the profiles of LoadSim and LoadGen over IMAP and SMTP or LMTP. Its results are not comparable"
    " to theirs, which use MAPI.",
    joint_scale=SCALE,
    small_scale=Mailboxes(10, 1.0),
    usual_scale=Mailboxes(100, 10.0),
    transactions=TRANSACTIONS,
    headline=TASKS_PER_MINUTE,
    user=_user,
    due_rate=_due_rate,
    most_users=_mailboxes_of,
    factors=("rate_factor",),
    service_level=ServiceLevel(limit_key=LATENCY_LIMIT_MS.key, least_done_pct=LEAST_DONE_PCT),
    mean_think_seconds=_no_think_time,
    estimate=estimate,
    bindings="engine.workloads.mail.bindings",
    summary="profile {profile}, {rate_factor} × its rate",
    sentence="Mail: profile {profile}, tasks at {rate_factor} × the rate of its day of eight hours.",
    wording=Wording(
        unit="task",
        users="Each user has tasks due by its profile, at random moments: it does one at a time, and what is due"
        " meanwhile waits.",
        page="Mailboxes",
        part="Content",
        entries="Messages",
        build="Fills each mailbox with messages, and creates Spindle's folders in it.",
        replace="Removes what Spindle has built in the mailboxes, then fills them anew.",
        store="Each mail domain has its mailboxes, filled with messages.",
        stores=("mail domain", "mail domains"),
        verify="Looks for every message that the mailboxes were filled with.",
        reset="Removes what runs have sent and stored, and moves back what they have moved.",
        reset_first="Reset the mailboxes before the run",
        written="messages and appointments",
        undone="messages of earlier runs are removed, and moved ones are moved back",
        kept="what the run adds stays in them, and what it moves stays moved",
        counted="Tasks that the server answered.",
        timed="Of a task: from when it was due until the last answer to it has come",
        untimed="The time until the next task is due is in no response time.",
        in_doubt="message",
        recorded=("message", "messages"),
        recorded_of="",
        slowing="mailboxes grow as messages arrive",
    ),
    loads=(
        NamedLoad(
            "Quick: 8 users, 100 ×, 6 + 48 s",
            "a first look in about a minute",
            {"threads": 8, "rate_factor": 100.0, "warmup_minutes": 0.1, "minutes": 0.8},
        ),
        NamedLoad(
            "As published: 500 users, 15 + 30 min",
            "500 users of Exchange 200, measured for 30 minutes from minute 15",
            {"threads": 500, "profile": "exchange_200", "rate_factor": 1.0, "warmup_minutes": 15.0, "minutes": 30.0},
        ),
    ),
    parameters=(
        *SCALE.parameters,
        Parameter(
            key="profile",
            label="Profile",
            type=Choice(
                tuple(PROFILES),
                {
                    each: each.replace("_", " ").replace("loadsim", "LoadSim").replace("exchange", "Exchange")
                    for each in PROFILES
                },
            ),
            default="loadsim_average",
            help="What a user does in a day: loadsim_average; light, average, heavy, large (20/50, 30/75, 40/100,"
            " 60/150 messages sent/received); exchange_50 to exchange_200.",
            mnemonic="p",
            option="mail-profile",
            metavar="NAME",
        ),
        Parameter(
            key="rate_factor",
            label="Rate factor",
            type=Number(0.01, 100_000.0),
            default=1.0,
            help="How many times as many tasks a user has as in the profile's day of eight hours.",
            mnemonic="f",
            metavar="X",
        ),
        LATENCY_LIMIT_MS,
    ),
)
