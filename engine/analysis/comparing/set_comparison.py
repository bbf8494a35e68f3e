"""Runs or sets beside each other client by client, where their clients bear the same labels.

A set is compared by its median run's totals; the figures of all clients together are ``comparison.differences``. Called
by the terminal and reports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.analysis.comparing.comparison import Difference, differences

Totals = Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class ClientComparison:
    """The figures of the clients of one label in every compared run, in their order."""

    label: str
    differences: tuple[Difference, ...]

    def figure(self, name: str) -> Difference:
        """The figure of that name, such as ``OPM running``; raises ``KeyError``."""
        return {each.figure: each for each in self.differences}[name]


@dataclass(frozen=True, kw_only=True)
class ClientsCompared:
    """The clients that all compared runs have, in the baseline's order, and the labels that not all of them have."""

    clients: tuple[ClientComparison, ...]
    unmatched: tuple[str, ...]


def compare_clients(totals: Sequence[Totals], *, baseline: int = 0) -> ClientsCompared:
    """Each client against that of the same label in the ``baseline``-th run (from 0), wherever it stands in its run.

    A label that a run has twice tells no client apart: it counts as unmatched.
    """
    by_label = [_clients(each) for each in totals]
    shared = [label for label in by_label[baseline] if all(_is_alone(run, label) for run in by_label)]
    unmatched = [label for label in dict.fromkeys(label for run in by_label for label in run) if label not in shared]
    return ClientsCompared(
        clients=tuple(
            ClientComparison(
                label=label, differences=_differences([run[label][0] for run in by_label], totals, baseline)
            )
            for label in shared
        ),
        unmatched=tuple(unmatched),
    )


def _clients(totals: Totals) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for client in (totals or {}).get("clients") or ():
        found.setdefault(client["label"], []).append(client)
    return found


def _is_alone(run: Mapping[str, Sequence[Mapping[str, Any]]], label: str) -> bool:
    return len(run.get(label, ())) == 1


def _differences(
    clients: Sequence[Mapping[str, Any]], totals: Sequence[Totals], baseline: int
) -> tuple[Difference, ...]:
    """The figures of one client of each run, as totals that have no other."""
    alone = [{**(run or {}), "clients": [client]} for client, run in zip(clients, totals, strict=True)]
    return tuple(differences(alone, baseline=baseline, client=1))
