"""The countdown before a fault that is caused by hand: when to beep, and how.

Plain arithmetic; the window beeps and shows the number.
"""

from dataclasses import dataclass

LONGEST_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Beep:
    """A beep ``after_seconds`` from the beginning of the countdown; at the last one (``pull``), the fault is caused."""

    after_seconds: float
    left_seconds: int
    pull: bool


def countdown(seconds: int) -> tuple[Beep, ...]:
    """A beep at each second that is left, and the long one at zero, which is the moment of the mark."""
    whole = min(max(int(seconds), 0), LONGEST_SECONDS)
    return tuple(Beep(after_seconds=float(at), left_seconds=whole - at, pull=at == whole) for at in range(whole + 1))
