import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.app.conftest import Spindle
from tests.app.runs import PHASES, SECONDS, STARTED_AT, a_run, keep
from tests.engine.events import suspended


@pytest.fixture
def meter(tmp_path: Path) -> Path:
    """A meter 90 s behind: 300 W before measuring, 400 W then, and nothing in the last two measured seconds."""
    assert (PHASES.measuring_from, PHASES.measuring_to) == (3, 9)
    lines = ["time,watts"]
    for second in range(-60, SECONDS + 120):
        if second not in (8, 9):
            moment = STARTED_AT + timedelta(seconds=second - 90)
            lines.append(f"{moment:%Y-%m-%d %H:%M:%S},{400 if 3 < second <= 9 else 300}")
    path = tmp_path / "meter.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def listed(spindle: Spindle) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(spindle("host", "list", "last", "--json").out)
    return found


def test_shifted_meter_clock_keeps_gaps(spindle: Spindle, home: Path, meter: Path) -> None:
    keep(home, a_run())
    imported = spindle("host", "import", "last", str(meter), "--zone", "UTC", "--note", "rack 3")
    assert imported.code == 0, imported.err
    assert "1: meter.csv, power meter" in imported.out
    assert str(meter) not in imported.out
    (before,) = listed(spindle)
    shifted = spindle("host", "shift", "last", "1", "90")
    assert "shifted by +90.0 s, rack 3" in shifted.out
    assert "values are known for 67 % of the span" in shifted.out
    (after,) = listed(spindle)
    assert (before["shift_seconds"], after["shift_seconds"], after["file_name"]) == (0.0, 90.0, "meter.csv")
    means = [measurement["series"][0]["mean"] for measurement in (before, after)]  # type: ignore[index]
    assert means == [300.0, 400.0]
    assert spindle("host", "shift", "last", "1", "-90").code == 0
    assert listed(spindle)[0]["shift_seconds"] == -90.0


def test_workstation_suspend_is_mentioned_below_the_means(spindle: Spindle, home: Path, meter: Path) -> None:
    expected = suspended(4, 120)
    keep(home, a_run(), events=(expected,))
    imported = spindle("host", "import", "last", str(meter), "--zone", "UTC", "--shift", "90")
    shown = [imported, spindle("host", "list", "last"), spindle("host", "shift", "last", "1", "89")]
    assert ["The workstation was suspended for 120.0 s at 0:01." in each.out for each in shown] == [True] * 3


def test_measurements_are_noted_and_removed(spindle: Spindle, home: Path, meter: Path) -> None:
    keep(home, a_run())
    for _ in range(2):
        assert spindle("host", "import", "last", str(meter), "--zone", "UTC", "--shift", "90").code == 0
    assert spindle("host", "note", "last", "2", "the second").code == 0
    assert spindle("host", "remove", "last", "1").err == "spindle: removed meter.csv (power meter).\n"
    (left,) = listed(spindle)
    assert (left["number"], left["note"]) == (2, "the second")
    spindle("host", "remove", "last", "2")
    assert "no host measurements" in spindle("host", "list", "last").err


def test_invalid_options_are_rejected(spindle: Spindle, home: Path, meter: Path, tmp_path: Path) -> None:
    keep(home, a_run())
    empty = tmp_path / "empty.csv"
    empty.write_text("", encoding="utf-8")
    for arguments, code, expected in (
        (("import", "last", "/no/such.csv"), 2, "/no/such.csv can't be read"),
        (("import", "last", str(empty)), 2, "empty.csv: the file is empty"),
        (("import", "last", str(meter), "--zone", "Mars/Base"), 2, "zone is 'Mars/Base'"),
        (("import", "last", str(meter), "--shift", "nan"), 2, "the shift is nan s"),
        (("shift", "last", "7", "1"), 2, "has no measurement 7"),
    ):
        outcome = spindle("host", *arguments)
        assert (outcome.code, outcome.out) == (code, ""), arguments
        assert expected in outcome.err
    assert listed(spindle) == []
