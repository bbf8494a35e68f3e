from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.histogram import bucket_of, unpack
from engine.services.storage.fio.output import NOTHING, READ, WRITE, Status, StatusReader
from tests.engine.services.storage.fio_documents import document

BINS = st.dictionaries(st.integers(min_value=1_000, max_value=2_000_000_000), st.integers(1, 10_000), max_size=6)


def statuses(text: str) -> list[Status]:
    reader = StatusReader()
    return [status for line in text.splitlines(keepends=True) if (status := reader.read(line)) is not None]


@given(seconds=st.lists(BINS, min_size=1, max_size=5))
def test_what_was_done_in_each_second_adds_up_to_what_was_done_in_all(seconds: list[dict[int, int]]) -> None:
    cumulative: Counter[int] = Counter()
    text = ""
    for number, bins in enumerate(seconds, start=1):
        cumulative.update(bins)
        text += document(reads=dict(cumulative), ran_ms=1000 * number)
    before = NOTHING
    for bins, status in zip(seconds, statuses(text), strict=True):
        counted = status.done[READ].since(before)
        expected: Counter[int] = Counter()
        for ns, n in bins.items():
            expected[bucket_of(round(ns / 1000))] += n
        assert unpack(counted.histogram or b"") == dict(expected)
        assert counted.n == sum(bins.values())
        assert counted.sum_us == pytest.approx(
            sum(ns * n for ns, n in bins.items()) / 1000, abs=1 + 1e-6 * before.sum_ns
        )
        assert counted.max_us <= round(max(cumulative, default=0) / 1000)
        before = status.done[READ]


def test_the_longest_latency_of_a_second_is_reported_when_it_grew_and_otherwise_by_its_bin() -> None:
    first, second, third = statuses(
        document(reads={100_000: 2})
        + document(reads={100_000: 2, 50_000: 1})
        + document(reads={100_000: 2, 50_000: 1, 900_000: 1})
    )
    done = [each.done[READ] for each in (first, second, third)]
    assert done[0].since(NOTHING).max_us == 100
    assert done[1].since(done[0]).max_us == 50
    assert done[2].since(done[1]).max_us == 900


def test_reads_and_writes_of_all_jobs_are_added_up() -> None:
    (status,) = statuses(document(reads={2_000: 3}, writes={8_000: 1, 2_000: 1}))
    both = status.done[READ] + status.done[WRITE]
    assert (status.done[READ].ios, status.done[WRITE].ios, both.ios) == (3, 2, 5)
    assert both.by_ns == {2_000: 4, 8_000: 1}
    assert both.max_ns == 8_000


def test_lines_between_the_documents_are_no_document_but_are_kept_as_messages() -> None:
    reader = StatusReader()
    lines = ["fio: terminating on signal 2\n", *document(reads={1_000: 1}).splitlines(keepends=True)]
    found = [status for line in lines if (status := reader.read(line)) is not None]
    assert [each.done[READ].ios for each in found] == [1]
    assert reader.messages == ["fio: terminating on signal 2"]


@pytest.mark.parametrize("text", ['{\n"jobs": [\n}\n', '{\n"other": 1\n}\n', '{\n"jobs": [1]\n}\n'])
def test_what_is_not_fios_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="fio's output"):
        statuses(text)
