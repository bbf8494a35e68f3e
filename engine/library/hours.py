"""The unit of packed samples: an hour of one client. Used within this package."""

from typing import NamedTuple

HOUR_SECONDS = 3600


class ClientHour(NamedTuple):
    """One hour of one client; ``number`` counts from the run's epoch."""

    client: int
    number: int

    @property
    def first(self) -> int:
        return self.number * HOUR_SECONDS

    @property
    def end(self) -> int:
        """The second after its last one."""
        return self.first + HOUR_SECONDS


def hour_of(client: int, second: int) -> ClientHour:
    return ClientHour(client, second // HOUR_SECONDS)
