import numpy as np
import pytest

from engine.histogram import merge, unpack
from engine.library.tables import COUNTS
from tests.engine.library.examples import a_finished_record, some_samples


def test_columns_hold_what_the_samples_do(library):
    record = a_finished_record()
    samples = some_samples(seconds=400)
    library.add_imported(record, samples, [])
    columns = library.columns(record.run_id)
    assert len(columns) == len(samples) == 1_200
    for name in ("client", "second", *COUNTS):
        assert getattr(columns, name).tolist() == [getattr(sample, name) for sample in samples], name
    assert columns.errors == {row: sample.errors for row, sample in enumerate(samples) if sample.errors}
    assert columns.packed_histogram(0, 1) == samples[0].histogram
    assert columns.packed_histogram(1_199, 1_200) == samples[-1].histogram


def test_the_histogram_of_several_rows_is_their_sum(library):
    record = a_finished_record()
    samples = some_samples(seconds=30)
    library.add_imported(record, samples, [])
    packed = library.columns(record.run_id).packed_histogram(10, 50)
    assert unpack(packed) == merge(unpack(sample.histogram) for sample in samples[10:50])


def test_columns_can_not_be_written_to(library):
    record = a_finished_record()
    library.add_imported(record, some_samples(), [])
    with pytest.raises(ValueError, match="read-only"):
        library.columns(record.run_id).orders[0] = 1


def test_a_run_without_samples_has_empty_columns(library):
    record = a_finished_record()
    library.add_imported(record, [], [])
    columns = library.columns(record.run_id)
    assert len(columns) == 0
    assert columns.orders.dtype == np.int64
    assert columns.packed_histogram(0, 0) == b""
