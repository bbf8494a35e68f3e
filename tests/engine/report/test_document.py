import numpy as np
import pytest

from engine.report.document import BarChart, Bars, Column, DataTable, DocumentKind, Line


def test_every_kind_has_a_label_for_the_head() -> None:
    assert [kind.label for kind in DocumentKind] == [
        "Benchmark run",
        "Comparison",
        "Run set",
        "Recovery evidence",
        "Campaign",
    ]


def test_a_table_refuses_a_row_that_does_not_fill_it() -> None:
    columns = (Column(title="Client"), Column(title="OPM", is_number=True))
    with pytest.raises(ValueError, match="does not fill 2 columns"):
        DataTable(caption="Clients", columns=columns, rows=(("ds2_1",),))
    with pytest.raises(ValueError, match="does not fill 2 columns"):
        DataTable(caption="Clients", columns=columns, rows=(), total=("a", "b", "c"))


def test_a_line_refuses_coordinates_of_two_lengths() -> None:
    with pytest.raises(ValueError, match="'total'"):
        Line(label="total", x=np.arange(3.0), y=np.arange(4.0))


def test_bars_have_a_value_for_each_group() -> None:
    with pytest.raises(ValueError, match="1 values for 2 groups"):
        BarChart(y_label="OPM", groups=("a", "b"), bars=(Bars(label="OPM", values=(1.0,)),), alt="")
