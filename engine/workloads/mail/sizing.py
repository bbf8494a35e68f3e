"""How large the mailboxes are: how many there are, the megabytes of each, and the messages that fill them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Self

from engine.errors import BadInput
from engine.workload.rows.estimate import StoreEstimate, TableEstimate
from engine.workloads.mail.profiles import LOADSIM_SIZES, mean_bytes

MOST_MAILBOXES = 100_000
LEAST_MB, MOST_MB = 0.01, 10_000.0
USUAL_MB = 100.0
_BYTES_OF_MB = 1_000_000


@dataclass(frozen=True)
class Mailboxes:
    """The scale of a mail store: so many mailboxes, filled with so many megabytes each."""

    count: int
    megabytes: float = USUAL_MB

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``500x100MB``; raises ``BadInput`` for anything else."""
        match = re.fullmatch(r"(\d{1,6})x(\d+(?:\.\d+)?)MB", text)
        if match is None:
            raise BadInput(f"mailboxes is '{text}'; give a number of mailboxes and their size, such as 500x100MB.")
        return cls(int(match[1]), float(match[2]))

    def __str__(self) -> str:
        return f"{self.count}x{self.megabytes:g}MB"


def built_sizes(scale: str, seed: int, user: int) -> Iterator[int]:
    """The sizes in bytes of the messages that a user's mailbox is built with, the same for the same seed."""
    left = Mailboxes.parse(scale).megabytes * _BYTES_OF_MB
    random = Random(f"{seed} mailbox {user}")
    sizes, weights = zip(*LOADSIM_SIZES, strict=True)
    while left > 0:
        (size,) = random.choices(sizes, weights)
        yield min(size, max(int(left), min(sizes) // 2))
        left -= size


def estimate(scale: Mailboxes) -> StoreEstimate:
    """What mailboxes of a scale hold and take; a server's indexes and headers are about a tenth."""
    data_bytes = int(scale.count * scale.megabytes * _BYTES_OF_MB)
    return StoreEstimate(
        str(scale),
        (
            TableEstimate(
                table="messages",
                rows=round(data_bytes / mean_bytes(LOADSIM_SIZES)),
                rows_exact=False,
                data_bytes=data_bytes,
                index_bytes=data_bytes // 10,
            ),
        ),
    )
