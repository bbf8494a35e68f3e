"""The real tcpdump, beside a real session on a real server."""

import struct
from pathlib import Path

import pytest

from engine.databases.arrival import wall_clock
from engine.lab.server import EmbeddedServer
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import measured, wire
from tests.benchmarks.wire_calls import SPINDLE
from tests.engine.workloads.dvdstore.sessions import open_session


def test_the_calls_of_a_session_are_seen_between_the_moments_at_which_they_were_made(
    embedded_server: EmbeddedServer,
) -> None:
    moments: list[tuple[float, float]] = []
    measured.build(embedded_server, "wire", DbSize(1, "MB"))
    target = embedded_server.target("wire")
    with wire.watching(target.hosts[0].port) as passed:
        session = open_session(target, embedded_server.secret)
        for made in (
            lambda: session.login("user1", "password"),
            lambda: session.browse_by_category(1, 5),
            lambda: session.prices([1, 2]),
        ):
            began = wall_clock()
            made()
            moments.append((began, wall_clock()))
        session.close()
    if passed.trouble.startswith("tcpdump can't capture"):
        pytest.skip(passed.trouble)
    assert passed.trouble == ""
    assert [(call.driver, call.name) for call in passed.calls] == [
        (SPINDLE, name) for name in ("login", "browse", "prices")
    ]
    for call, (began, ended) in zip(passed.calls, moments, strict=True):
        assert began < call.asked_at < call.answered_at < ended


def test_missing_tcpdump_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with wire.watching(5432) as passed:
        pass
    assert (passed.trouble, passed.calls) == ("tcpdump is not installed", [])


def test_tcpdumps_refusal_is_reported() -> None:
    with wire.watching(70_000) as passed:
        pass
    assert passed.trouble.startswith("tcpdump can't capture: ")


def test_another_kind_of_capture_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "packets"
    file.write_bytes(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 192, 1))
    with pytest.raises(ValueError, match="no capture of an Ethernet in nanoseconds"):
        list(wire.packets(file, 5432))
