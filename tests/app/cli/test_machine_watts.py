"""Idle watts on the command line: meters behind real HTTP and a real terminal, a second or two of readings."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Spindle
from tests.doubles.extech_meter import ExtechMeter, packet
from tests.doubles.page_server import PageServer

BRIEFLY = ("--minutes", "0.05")


@pytest.fixture
def machines(spindle: Spindle) -> Iterator[None]:
    """A server on an Extech's serial port, and storage behind an exporter of two power supplies."""
    watts = iter(["180.0", "182.0", "181.0"] * 100)
    supplies = 'supply_watts{supply="1"} 90\nsupply_watts{supply="2"} 99.5\n'
    with ExtechMeter(lambda: packet(next(watts))) as meter, PageServer(supplies) as exporter:
        spindle("machine", "add", "serial-meter", "server", "--port", meter.port)
        spindle("machine", "add", "ssh", "server", "--host", "db1")
        rule = ("--rule", "Power = supply_watts")
        added = spindle("machine", "add", "prometheus", "storage", "--url", exporter.url, *rule)
        assert added.code == 0
        yield


@pytest.mark.usefixtures("machines")
def test_a_table_of_both_devices_and_their_sum(spindle: Spindle) -> None:
    measured = spindle("machine", "watts", "--machine", "server", "--machine", "storage", *BRIEFLY)
    assert measured.code == 0
    header, *rows = measured.out.splitlines()
    assert header.split() == ["device", "idle", "W", "lowest", "highest", "deviation", "readings", "read", "by"]
    assert [row.split()[0] for row in rows] == ["server", "storage", "together"]
    assert rows[1].split()[1:5] == ["189.5", "189.5", "189.5", "0.0"]
    assert rows[0].endswith("Extech 380803")
    assert "measuring idle watts: server 18" in measured.err


@pytest.mark.usefixtures("machines")
def test_means_become_the_idle_watts_of_a_configuration(spindle: Spindle) -> None:
    spindle("configuration", "set", "R630", "--watts", "server=390/1")
    measured = spindle("machine", "watts", "--machine", "server", *BRIEFLY, "--configuration", "r630", "--json")
    assert (measured.code, measured.err.splitlines()[-1]) == (
        0,
        "spindle: saved as the idle watts of configuration 'R630'.",
    )
    (server,) = json.loads(measured.out)
    assert server["device"] == "server"
    assert 180.0 <= server["lowest_watts"] <= server["mean_watts"] <= server["highest_watts"] <= 182.0
    saved = json.loads(spindle("configuration", "show", "R630", "--json").out)
    assert saved["watts"] == [{"device": "server", "active": 390.0, "idle": round(server["mean_watts"], 1)}]


@pytest.mark.usefixtures("machines")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--machine", "sever"), "did you mean 'server'"),
        (
            ("--machine", "workstation"),
            "has no access that tells its watts (it has This workstation); add a serial",
        ),
        (("--machine", "server", "--minutes", "0"), "minutes is 0; give a number above 0"),
        (("--machine", "server", "--configuration", "none"), "none"),
        (("--machine", "server", "--configuration", "a", "--run", "last"), "both --configuration and --run are given"),
    ],
)
def test_what_can_not_be_measured_is_reported_before_anything_is(
    spindle: Spindle, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = spindle("machine", "watts", *arguments)
    assert refused.code in (1, 2)
    assert sentence in refused.err
    assert "measuring" not in refused.err


def test_a_meter_that_does_not_answer(spindle: Spindle) -> None:
    spindle("machine", "add", "serial-meter", "server", "--port", "/dev/ttyUSB77")
    failed = spindle("machine", "watts", "--machine", "server", *BRIEFLY)
    assert failed.code == 1
    assert "server told no watts in 3 s: the meter on /dev/ttyUSB77 can't be read" in failed.err


@pytest.mark.usefixtures("machines")
def test_a_campaigns_idle_time_measures_the_watts_of_its_configuration(spindle: Spindle, tmp_path: Path) -> None:
    spindle("configuration", "set", "R630")
    file = tmp_path / "idle.toml"
    file.write_text(
        'name = "idle"\nconfiguration = "R630"\n[plan]\ntargets = ["embedded:///ds2"]\n'
        '[[steps]]\nkind = "idle"\nminutes = 0.05\nwatts_of = ["storage"]\n'
    )
    ended = spindle("campaign", "run", str(file))
    assert ended.code == 0, ended.err
    told = "Idle for 3 s, and measure the watts of storage: done: Idle: storage 189.5 W."
    assert told in ended.out + ended.err
    saved = json.loads(spindle("configuration", "show", "R630", "--json").out)
    assert saved["watts"] == [{"device": "storage", "idle": 189.5}]
