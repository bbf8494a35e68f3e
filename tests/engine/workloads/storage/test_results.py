"""Results as SQLIO, diskspd and fio print them; the texts have their forms, with numbers of our own."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.record.totals_json import totals_from_dict, totals_to_dict
from engine.workloads.storage.results.diskspd_text import is_diskspd_text, read_diskspd_text
from engine.workloads.storage.results.diskspd_xml import is_diskspd_xml, read_diskspd_xml
from engine.workloads.storage.results.fio import is_fio, read_fio
from engine.workloads.storage.results.importing import is_storage_result, read_storage_result
from engine.workloads.storage.results.sqlio import is_sqlio, read_sqlio
from engine.workloads.storage.transactions import IO, READ, WRITE
from tests.engine.services.storage.fio_documents import document
from tests.engine.workloads.storage.outputs import DISKSPD_TEXT, DISKSPD_XML, SQLIO


def test_sqlio() -> None:
    assert is_sqlio(SQLIO)
    found = read_sqlio(SQLIO, "sqlio.txt")
    assert (found.program, found.path, found.threads, found.queue_depth) == ("sqlio v1.5.SG", r"E:\testfile.dat", 4, 8)
    assert (found.block_bytes, found.file_mb, found.pattern, found.read_pct) == (8192, 51200, "random", 100)
    done = found.done[IO]
    assert (done.ios, found.seconds, done.bytes) == (235_554, 30, 235_554 * 8192)  # 7,851.80 a second
    assert (done.times.mean, done.times.max, done.times.p95) == (3, 18, None)
    assert found.done[READ] == done
    assert WRITE not in found.done
    assert "whole milliseconds" in found.notes[0]
    assert found.settings == {"buffering": "not use file nor disk caches (as is SQL Server)"}


def test_diskspd_as_text() -> None:
    assert is_diskspd_text(DISKSPD_TEXT)
    found = read_diskspd_text(DISKSPD_TEXT, "out.txt")
    assert (found.threads, found.queue_depth, found.block_bytes, found.file_mb) == (2, 8, 8192, 1024)
    assert (found.pattern, found.read_pct, found.warmup_seconds, found.seconds) == ("random", 70, 5, 30.0)
    assert [(kind, done.ios) for kind, done in found.done.items()] == [(IO, 300), (READ, 210), (WRITE, 90)]
    times = found.done[IO].times
    assert (times.mean, times.p50, times.p95, times.p99, times.p999, times.max) == (1.25, 1.0, 3.0, 5.0, 9.0, 12.0)
    assert found.done[WRITE].times.max == 12.0
    assert found.path == r"E:\testfile.dat"
    assert "-c1G" in found.settings["command line"]


def test_diskspd_as_xml() -> None:
    assert is_diskspd_xml(DISKSPD_XML)
    found = read_diskspd_xml(DISKSPD_XML, "out.xml")
    assert (found.program, found.seconds, found.threads, found.queue_depth) == ("diskspd 2.2.0", 2.0, 2, 8)
    assert [(kind, done.ios, done.bytes) for kind, done in found.done.items()] == [
        (IO, 300, 300 * 8192),
        (READ, 210, 210 * 8192),
        (WRITE, 90, 90 * 8192),
    ]
    assert found.done[IO].times.p999 == 9.0
    assert (found.pattern, found.read_pct, found.file_mb, found.warmup_seconds) == ("random", 70, 1024, 5)
    assert found.iops_by_second == [140.0, 160.0]
    assert "not comparable" in found.notes[0]


def test_fio() -> None:
    text = document(reads={1_000_000: 60}, writes={3_000_000: 40}, ran_ms=2000)
    assert is_fio(text)
    found = read_fio(document(reads={1_000_000: 1}) + text, "fio.json")  # the last of several counts
    assert (found.program, found.seconds, found.threads, found.queue_depth) == ("fio-3.33", 2.0, 2, 1)
    assert (found.block_bytes, found.file_mb, found.pattern, found.read_pct) == (8192, 64, "random", 50)
    assert (found.done[IO].ios, found.done[READ].ios, found.done[WRITE].ios) == (100, 60, 40)
    assert found.done[IO].times.mean == pytest.approx(1.8)
    assert found.done[IO].times.max == 3.0


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (read_sqlio, SQLIO + SQLIO, "2 results of SQLIO"),
        (read_sqlio, "IOs/sec: 5\n", "lacks the line of the threads"),
        (read_diskspd_text, DISKSPD_TEXT + DISKSPD_TEXT, "2 time spans"),
        (read_diskspd_text, "actual test time: 3.0s\n", "no line 'total:'"),
        (read_diskspd_xml, DISKSPD_XML[:-30], "not complete XML"),
        (read_diskspd_xml, "<!DOCTYPE x [<!ENTITY e 'x'>]>" + DISKSPD_XML, "declares entities"),
        (read_diskspd_xml, "<Results></Results>", "0 time spans"),
        (read_fio, document(reads={1_000: 1})[:-30], "not complete"),
        (read_fio, document(), "holds no I/O"),
        (read_fio, '{"fio version": "fio-3.33", "jobs": []}', "no result of fio"),
    ],
)
def test_what_is_not_a_whole_result_is_refused_in_a_sentence(read: object, text: str, words: str) -> None:
    assert callable(read)
    with pytest.raises(BadInput, match=words):
        read(text, "file")


@pytest.mark.parametrize(
    ("text", "iops", "ios"), [(SQLIO, 7_851, 235_554), (DISKSPD_TEXT, 10, 300), (DISKSPD_XML, 150, 300)]
)
def test_a_result_becomes_a_run_with_its_figures(text: str, iops: int, ios: int) -> None:
    assert is_storage_result(text)
    imported = read_storage_result(
        text,
        source="result.txt",
        started_at=datetime(2013, 5, 1, tzinfo=UTC),
        new_run_id=lambda _: "20130501-000000-aaaa",
    )
    record, totals = imported.record, imported.record.totals
    assert totals is not None
    assert (totals.headline_rate, totals.count) == (iops, ios)
    assert sum(sample.of(IO).n for sample in imported.samples) == ios
    assert record.plan.value("queue_depth") == 8
    assert record.plan.measured_seconds == totals.measured_seconds
    assert record.origin.is_imported
    assert totals_from_dict("storage", totals_to_dict(totals)).times == totals.times


def test_what_the_file_leaves_open_is_a_warning_of_the_run() -> None:
    text = SQLIO.replace("\tenabling multiple I/Os per thread with 8 outstanding\n", "")
    imported = read_storage_result(
        text,
        source="sqlio.txt",
        started_at=datetime(2013, 5, 1, tzinfo=UTC),
        new_run_id=lambda _: "20130501-000000-aaaa",
    )
    assert "does not say the queue depth" in imported.events[-1].label
    with pytest.raises(BadInput, match=r"plan\.txt holds no result of SQLIO"):
        read_storage_result("nothing", source="plan.txt", started_at=datetime(2013, 5, 1, tzinfo=UTC), new_run_id=str)


@given(
    text=st.sampled_from([SQLIO, DISKSPD_TEXT, DISKSPD_XML, document(reads={1_000_000: 60}, writes={3_000_000: 40})]),
    begin=st.integers(0, 6_000),
    length=st.integers(0, 200),
    junk=st.sampled_from(["", "0", "-1", "x", "1e999", "|", ": N/A", '"', "null", "[]", "<a>"]),
)
def test_a_damaged_result_is_read_or_refused_in_a_sentence(text: str, begin: int, length: int, junk: str) -> None:
    begin %= len(text)
    damaged = text[:begin] + junk + text[begin + length :]
    began = datetime(2013, 5, 1, tzinfo=UTC)
    with suppress(BadInput):
        imported = read_storage_result(damaged, source="file", started_at=began, new_run_id=str)
        assert imported.record.totals is not None
