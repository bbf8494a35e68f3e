"""RAPL over a tree of files as the kernel lays it out; most virtual machines have none of their own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.collect.sources.rapl import can_read_rapl, rapl_source
from engine.errors import UserError
from engine.telemetry.host import HostValue

RANGE_UJ = 262_143_328_850


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def a_zone(powercap: Path, folder: str, name: str) -> Path:
    """A zone's folder; returns the file of its counter."""
    zone = powercap / folder
    zone.mkdir(parents=True)
    (zone / "name").write_text(f"{name}\n")
    (zone / "max_energy_range_uj").write_text(f"{RANGE_UJ}\n")
    (zone / "energy_uj").write_text("0\n")
    return zone / "energy_uj"


def running(watts: dict[Path, float]) -> Callable[[], float]:
    """A clock that goes on by 2 s each time it is read, with counters that begin just before they wrap around."""
    moment = 0.0

    def read() -> float:
        nonlocal moment
        moment += 2.0
        for counter, each in watts.items():
            counter.write_text(f"{round(RANGE_UJ - 300e6 + each * 1e6 * moment) % RANGE_UJ}\n")
        return moment

    return read


def test_watts_of_each_package_also_when_its_counter_wraps_around(tmp_path: Path, stop: threading.Event) -> None:
    zones = (("intel-rapl:0", "package-0", 100.0), ("intel-rapl:1", "package-1", 45.5))
    watts = {a_zone(tmp_path, folder, name): each for folder, name, each in zones}
    source = rapl_source(machine="workstation", interval_seconds=0.005, powercap=tmp_path, clock=running(watts))
    with closing(source.readings(stop)) as readings:
        for _ in range(3):
            assert next(readings).values == (
                HostValue("package-0", "Processor package power", "W", 100.0),
                HostValue("package-1", "Processor package power", "W", 45.5),
            )


def test_parts_of_a_package_and_other_zones_are_not_counted(tmp_path: Path) -> None:
    for folder, name in (
        ("intel-rapl:0:0", "core"),
        ("intel-rapl:2", "psys"),
        ("intel-rapl-mmio:0", "package-0"),
        ("intel-rapl", "package-0"),
    ):
        a_zone(tmp_path, folder, name)
    assert not can_read_rapl(tmp_path)
    a_zone(tmp_path, "intel-rapl:0", "package-0")
    assert can_read_rapl(tmp_path)


def test_a_machine_without_it(tmp_path: Path, stop: threading.Event) -> None:
    source = rapl_source(machine="workstation", powercap=tmp_path / "powercap")
    with pytest.raises(
        UserError, match=r"^workstation: the processors tell no power \(RAPL\); measure .* with a meter"
    ):
        next(source.readings(stop))


def test_without_the_right_to_read_it_the_reason_is_reported(
    tmp_path: Path, stop: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, who may read everything: so the refusal is the test's own."""
    a_zone(tmp_path, "intel-rapl:0", "package-0")
    read_text = Path.read_text

    def refusing(path: Path, encoding: str | None = None) -> str:
        if path.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return read_text(path, encoding)

    monkeypatch.setattr(Path, "read_text", refusing)
    with pytest.raises(UserError, match="energy_uj is readable by root only; run Spindle as root"):
        next(rapl_source(machine="workstation", powercap=tmp_path).readings(stop))
