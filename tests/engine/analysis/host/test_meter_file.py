"""Power meters' CSV in the forms in which they come."""

import math
from datetime import UTC, datetime

import pytest

from engine.analysis.host.meter_file import read_meter
from engine.analysis.host.samples import Samples
from engine.errors import BadInput
from tests.engine.analysis.host_files import read

TEN = datetime(2026, 11, 20, 10, tzinfo=UTC)


def taken(text: str, near: datetime | None = None) -> Samples:
    samples = Samples()
    read_meter(text, samples, source="meter", zone=UTC, near=near)
    return samples


@pytest.mark.parametrize(
    "text",
    [
        "time,watts\n2026-11-20T10:00:00Z,300.5\n2026-11-20T10:00:01Z,301\n",
        "time,power_kw\n2026-11-20 10:00:00,0.3005\n2026-11-20 10:00:01,0.301\n",
        "Time;Power [W]\n20.11.2026 10:00:00;300,5\n20.11.2026 10:00:01;301\n",
        "Date,Time,Watts,Volts\n11/20/2026,10:00:00 AM,300.5,230\n11/20/2026,10:00:01 AM,301,230\n",
        "Logger 5\n# started by hand\nNo.,Time,Value (W)\n1,11/20/2026 10:00:00,300.5\n2,11/20/2026 10:00:01,301\n",
        "t\tPower (kW)\n1795168800\t0.3005\n1795168801\t0.301\n",
        'time,watts\n2026-11-20T10:00:00Z,"300,5"\n2026-11-20T10:00:01Z,301\n',
    ],
)
def test_meter_formats_give_the_same_samples(text: str) -> None:
    (series,) = taken(text).series()
    assert (series.source, series.label, series.unit) == ("meter", "Power", "W")
    assert series.utc_seconds.tolist() == [TEN.timestamp(), TEN.timestamp() + 1]
    assert series.values.tolist() == pytest.approx([300.5, 301])


def test_a_column_for_each_device_and_none_for_other_units() -> None:
    text = "time,Server (W),Storage watts,Server (V),Energy [kWh]\n2026-11-20T10:00:00Z,300,100,230,5\n"
    assert read(taken(text)) == {"Power Server": [300], "Power Storage": [100]}


@pytest.mark.parametrize(
    ("name", "watts"),
    [("pdu 3 W", 300), ("pdu 3 kW", 300_000), ("pdu_3_mW", 0.3), ("pdu 3 power", 300), ("pdu 3 [kW]", 300_000)],
)
def test_the_unit_is_that_of_the_brackets_or_of_a_word_of_the_name(name: str, watts: float) -> None:
    found = read(taken(f"time,{name},temperature\n2026-11-20T10:00:00Z,300,25\n"))
    assert found == {"Power pdu 3": [pytest.approx(watts)]}


def test_elapsed_times_count_from_the_runs_start() -> None:
    (series,) = taken("Time (s),W\n0,100\n1,101\n", near=TEN).series()
    assert series.utc_seconds.tolist() == [TEN.timestamp(), TEN.timestamp() + 1]
    with pytest.raises(BadInput, match="the meter's times count from 0"):
        taken("Elapsed,W\n0,100\n1,101\n")


def test_missing_readings_stay_missing() -> None:
    rows = ["time,watts", *(f"2026-11-20T10:00:0{second}Z,{watts}" for second, watts in ((0, 5), (1, "OL"), (7, 6)))]
    samples = taken("\n".join([*rows, "2026-11-20T10:00", "later,5"]))
    (series,) = samples.series()
    assert (series.utc_seconds - TEN.timestamp()).tolist() == [0, 1, 7]
    assert series.values.tolist() == pytest.approx([5, math.nan, 6], nan_ok=True)
    assert samples.notes() == (
        "Line 3 is with watts that are not a number, which count as missing.",
        "2 lines, the first of them line 5, are cut short or of an unreadable time and left out.",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello\nworld\n", "its columns are hello"),
        ("a,b,c\n1,2,3\n", "its columns are a, b, c"),
        ("a,b,c\n2026-11-20T10:00:00Z,2,3\n", "its columns are a, b, c"),
        ("10:00:00,300\n", "its columns are 10:00:00, 300"),
        ("2026-11-20 10:00:00,300.5\n2026-11-20 10:00:01,301\n", "its columns have no names"),
        ("1795168800,300.5\n", "its columns have no names"),
        ("count,W\n0,230\n1,231\n", "its columns are count, W"),
        ("time,Volts\n2026-11-20T10:00:00Z,230\n", "its columns are time, Volts"),
        ("time,Power factor\n2026-11-20T10:00:00Z,0.9\n", "its columns are time, Power factor"),
        ("time,Energy (kWh),Power (kVA)\n2026-11-20T10:00:00Z,1,2\n", "Energy"),
    ],
)
def test_other_files_are_rejected_with_what_was_expected(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        taken(text, near=TEN)
    assert "a column of times" in str(refused.value)
    assert "W, kW, mW, watts, power" in str(refused.value)
