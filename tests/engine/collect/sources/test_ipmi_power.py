"""Power by IPMI. The real ipmitool reads the power of a double of a controller over the network.

What that double lacks, sensors and faults, is played by a script on PATH in ipmitool's place, with outputs as ipmitool
1.8 writes them.
"""

import shutil
import threading
from contextlib import closing
from pathlib import Path

import pytest

from engine.collect.source import SourceReading
from engine.collect.sources import ipmi_power
from engine.collect.sources.ipmi_power import ipmi_source
from engine.errors import UserError
from engine.lab.node import pick_port
from engine.machines.access import IpmiAccess
from engine.secrets import PASSWORD_VARIABLE, Secret
from tests.doubles.ipmi_controller import PASSWORD as PASSWORD_THERE
from tests.doubles.ipmi_controller import USER, IpmiController

ACCESS = IpmiAccess(host="bmc1", user="root")
PASSWORD = Secret("calvin-that-must-not-be-seen")
DCMI = """
    Instantaneous power reading:                   197 Watts
    Minimum during sampling period:                 10 Watts
    Maximum during sampling period:                488 Watts
    Average power reading over sample period:      150 Watts
    IPMI timestamp:                           11/26/26 02:33:01 UTC    Sampling period:       00120960 Seconds.
    Power reading state is:                   activated

"""
SENSORS = """\
Temp             | 0Eh | ok  |  3.1 | 41 degrees C
Inlet Temp       | 04h | ok  |  7.1 | 21 degrees C
FAN 1 RPM        | 30h | ok  |  7.1 | 3600 RPM
Current 1        | 94h | ok  | 10.1 | 0.36 Amps
PS1 Input Power  | 96h | ok  | 10.1 | 90 Watts
System Level     | 98h | ok  |  7.1 | 203 Watts
Exhaust Temp     | 01h | ns  |  7.1 | Disabled
"""
READINGS = "Inlet Temp       | 21\nSystem Level     | 196\n"
NO_DCMI = "DCMI request failed because: Invalid command (c1)"
NO_SESSION = "Error: Unable to establish IPMI v2 / RMCP+ session"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading every 20 ms instead of every 5 s."""
    monkeypatch.setattr(ipmi_power, "_LEAST_INTERVAL_SECONDS", 0.02)


class Controller:
    """A folder on PATH with the program: each command answers with its file, and fails where that is a message."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self.calls = folder / "calls"
        script = folder / "ipmitool"
        script.write_text(
            f'#!/bin/sh\ncd {folder}\necho "$@" >>calls\nprintf %s "$IPMI_PASSWORD" >password\n'
            'while [ "$1" != -E ]; do shift; done; shift; command=$(echo "$1-$2")\n'
            '[ ! -s fails-left ] || { read -r left <fails-left; [ "$left" = 0 ] || {\n'
            f'  echo $((left - 1)) >fails-left; echo "{NO_SESSION}" >&2; exit 1; }}; }}\n'
            '[ ! -e "$command.error" ] || { cat "$command.error" >&2; exit 1; }\n'
            '[ ! -e hang ] || exec sleep 60\ncat "$command"\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        self.answers("dcmi-power", DCMI)
        self.answers("sdr-elist", SENSORS)
        self.answers("sensor-reading", READINGS)

    def answers(self, command: str, output: str) -> None:
        (self._folder / command).write_text(output)

    def refuses(self, command: str, message: str) -> None:
        (self._folder / f"{command}.error").write_text(message)

    def fails_first(self, times: int) -> None:
        (self._folder / "fails-left").write_text(f"{times}\n")

    def hangs(self) -> None:
        (self._folder / "hang").touch()

    @property
    def password(self) -> str:
        return (self._folder / "password").read_text()


@pytest.fixture
def controller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Controller:
    return Controller(tmp_path, monkeypatch)


def read(count: int = 1) -> list[SourceReading]:
    source = ipmi_source(ACCESS, PASSWORD, machine="db1")
    with closing(source.readings(threading.Event())) as readings:
        return [next(readings) for _ in range(count)]


def figures_of(reading: SourceReading) -> dict[str, float]:
    return {f"{value.name} {value.device}".rstrip(): value.value for value in reading.values}


def test_the_instantaneous_power_and_the_inlet(controller: Controller) -> None:
    first, second = read(2)
    assert figures_of(first) == figures_of(second) == {"Power": 197, "Inlet temperature": 21}
    assert controller.calls.read_text().splitlines()[-1].endswith("-H bmc1 -p 623 -U root -E sensor reading Inlet Temp")


def test_the_password_is_in_the_environment_and_nowhere_else(
    controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "of-the-database")
    read()
    assert controller.password == PASSWORD.reveal()
    assert PASSWORD.reveal() not in controller.calls.read_text()
    assert "-I lanplus -H bmc1 -p 623 -U root -E dcmi power reading" in controller.calls.read_text()


@pytest.mark.parametrize("dcmi", ["refused", "measures nothing"])
def test_without_dcmi_a_sensor_in_watts_is_read(controller: Controller, dcmi: str) -> None:
    if dcmi == "refused":
        controller.refuses("dcmi-power", NO_DCMI)
    else:
        controller.answers("dcmi-power", DCMI.replace("197 Watts", "0 Watts"))
    assert figures_of(read()[0]) == {"Power": 196, "Inlet temperature": 21}


def test_a_controller_with_neither(controller: Controller) -> None:
    controller.refuses("dcmi-power", NO_DCMI)
    controller.answers("sdr-elist", SENSORS.replace("Watts", "Amps"))
    with pytest.raises(UserError, match=r"^db1: .* bmc1 has neither DCMI nor a sensor in watts; .* with a meter\.$"):
        read()


def test_first_tries_that_fail_are_repeated(controller: Controller) -> None:
    controller.fails_first(2)
    assert figures_of(read()[0])["Power"] == 197


def test_a_controller_that_gives_no_session(controller: Controller) -> None:
    controller.fails_first(1000)
    with pytest.raises(UserError, match=r"^db1: ipmitool failed \(Error: Unable to establish .*\); check") as error:
        read()
    assert PASSWORD.reveal() not in str(error.value)


def test_a_stop_ends_a_call_that_hangs(controller: Controller) -> None:
    """The fixture that looks for what a test leaves running sees whether the program has ended."""
    controller.hangs()
    stop = threading.Event()
    readings = ipmi_source(ACCESS, PASSWORD, machine="db1").readings(stop)
    threading.Timer(0.3, stop.set).start()
    assert list(readings) == []


def test_without_ipmitool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"^db1: this workstation has no ipmitool; install it \(Debian: ipmitool\)\.$"):
        read()


@pytest.mark.skipif(shutil.which("ipmitool") is None, reason="the package ipmitool is not installed")
def test_the_real_ipmitool_asks_a_controller_over_the_network() -> None:
    port = pick_port(None)  # none of those that the system gives to others meanwhile
    access = IpmiAccess(host="127.0.0.1", port=port, user=USER)
    with IpmiController(port, 197):
        right = ipmi_source(access, Secret(PASSWORD_THERE), machine="db1")
        with closing(right.readings(threading.Event())) as readings:
            assert [figures_of(next(readings)) for _ in range(2)] == [{"Power": 197}] * 2
        wrong = ipmi_source(access, Secret("wrong"), machine="db1")
        with pytest.raises(UserError, match="Unable to establish IPMI v2"):
            next(wrong.readings(threading.Event()))
