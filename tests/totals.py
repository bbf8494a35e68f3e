"""Totals from the keys of a run's JSON, for tests that need only some of them."""

from typing import Any

from engine.record.totals import Totals
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.workload.registry import DVD_STORE


def totals_with(base: Totals | None = None, **figures: Any) -> Totals:
    """The totals of a run of the DVD Store with these keys, and of ``base`` where they say nothing."""
    return totals_from_dict(DVD_STORE, {**({} if base is None else totals_to_dict(base)), **figures})


def plain_totals(totals: Totals | None) -> dict[str, Any]:
    """The totals in a run's JSON."""
    return totals_to_dict(totals or totals_with())
