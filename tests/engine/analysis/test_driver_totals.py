"""The names of client processes, of runs as they are stored now and as they were."""

from engine.analysis.driver_totals import label_of, together
from engine.record.totals import NO_TOTALS
from engine.telemetry.workstation import ProcessSummary
from tests.totals import totals_with

LABELS = ("ds2", "ds2_2", "ds2_3", "ds2_4")


def summary(**stored: object) -> ProcessSummary:
    """A summary as it stands in a run's totals."""
    (found,) = totals_with(driver=[stored]).processes or ()
    return found


def test_a_process_is_called_by_the_clients_that_share_it() -> None:
    assert [label_of(summary(clients=clients), LABELS) for clients in ([4], [1, 2], [1, 2, 3, 4])] == [
        "ds2_4",
        "ds2 and ds2_2",
        "ds2 to ds2_4",
    ]
    assert together(("a",)) == "a"


def test_older_runs_have_a_process_for_each_client() -> None:
    assert summary(client=3).clients == (3,)
    assert label_of(summary(client=3), LABELS) == "ds2_3"


def test_a_run_that_was_not_driven_here_has_no_processes() -> None:
    assert [totals.processes for totals in (NO_TOTALS, totals_with(driver=None), totals_with(driver=[]))] == [
        None,
        None,
        (),
    ]
