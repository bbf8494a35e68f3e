from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.library.library import Library
from engine.record.record import Origin
from tests.engine.library.examples import SAMPLES, a_finished_record, some_events, some_samples
from tests.engine.plans import PLANS


def test_imported_run_survives_closing_the_library(library, path, told):
    record = a_finished_record(origin=Origin.DS2_LOG, failure="the log ends early")
    library.add_imported(record, iter(some_samples()), iter(some_events()))
    library.close()
    with Library.open(path, notify=told.append) as again:
        assert again.run(record.run_id) == record
        assert list(again.samples(record.run_id)) == some_samples()
        assert again.events(record.run_id) == some_events()
    assert told == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SAMPLES, max_size=4, unique_by=lambda sample: (sample.client, sample.second)), PLANS)
def test_any_plan_and_samples_round_trip(library, samples, plan):
    record = a_finished_record(plan=plan)
    library.add_imported(record, samples, [])
    by_client_and_second = sorted(samples, key=lambda sample: (sample.client, sample.second))
    assert library.run(record.run_id) == record
    assert list(library.samples(record.run_id)) == by_client_and_second


def test_two_open_libraries_see_each_others_runs(library, path, told):
    with Library.open(path, notify=told.append) as other:
        first, second = a_finished_record(), a_finished_record(after_seconds=60)
        library.add_imported(first, some_samples(), [])
        other.add_imported(second, [], [])
        assert library.runs() == other.runs() == [second, first]
