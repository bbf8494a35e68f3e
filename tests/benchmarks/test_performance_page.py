from typing import Any

import pytest

from tests.benchmarks.__main__ import FORMAT, SECTIONS
from tests.benchmarks.figures import Goal, figure
from tests.benchmarks.performance_page import UnfitError, page_of


def measured(**changed: Any) -> dict[str, Any]:
    """The figures of a whole run, as ``make bench`` writes them."""
    late = figure("latest sample", "ms", [41.0, 154.2, 9.56], Goal(limit=100.0, in_every_round=True))
    return {
        "format": FORMAT,
        "measured_at": "2026-03-01T10:00:00+00:00",
        "machine": {
            "processors": 2,
            "processor": "Xeon",
            "memory_mb": 24_000,
            "system": "Linux",
            "release": "6.18",
            "python": "3.11.2",
        },
        "versions": {"postgresql": "18.6", "psycopg": "3.3.0", "spindle": "0.9"},
        "rounds": 3,
        "seconds": 15,
        "quick": False,
        "sections": {name: [late.to_dict(), figure("orders", "/s", [2435.4]).to_dict()] for name in SECTIONS},
    } | changed


def test_every_section_has_its_method_and_its_figures_with_goals() -> None:
    page = page_of(measured())

    assert page.startswith("# How fast, how true\n")
    assert "Measured on 2026-03-01, 3 rounds of 15 s" in page
    assert "2 × Xeon,\n23 GB, Linux 6.18; PostgreSQL 18.6" in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [f"## `{name}`" for name in SECTIONS]
    assert page.count("| latest sample | 41.0 [9.56–154] ms | ≤ 100 in every round | MISSED |") == len(SECTIONS)
    assert page.count("| orders | 2,435 /s |  |  |") == len(SECTIONS)
    assert "the same orders on the same server, in turn" in page, "the method is the section's docstring"
    assert "``" not in page


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"quick": True}, "quick run"),
        ({"sections": {}}, "lack speed, wholesale"),
        ({"format": FORMAT + 1}, "have the format"),
    ],
)
def test_figures_that_are_not_to_be_quoted_make_no_page(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(UnfitError, match=why):
        page_of(measured(**changed))
