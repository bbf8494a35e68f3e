"""Spindle beside a yardstick under one load: the table of all drivers, their figures, and the goals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, Goal, figure, ratios, spread

SPINDLE = "Spindle"
RATE_GOAL = Goal(limit=1.0, at_least=True, first_step=0.95)
CPU_GOAL = Goal(limit=1.5, first_step=2.0)


def in_turns(drivers: Mapping[str, Callable[[], Driven]], rounds: int) -> Iterator[tuple[str, Callable[[], Driven]]]:
    """The drivers, as many times each. Who comes first changes from round to round: a store that was used and reset is
    slower than before, as is a machine that has been busy for long."""
    for number in range(rounds):
        yield from drivers.items() if number % 2 == 0 else reversed(list(drivers.items()))


@dataclass(frozen=True)
class Comparison:
    """The runs of every driver by its name, as many of each, taken in turns; one is the ``yardstick``.

    ``unit`` is what the drivers' orders are called.
    """

    yardstick: str
    done: Mapping[str, Sequence[Driven]]
    unit: str = "order"

    def figures(self, load: str) -> list[Figure]:
        """Every driver's figures of one load, and those that relate it to the yardstick, Spindle's with the goals."""
        figures = []
        for name, runs in self.done.items():
            figures += [
                figure(f"{load}: {name}, {self.unit}s per second", "1/s", [each.orders_per_second for each in runs]),
                figure(f"{load}: {name}, CPU per {self.unit}", "µs", [each.cpu_us for each in runs]),
                figure(f"{load}: {name}, user CPU per {self.unit}", "µs", [each.user_us for each in runs]),
                figure(f"{load}: {name}, system CPU per {self.unit}", "µs", [each.system_us for each in runs]),
                figure(f"{load}: {name}, peak memory", "MB", [each.peak_memory_mb for each in runs]),
                figure(f"{load}: {name}, deadlock victims", "", [each.retries for each in runs]),
            ]
            if name != self.yardstick:
                rate, cpu = self._relations(runs)
                is_ours = name == SPINDLE
                theirs = self.yardstick
                figures += [
                    figure(
                        f"{load}: {name}, {self.unit}s per second × {theirs}", "×", rate, RATE_GOAL if is_ours else None
                    ),
                    figure(f"{load}: {name}, CPU per {self.unit} × {theirs}", "×", cpu, CPU_GOAL if is_ours else None),
                ]
        return figures

    def print_drivers(self, users: int) -> None:
        """The table of one load, and below it whether Spindle's goals are met."""
        relation = f"× {self.yardstick}"
        print(
            f"{'users':>5} {'driver':<12} {f'{self.unit}s/s':>20} {relation:>18} {'CPU µs':>14} {'user':>5}"
            f" {'system':>6} {relation:>18} {'MB':>5} {'retries':>7}"
        )
        for name, runs in self.done.items():
            rate, cpu = self._relations(runs)
            print(
                f"{users:>5} {name:<12} {spread([each.orders_per_second for each in runs], ',.0f'):>20}"
                f" {spread(rate, '.2f'):>18} {spread([each.cpu_us for each in runs], '.0f'):>14}"
                f" {_median([each.user_us for each in runs]):>5} {_median([each.system_us for each in runs]):>6}"
                f" {spread(cpu, '.2f'):>18} {_median([each.peak_memory_mb for each in runs]):>5}"
                f" {sum(each.retries for each in runs):>7}"
            )
        rate, cpu = self._relations(self.done[SPINDLE])
        judged = (
            (figure("", "", rate, RATE_GOAL), f"{self.unit}s/s"),
            (figure("", "", cpu, CPU_GOAL), f"CPU per {self.unit}"),
        )
        for each, what in judged:
            assert each.goal is not None
            step = f", first step {each.goal.first_step:g}" if each.goal.first_step is not None else ""
            print(f"      {what} {each.median:.2f} × {self.yardstick}'s; goal {each.goal}{step}: {each.verdict}")

    def _relations(self, runs: Sequence[Driven]) -> tuple[list[float], list[float]]:
        theirs = self.done[self.yardstick]
        return (
            ratios([each.orders_per_second for each in runs], [each.orders_per_second for each in theirs]),
            ratios([each.cpu_us for each in runs], [each.cpu_us for each in theirs]),
        )


def _median(values: Sequence[float]) -> str:
    return format(figure("", "", values).median, ",.0f")
