"""What the probes saw, kept while a run goes on and read back second by second."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.library.connecting import connect, write_transaction
from engine.library.library import Library
from engine.library.probe_spans import ProbeSpans, read_probes
from engine.library.reading import key_of
from engine.telemetry.sample import ProbeSample
from tests.engine.library.examples import a_record

QUIET, OUT = "wwwwwwwwww", "wwww------"


def seen(store: int, second: int, slots: str = QUIET, host: str = "a:5432") -> ProbeSample:
    return ProbeSample(store=store, second=second, slots=slots, host=host)


def test_probe_samples_round_trip(library: Library, path: Path, told: list[str]) -> None:
    record = a_record()
    samples = [seen(store, second, OUT if second == 40 else QUIET) for store in (1, 2) for second in range(90)]
    samples.append(seen(1, 95, host="b:5432"))

    writer = library.start_run(record, notify=told.append)
    for sample in sorted(samples, key=lambda each: (each.second, each.store)):
        writer.write_probe(sample)
        if sample.second % 30 == 0:
            assert writer.flush(60)
    assert writer.close(60)

    assert library.probes(record.run_id) == sorted(samples, key=lambda each: (each.store, each.second))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM probes").fetchall() == [(7,)]
    assert told == []


def test_a_run_without_probes_has_none(library: Library) -> None:
    record = a_record()
    library.add_imported(record, [], [])
    assert library.probes(record.run_id) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    slots=st.lists(st.sampled_from([QUIET, OUT]), min_size=1, max_size=30),
    gaps=st.sets(st.integers(0, 29)),
    cut=st.integers(0, 30),
    fails=st.booleans(),
)
def test_repeated_batches_neither_duplicate_nor_lose_spans(
    library: Library, path: Path, slots: list[str], gaps: set[int], cut: int, fails: bool
) -> None:
    samples = [seen(1, second, each) for second, each in enumerate(slots) if second not in gaps]
    record = a_record()
    library.add_imported(record, [], [])
    engine = connect(path)
    spans = ProbeSpans()
    with write_transaction(engine) as connection:
        key = key_of(connection, record.run_id)
        spans.keep(spans.write(connection, key, samples[:cut]))
    if fails:
        try:
            with write_transaction(engine) as connection:
                spans.write(connection, key, samples[cut:])
                raise OSError("the disk is full")
        except OSError:
            pass
    with write_transaction(engine) as connection:
        spans.keep(spans.write(connection, key, samples[cut:]))
        assert read_probes(connection, key) == samples
    engine.dispose()


def test_another_host_begins_a_new_span(library: Library, told: list[str]) -> None:
    record = a_record()
    samples = [seen(1, 0), replace(seen(1, 1), host="b:5432"), seen(1, 2)]
    writer = library.start_run(record, notify=told.append)
    for sample in samples:
        writer.write_probe(sample)
    assert writer.close(60)
    assert library.probes(record.run_id) == samples
