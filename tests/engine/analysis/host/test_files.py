"""Files of hosts and meters: each is known by itself, and any text has an answer."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.files import HostFileKind, kind_of, read_host_file, text_of
from engine.errors import BadInput
from tests.engine.analysis.host_files import IOSTAT, SADF, SAR, counter, performance_monitor

WINDOWS = performance_monitor([counter("Processor(_Total)|% Processor Time")], [["11/20/2026 10:00:01.250", "1"]])
ESXTOP = performance_monitor([counter("Physical Cpu(_Total)|% Util Time")], [["11/20/2026 10:00:01", "1"]], " (UTC)(0)")
METER = "time,watts\n2026-11-20T10:00:00,300\n"
FILES = {
    HostFileKind.PERFORMANCE_MONITOR: WINDOWS,
    HostFileKind.ESXTOP: ESXTOP,
    HostFileKind.SADF: SADF,
    HostFileKind.SAR: SAR,
    HostFileKind.IOSTAT: IOSTAT,
    HostFileKind.METER: METER,
}
NEAR = datetime(2026, 11, 20, 10, tzinfo=UTC)


@pytest.mark.parametrize("kind", HostFileKind)
@pytest.mark.parametrize("before", ["", "\ufeff", "\r\n"])
def test_file_kind_is_detected_from_content(kind: HostFileKind, before: str) -> None:
    found = read_host_file(before + FILES[kind], near=NEAR)
    assert found.kind is kind
    assert found.notes == ()
    assert found.has_zone is (kind in (HostFileKind.PERFORMANCE_MONITOR, HostFileKind.ESXTOP, HostFileKind.SADF))
    assert {series.source for series in found.series} <= {"SQL1", "dbhost", ""}


@pytest.mark.parametrize("text", ["", "\ufeff \r\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="the file is empty"):
        read_host_file(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_common_encodings_are_decoded(encoding: str) -> None:
    assert text_of("Zeit;Leistung für Server [W]".encode(encoding)) == "Zeit;Leistung für Server [W]"


@pytest.mark.parametrize("content", [b"\x4f\0\0\0binary", b"\xff\xfea"])
def test_bytes_that_are_no_text_are_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match="the file"):
        text_of(content)


@given(st.sampled_from(sorted(FILES.values())), st.data())
def test_a_damaged_file_is_read_or_refused(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 40))
    damaged = text[:start] + data.draw(st.text(max_size=10)) + text[start + length :]
    with suppress(BadInput):
        found = read_host_file(damaged, near=NEAR)
        assert found.series
        assert found.kind is kind_of(damaged)
