"""The rounds of a fault that was repeated, and how their figures spread, as text."""

from collections.abc import Sequence

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.spread import FigureSpread, RecoverySpread
from engine.faults.injector import without_round
from engine.figure_text import UNKNOWN, duration, shortest, whole, with_unit
from engine.report.recovery_text import drop_title, missed_title


def repeated_faults(recoveries: Sequence[Recovery]) -> dict[str, list[Recovery]]:
    """The rounds of each repeated fault, in order, by its label without the round."""
    rounds: dict[str, list[Recovery]] = {}
    for recovery in recoveries:
        rounds.setdefault(without_round(recovery.fault.label), []).append(recovery)
    return {label: group for label, group in rounds.items() if len(group) > 1}


def spread_rows(headline: Headline, spread: RecoverySpread) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """The figure, its median, its worst and each value, for repetitions of a fault."""
    titles = _titles(headline)
    known = [figure for figure in spread.figures if any(value is not None for value in figure.each)]
    return [(titles[figure.name], *_spread_values(headline, figure)) for figure in known]


def _titles(headline: Headline) -> dict[str, str]:
    return _TITLES | {
        "transactions_not_taken": missed_title(headline),
        "transactions_not_taken_baseline_seconds": f"{missed_title(headline)}, in baseline time",
        "drop_pct": drop_title(headline),
        "stabilised_seconds": f"Lowest running {headline.label} after",
        "baseline_headline_rate": f"{headline.label} before",
        "all_users_back_seconds": f"All {headline.users} back after",
    }


_TITLES = {
    "detection_lag_seconds": "Detection lag",
    "blackout_longest_seconds": "Black-out, longest",
    "blackout_total_seconds": "Black-outs, total",
    "brownout_seconds": "Brown-out",
    "recovered_seconds": "Recovered after",
    "relapses": "Relapses",
    "settled_seconds": "Last relapse over after",
    "back_seconds": "Back at the level before after",
    "tpc_e_recovered_seconds": "TPC-E business recovery",
    "lowest_second_pct": "Lowest second",
    "level_after_pct": "Level after",
}


def _spread_values(headline: Headline, figure: FigureSpread) -> tuple[str, str, tuple[str, ...]]:
    missing = "not recovered" if figure.not_reached else UNKNOWN

    def text(value: float | None) -> str:
        return missing if value is None else _with_unit(headline, figure.name, value)

    return text(figure.median), text(figure.worst), tuple(map(text, figure.each))


def _with_unit(headline: Headline, name: str, value: float) -> str:
    if name.endswith("_seconds"):
        return duration(value, with_tenths=name == "detection_lag_seconds")
    if name.endswith("_pct"):
        return with_unit(shortest(value, 2), "%")
    return headline.labelled(value) if name.endswith("_headline_rate") else whole(value)
