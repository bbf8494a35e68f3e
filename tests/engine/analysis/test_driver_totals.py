"""What a run's totals say of its client processes, of runs as they are stored now and as they were."""

import pytest

from engine.analysis.driver_totals import clients_of, label_of, process_summaries, together

LABELS = ("ds2", "ds2_2", "ds2_3", "ds2_4")


def test_a_process_is_called_by_the_clients_that_share_it() -> None:
    assert [label_of({"clients": clients}, LABELS) for clients in ([4], [1, 2], [1, 2, 3, 4])] == [
        "ds2_4",
        "ds2 and ds2_2",
        "ds2 to ds2_4",
    ]
    assert together(("a",)) == "a"


def test_older_runs_have_a_process_for_each_client() -> None:
    assert clients_of({"client": 3}) == (3,)
    assert label_of({"client": 3}, LABELS) == "ds2_3"


@pytest.mark.parametrize("totals", [None, {}, {"driver": []}, {"driver": None}])
def test_a_run_that_was_not_driven_here_has_no_processes(totals: dict[str, object] | None) -> None:
    assert list(process_summaries(totals)) == []
