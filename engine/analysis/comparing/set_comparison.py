"""Compares runs or sets client by client, matching clients by label.

A set is represented by its median run's totals; ``comparison.differences`` compares all clients together. Called by the
terminal and reports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.analysis.comparing.comparison import Difference, differences
from engine.analysis.headline import Headline
from engine.record.totals import NO_TOTALS, ClientTotals, Totals


@dataclass(frozen=True, kw_only=True)
class ClientComparison:
    """The figures of the clients with one label in all compared runs, in their order."""

    label: str
    differences: tuple[Difference, ...]

    def figure(self, name: str) -> Difference:
        """The figure with that name, such as ``headline running``; raises ``KeyError``."""
        return {each.figure: each for each in self.differences}[name]


@dataclass(frozen=True, kw_only=True)
class ClientsCompared:
    """The clients that all compared runs have, in the baseline's order, and the labels that some runs do not have."""

    clients: tuple[ClientComparison, ...]
    unmatched: tuple[str, ...]


def compare_clients(headline: Headline, totals: Sequence[Totals | None], *, baseline: int = 0) -> ClientsCompared:
    """Compare each client with the one that has the same label in the ``baseline``-th run (from 0).

    A label that occurs twice in a run is ambiguous and counts as unmatched.
    """
    by_label = [_clients(each) for each in totals]
    shared = [label for label in by_label[baseline] if all(_is_alone(run, label) for run in by_label)]
    unmatched = [label for label in dict.fromkeys(label for run in by_label for label in run) if label not in shared]
    return ClientsCompared(
        clients=tuple(
            ClientComparison(
                label=label, differences=_differences(headline, [run[label][0] for run in by_label], totals, baseline)
            )
            for label in shared
        ),
        unmatched=tuple(unmatched),
    )


def _clients(totals: Totals | None) -> dict[str, list[ClientTotals]]:
    found: dict[str, list[ClientTotals]] = {}
    for client in (totals or NO_TOTALS).clients:
        found.setdefault(client.label, []).append(client)
    return found


def _is_alone(run: Mapping[str, Sequence[ClientTotals]], label: str) -> bool:
    return len(run.get(label, ())) == 1


def _differences(
    headline: Headline, clients: Sequence[ClientTotals], totals: Sequence[Totals | None], baseline: int
) -> tuple[Difference, ...]:
    """The figures of one client of each run, computed as those of totals with only that client."""
    alone = [replace(run or NO_TOTALS, clients=(client,)) for client, run in zip(clients, totals, strict=True)]
    return tuple(differences(headline, alone, baseline=baseline, client=1))
