"""What users do in a day of eight hours, as data: tasks, recipients and sizes of messages, each with its source.

Where a source gives only messages sent and received, the other tasks are in the proportions of LoadSim's average user;
half of what is sent are replies. Microsoft has not published LoadGen's full tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.workloads.mail.transactions import CALENDAR, CHECK, DELETE, MOVE, READ, REPLY, SEND

DAY_SECONDS = 8 * 3_600
Sizes = Sequence[tuple[int, float]]
"""Sizes of messages in bytes, each with its weight."""

LOADSIM_SIZES: Sizes = (
    (1_000, 60), (2_000, 16), (4_000, 4), (10_000, 6), (15_000, 4), (16_000, 4), (43_000, 2),
)  # fmt: skip
_EXCHANGE_2010_SIZES: Sizes = ((10_000, 50), (50_000, 30), (150_000, 14), (400_000, 6))
"""About 75 KB on average, as in Microsoft's sizing of Exchange 2010; the distribution is Spindle's."""
_LISTS = 10


@dataclass(frozen=True, kw_only=True)
class MailProfile:
    """A user's day: ``tasks`` are how many of each a user does, by their ids.

    A message has ``recipients`` on average; ``list_share`` of the messages go to a distribution list of ``list_users``.
    """

    id: str
    title: str
    source: str
    tasks: Mapping[str, float]
    sizes: Sizes
    recipients: float
    list_share: float = 0.0
    list_users: int = _LISTS

    @property
    def tasks_per_second(self) -> float:
        """How many tasks a user has due in a second of such a day."""
        return sum(self.tasks.values()) / DAY_SECONDS


def mean_bytes(sizes: Sizes) -> float:
    """The mean size of messages."""
    return sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)


def _by_messages(name: str, title: str, source: str, *, sent: int, received: int, sizes: Sizes) -> MailProfile:
    """A profile by how many messages a user sends and receives in a day."""
    return MailProfile(
        id=name,
        title=title,
        source=source,
        tasks={
            CHECK: 12,
            SEND: sent / 2,
            REPLY: sent / 2,
            READ: max(0.0, received * 81.3 / 66.3 - sent / 2),
            MOVE: received * 16.3 / 66.3,
            DELETE: received * 32.5 / 66.3,
            CALENDAR: 5,
        },
        sizes=sizes,
        # A reply has one recipient: the others make up for it, so that users receive what they are to receive.
        recipients=max(1.0, 2 * received / sent - 1),
    )


_EXCHANGE_2003 = "Microsoft, user profiles of Exchange Server 2003 sizing: messages sent and received in a day"
_EXCHANGE_2010 = (
    "Named for LoadGen 2010's action profiles; messages sent and received in a day as in Microsoft's sizing of Exchange"
    " 2010, a fifth of them sent"
)
_ALL = (
    MailProfile(
        id="loadsim_average",
        title="LoadSim, average user",
        source="LoadSim/MMB, average user, as printed in Compaq ECG082/0898",
        tasks={CHECK: 12, SEND: 14.18, READ: 81.3, MOVE: 16.3, DELETE: 32.5, CALENDAR: 5},
        sizes=LOADSIM_SIZES,
        recipients=4.7,
        list_share=0.3,
    ),
    *(
        _by_messages(name, title, _EXCHANGE_2003, sent=sent, received=received, sizes=LOADSIM_SIZES)
        for name, title, sent, received in (
            ("light", "Exchange 2003, light: 20 sent, 50 received", 20, 50),
            ("average", "Exchange 2003, average: 30 sent, 75 received", 30, 75),
            ("heavy", "Exchange 2003, heavy: 40 sent, 100 received", 40, 100),
            ("large", "Exchange 2003, large: 60 sent, 150 received", 60, 150),
        )
    ),
    *(
        _by_messages(
            f"exchange_{messages}",
            f"Exchange 2010: {messages // 5} sent, {messages - messages // 5} received",
            _EXCHANGE_2010,
            sent=messages // 5,
            received=messages - messages // 5,
            sizes=_EXCHANGE_2010_SIZES,
        )
        for messages in (50, 100, 150, 200)
    ),
)
PROFILES: Mapping[str, MailProfile] = {each.id: each for each in _ALL}
