"""The spread of a repeated fault, as a table."""

import pytest

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.judging import recoveries_of
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from widgets.library.spread_table import spread_texts
from widgets.parts.table.text_model import Texts


@pytest.fixture
def rounds() -> list[Recovery]:
    run = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2, 92: 310.0}).advance_to(400)
    return recoveries_of(run)


def test_each_round_has_a_column_beside_the_median_and_the_worst(rounds: list[Recovery]) -> None:
    texts = spread_texts(rounds)
    assert texts.titles == ("Figure", "Median", "Worst", "Round 1", "Round 2", "Round 3")
    assert {len(row) for row in texts.rows} == {6}
    assert len(spread_texts(rounds[:2]).titles) == 5
    assert spread_texts([]) == Texts((), ())
