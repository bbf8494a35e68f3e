"""Tallies of emulated users, for tests."""

from collections import Counter

from engine.errors import TargetError
from engine.workload.schedule import Delay


class CountingTally:
    """Keeps what a user counts."""

    def __init__(self) -> None:
        self.transactions: Counter[str] = Counter()
        self.rolled_back = self.retries = 0
        self.errors: list[TargetError] = []
        self.acknowledgements: list[tuple[int, int, int]] = []
        self.doubts: list[tuple[int, int]] = []
        self.delays: list[Delay] = []

    def step(self, step: str, seconds: float) -> None:
        raise AssertionError(step)

    def transaction(self, transaction: str, seconds: float, *, rolled_back: bool) -> None:
        assert seconds >= 0
        self.transactions[transaction] += 1
        self.rolled_back += rolled_back

    def delayed(self, delay: Delay) -> None:
        self.delays.append(delay)

    def retry(self) -> None:
        self.retries += 1

    def error(self, error: TargetError) -> None:
        self.errors.append(error)

    def acknowledged(self, number: int, key: int, check: int) -> None:
        self.acknowledgements.append((number, key, check))

    def in_doubt(self, key: int, check: int) -> None:
        self.doubts.append((key, check))


class StrictTally(CountingTally):
    """One that an error or a doubt fails the test of."""

    def error(self, error: TargetError) -> None:
        raise error

    def in_doubt(self, key: int, check: int) -> None:
        raise AssertionError((key, check))
