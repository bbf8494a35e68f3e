"""The database's errors by second, client and class, stored sparsely since they are few."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from engine.analysis.series.rates import Rates

_BySecond = Counter[int]


class ErrorCounts:
    """The errors of a run.

    Methods that return arrays get the number of seconds; a second without errors is 0.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[int, str], _BySecond] = defaultdict(Counter)

    def add(self, client: int, second: int, errors: Mapping[str, int]) -> None:
        """Add a client's errors of a second, by class."""
        for name, count in errors.items():
            self._counts[client, name][second] += count

    @property
    def classes(self) -> list[str]:
        """The classes that occurred, sorted."""
        return sorted({name for _, name in self._counts})

    def by_class(self, client: int | None = None) -> dict[str, int]:
        """The errors since the start by class, the most frequent first."""
        total: Counter[str] = Counter()
        for (number, name), by_second in self._counts.items():
            if client in (None, number):
                total[name] += by_second.total()
        return dict(total.most_common())

    def between(self, first: int, end: int, client: int) -> dict[str, int]:
        """A client's errors of ``first <= second < end`` by class, without zeros."""
        found: dict[str, int] = {}
        for (number, name), by_second in self._counts.items():
            if number == client and (count := sum(by_second[second] for second in _inside(by_second, first, end))):
                found[name] = count
        return found

    def first_second(self, first: int, end: int, client: int, *, without: str) -> int | None:
        """The first of ``first <= second < end`` in which a client has an error of any class except ``without``, if
        any."""
        chosen = [
            by_second for (number, name), by_second in self._counts.items() if number == client and name != without
        ]
        return min((second for by_second in chosen for second in _inside(by_second, first, end)), default=None)

    def by_second(self, seconds: int, *, error_class: str | None = None, client: int | None = None) -> Rates:
        """The errors of each of the first ``seconds`` seconds, of one class and client or of all."""
        values = np.zeros(seconds)
        for by_second in self._chosen(error_class, client):
            inside = [(second, count) for second, count in by_second.items() if second < seconds]
            if inside:
                at, counts = zip(*inside, strict=True)
                values[list(at)] += counts
        return values

    def _chosen(self, error_class: str | None, client: int | None) -> Iterable[_BySecond]:
        for (number, name), by_second in self._counts.items():
            if client in (None, number) and error_class in (None, name):
                yield by_second


def _inside(by_second: _BySecond, first: int, end: int) -> list[int]:
    """The seconds of a span that have errors, found by iterating over the shorter of the two."""
    if end - first < len(by_second):
        return [second for second in range(first, end) if second in by_second]
    return [second for second in by_second if first <= second < end]
