"""The spread of a repeated fault, as a table."""

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from engine.analysis.recovery import recoveries_of
from engine.analysis.recovery_figures import Recovery
from tests.doubles.faulted_runs import FAULT_AT, FaultedRun
from widgets.library.spread_table import SpreadModel


@pytest.fixture
def rounds() -> list[Recovery]:
    run = FaultedRun(2, faults={90: FAULT_AT, 91: 230.2, 92: 310.0}).tell_to(400)
    return recoveries_of(run)


def test_the_model_keeps_qts_rules(rounds: list[Recovery]) -> None:
    model = SpreadModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_rounds(rounds)
    assert model.columnCount() == 6
    model.show_rounds(rounds[:2])
    assert model.columnCount() == 5
    model.show_rounds([])
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    assert tester.model() is model
