from datetime import timedelta

import pytest

from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from tests.engine.library.examples import STARTED_AT, a_finished_record


@pytest.fixture
def three(library):
    """Runs a minute apart: on the embedded server, on a labelled one, and an imported one whose target isn't known."""
    labelled, _ = Target.parse("postgresql://bench@DB-West.example:5433/ds2")
    records = [
        a_finished_record(clients=1, plan=RunPlan(targets=(Target(kind=EMBEDDED, database="shop"),)), tags=("a", "b+")),
        a_finished_record(
            clients=1,
            after_seconds=60,
            plan=RunPlan(targets=(labelled.with_label("Primary"),)),
            client_labels=("Primary",),
            tags=("C",),
        ),
        a_finished_record(after_seconds=120, client_labels=("10.0.0.7", "10.0.0.8"), tags=()),
    ]
    for record in records:
        library.add_imported(record, [], [])
    return records


@pytest.mark.parametrize(("first", "expected"), [(None, [2, 1, 0]), (60, [2, 1]), (61, [2]), (121, [])])
def test_runs_are_found_by_the_time_of_their_start(library, three, first, expected):
    began = None if first is None else STARTED_AT + timedelta(seconds=first)
    assert library.runs(started_from=began) == [three[index] for index in expected]


def test_filters_are_combined(library, three):
    assert library.runs(started_from=STARTED_AT, tags=["C"], text="primary") == [three[1]]
    assert library.runs(text="primary", tags=["a"]) == []


def test_a_text_is_not_found_across_two_fields(library, three):
    assert library.runs(text="8shop") == []
    assert library.runs(text="ab+") == []  # "ab" alone may be in a run's id
