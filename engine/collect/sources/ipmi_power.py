"""Watts and the inlet's temperature by a management controller over IPMI, by the program ``ipmitool``.

Power is DCMI's instantaneous reading; a controller without DCMI (before 2010 or so) may have sensors in watts. DCMI's
averages are of a period that may be days, so they are not read. The password goes to ipmitool by its environment.
"""

import re
import shutil
import subprocess
import threading
from collections.abc import Mapping
from time import monotonic

from engine.child_programs import without_console
from engine.collect.clock import utc_now
from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.errors import UserError
from engine.faults.outcome import environment_without_passwords, shortened
from engine.machines.access import IpmiAccess
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

PROGRAM = "ipmitool"
_LEAST_INTERVAL_SECONDS = 5.0
_ANSWER_SECONDS = 20.0
# The list of sensors is long, and some controllers take most of a minute for it.
_LIST_SECONDS = 90.0
# Controllers fail now and then, most often at the first try.
_TRIES = 3
_DCMI = ("dcmi", "power", "reading")
_DCMI_WATTS = re.compile(r"^\s*Instantaneous power reading:\s*(\d+)\s*Watts", re.MULTILINE)
# A line of `sdr elist full`: System Level     | 77h | ok  |  7.1 | 196 Watts
_SENSOR = re.compile(r"^(?P<name>[^|]+?)\s*\|[^|]*\|[^|]*\|[^|]*\|\s*-?[\d.]+ (?P<unit>Watts|degrees C)", re.MULTILINE)
# A line of `sensor reading`: System Level     | 196
_READING = re.compile(r"^(?P<name>[^|]+?)\s*\|\s*(?P<value>-?[\d.]+)\s*$", re.MULTILINE)
_WHOLE = re.compile(r"system|total|consumption", re.IGNORECASE)
_INLET = re.compile(r"inlet|ambient|intake", re.IGNORECASE)
_INLET_NAME, _CELSIUS = "Inlet temperature", "°C"


def ipmi_source(
    access: IpmiAccess, password: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> PolledSource:
    """Reads a controller at most once in 5 s."""
    return PolledSource(
        name="IPMI",
        is_average=True,
        interval_seconds=max(interval_seconds, _LEAST_INTERVAL_SECONDS),
        open_reader=lambda stop: _Controller(access, password, machine, stop),
    )


class _Controller:
    """One management controller, and which of its sensors are read."""

    def __init__(self, access: IpmiAccess, password: Secret | None, machine: str, stop: threading.Event) -> None:
        self._access = access
        self._machine = machine
        self._stop = stop
        self._environment = environment_without_passwords()
        if password is not None:
            self._environment["IPMI_PASSWORD"] = password.reveal()
        self._sensors: Mapping[str, HostValue] | None = None
        self._has_dcmi = False

    def close(self) -> None:
        """Each question is a process of its own, so nothing is open."""

    def read(self) -> SourceReading | None:
        if self._sensors is None:
            self._find()
        asked, values = utc_now(), []
        if self._has_dcmi and (found := _DCMI_WATTS.search(self._call(*_DCMI))) is not None:
            values.append(HostValue.of(HostFigure.POWER, float(found[1])))
        if self._sensors:
            for found in _READING.finditer(self._call("sensor", "reading", *self._sensors)):
                if (sensor := self._sensors.get(found["name"].strip())) is not None:
                    values.append(sensor._replace(value=float(found["value"])))
        return SourceReading(values=tuple(values), here_utc_seconds=asked) if values else None

    def _find(self) -> None:
        """Find out what there is: the power by DCMI, else by sensors in watts, and the inlet's temperature."""
        if shutil.which(PROGRAM) is None:
            raise UserError(f"{self._machine}: this workstation has no {PROGRAM}; install it (Debian: ipmitool).")
        # Where DCMI is there and measures nothing, it says 0.
        found = _DCMI_WATTS.search(self._call(*_DCMI, may_fail=True))
        self._has_dcmi = found is not None and float(found[1]) > 0
        sensors_text = self._call(
            "sdr", "elist", "full", may_fail=self._has_dcmi, tries=1, answer_seconds=_LIST_SECONDS
        )
        listed = list(_SENSOR.finditer(sensors_text))
        in_watts = [] if self._has_dcmi else _of_the_whole([each["name"] for each in listed if each["unit"] == "Watts"])
        inlets = [each["name"] for each in listed if each["unit"] != "Watts" and _INLET.search(each["name"])]
        # Only several are told apart by their names.
        sensors = {name: HostValue.of(HostFigure.POWER, 0.0, name if len(in_watts) > 1 else "") for name in in_watts}
        sensors |= {name: HostValue("", _INLET_NAME, _CELSIUS, 0.0) for name in inlets[:1]}
        if not self._has_dcmi and not any(value.name == HostFigure.POWER for value in sensors.values()):
            raise UserError(
                f"{self._machine}: the management controller at {self._access.host} has neither DCMI nor a sensor in"
                " watts; measure this machine with a meter."
            )
        self._sensors = sensors

    def _call(
        self, *words: str, may_fail: bool = False, tries: int = _TRIES, answer_seconds: float = _ANSWER_SECONDS
    ) -> str:
        """What ipmitool writes; with ``may_fail`` nothing instead of an error, if the controller answers at all."""
        access = self._access
        place = ("-H", access.host, "-p", str(access.port), "-U", access.user)
        arguments = [PROGRAM, "-I", "lanplus", *place, "-E", *words]
        for _ in range(tries):
            code, output, messages = self._run(arguments, answer_seconds)
            if code == 0 or self._stop.is_set():
                return output
        if may_fail and "Unable to establish" not in messages:
            return ""
        said = shortened(messages).rstrip(".") or "without a message"
        raise UserError(
            f"{self._machine}: ipmitool failed ({said}); check the controller's address, user and password, and that it"
            " allows IPMI over LAN."
        )

    def _run(self, arguments: list[str], answer_seconds: float) -> tuple[int | None, str, str]:
        """The program's exit code, its output and its messages; it is killed at a stop, and when it takes too long."""
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
            text=True,
            errors="replace",
            **without_console(),
        )
        until = monotonic() + answer_seconds
        while True:
            try:
                output, messages = process.communicate(timeout=0.25)
            except subprocess.TimeoutExpired:
                if self._stop.is_set() or monotonic() > until:
                    process.kill()
                    process.communicate()
                    return None, "", f"no answer within {answer_seconds:g} s"
            else:
                return process.returncode, output, messages


def _of_the_whole(names: list[str]) -> list[str]:
    """The sensor of the whole system, else all, which are then those of its power supplies."""
    whole = [name for name in names if _WHOLE.search(name)]
    return whole[:1] or names
