import pytest

from engine.errors import UserError
from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.library.examples import a_finished_record, some_samples


@pytest.fixture
def three(library):
    """Three runs a minute apart, oldest first, entered in another order."""
    records = [
        a_finished_record(run_id="20261121-043017-aaaa", name="Überlast", note="", tags=("nightly",)),
        a_finished_record(run_id="20261121-043117-bbbb", after_seconds=60, note="100% of it", tags=("nightly", "vm")),
        a_finished_record(
            run_id="20261121-043117-bccc", after_seconds=120, client_labels=("db west",), tags=(), state=RunState.FAILED
        ),
    ]
    for index in (1, 0, 2):
        library.add_imported(records[index], [], [])
    return records


def test_runs_are_sorted_newest_first(library, three):
    assert library.runs() == three[::-1]
    assert library.runs(limit=2) == three[:0:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ÜBERLAST", [0]),
        ("043117", [2, 1]),
        ("100%", [1]),
        ("0%", [1]),
        ("100_", []),
        ("vm", [1]),
        ("Db West", [2]),
        ("evening", [2, 1, 0]),
        ("nothing like it", []),
    ],
)
def test_runs_are_found_by_text_whatever_the_capitals(library, three, text, expected):
    assert library.runs(text=text) == [three[index] for index in expected]


def test_runs_are_found_by_all_tags_and_any_state(library, three):
    assert library.runs(tags=["nightly"]) == [three[1], three[0]]
    assert library.runs(tags=["nightly", "vm"]) == [three[1]]
    assert library.runs(states=[RunState.FAILED, RunState.STOPPED]) == [three[2]]
    assert library.runs(tags=["vm"], states=[RunState.FAILED]) == []


@pytest.mark.parametrize(
    ("reference", "index"),
    [("20261121-043017-aaaa", 0), ("20261121-0430", 0), ("20261121-043117-bc", 2), ("last", 2)],
)
def test_run_is_found_by_id_prefix_and_last(library, three, reference, index):
    assert library.run(reference) == three[index]


def test_ambiguous_prefix_names_the_candidates(library, three):
    with pytest.raises(UserError, match=r"'20261121-0431' can mean 2 runs: 2026\S+-bccc, 2026\S+-bbbb; give more"):
        library.run("20261121-0431")


def test_an_id_that_is_not_there_names_the_nearest(library, three):
    with pytest.raises(UserError, match=r"'20261121-043017-aaab' is not in the library; did you mean 2026\S+-aaaa"):
        library.run("20261121-043017-aaab")
    with pytest.raises(UserError, match="'' is not in the library; look it up"):
        library.run("")


def test_last_run_of_an_empty_library_is_an_error(library):
    with pytest.raises(UserError, match="holds no run yet"):
        library.run("last")


def test_events_are_sorted_by_time(library):
    late = RunEvent(at_seconds=9.5, kind=EventKind.MARK, label="late", number=1)
    early = RunEvent(at_seconds=1.5, kind=EventKind.MARK, label="early", number=2)
    record = a_finished_record()
    library.add_imported(record, [], [late, early])
    assert library.events(record.run_id) == [early, late]


def test_imported_events_without_a_number_get_the_free_ones(library):
    record = a_finished_record()
    marks = [
        RunEvent(at_seconds=at_seconds, kind=EventKind.MARK, label="x", number=number)
        for at_seconds, number in ((1.0, 0), (2.0, 2), (3.0, 0), (4.0, 0))
    ]
    library.add_imported(record, [], marks)
    assert [event.number for event in library.events(record.run_id)] == [1, 2, 3, 4]


def test_faults_are_counted_and_other_marks_are_not(library):
    record = a_finished_record()
    events = [
        RunEvent(at_seconds=1.0, kind=EventKind.MARK, label="noted", number=1),
        RunEvent(at_seconds=2.0, kind=EventKind.INJECTION, label="Kill primary", number=2, is_fault=True),
        RunEvent(at_seconds=3.0, kind=EventKind.PROBE, label="node2 is the primary", number=3),
        RunEvent(at_seconds=4.0, kind=EventKind.MARK, label="Enclosure pulled", number=4, is_fault=True),
    ]
    library.add_imported(record, [], events)
    assert library.fault_counts() == {record.run_id: 2}


def test_samples_of_several_hours_are_sorted_by_client_and_second(library):
    record = a_finished_record()
    samples = some_samples(clients=3, seconds=4, first=3_598)
    library.add_imported(record, reversed(samples), [])
    assert list(library.samples(record.run_id)) == samples


def test_samples_of_an_unknown_run_are_refused_before_the_first(library):
    with pytest.raises(UserError, match="'nowhere' is not in the library"):
        library.samples("nowhere")
