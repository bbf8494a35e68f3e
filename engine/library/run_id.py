"""Ids of runs."""

import secrets
from datetime import UTC, datetime

_TAIL = "23456789abcdefghjkmnpqrstuvwxyz"
"""Letters and digits that can't be taken for one another when they are read out or typed."""


def new_run_id(now: datetime) -> str:
    """A run's id, such as ``20261121-043017-k3f9``: the second of its start in UTC, and four random characters.

    Ids sort by the time of the start; the random part distinguishes runs that begin in the same second.
    """
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{''.join(secrets.choice(_TAIL) for _ in range(4))}"
