"""Watts and the inlet's temperature by a server's management controller: DMTF's Redfish (DSP0266) over HTTPS.

Newer controllers have the resources ``EnvironmentMetrics`` and ``PowerSubsystem`` of a chassis, older ones only
``Power``, which those have replaced; the same with ``ThermalSubsystem`` and ``Thermal``. The first way that gives a
number is kept. Controllers refresh these values every few seconds, and average them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.collect.clock import utc_now
from engine.collect.polling import PolledSource
from engine.collect.source import SourceReading
from engine.errors import UserError
from engine.machines.access import RedfishAccess
from engine.machines.redfish import SERVICE_ROOT, RedfishConnection, ResourceError, linked_path
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

_LEAST_INTERVAL_SECONDS = 5.0
# Some controllers take eight seconds for an answer.
_ANSWER_SECONDS = 15.0
_MOST_CHASSIS = 16
_MOST_SUPPLIES = 16
_WHOLE_CHASSIS = (None, "Chassis", "Intake", "PowerSupply", "SystemBoard")
_INLET = ("inlet", "intake", "ambient")

Resource = Mapping[str, Any]
Get = Callable[[str], Resource]
Way = Callable[[Get, Resource], float | None]


def redfish_source(
    access: RedfishAccess, password: Secret | None, *, machine: str, interval_seconds: float = 1.0
) -> PolledSource:
    """Reads the power of every chassis that has one, at most once in 5 s."""
    return PolledSource(
        name="Redfish",
        is_average=True,
        interval_seconds=max(interval_seconds, _LEAST_INTERVAL_SECONDS),
        open_reader=lambda _: _Controller(access, password, machine),
    )


class _Controller:
    """One management controller, and by which way each of its chassis is read."""

    def __init__(self, access: RedfishAccess, password: Secret | None, machine: str) -> None:
        self._access = access
        self._machine = machine
        self._connection = RedfishConnection(access, password, timeout_seconds=_ANSWER_SECONDS)
        self._ways: list[tuple[Resource, HostValue, Way]] | None = None

    def close(self) -> None:
        self._connection.close()

    def read(self) -> SourceReading:
        try:
            if self._ways is None:
                self._ways = self._found_ways()
            asked = utc_now()
            values = [
                value._replace(value=number)
                for chassis, value, way in self._ways
                if (number := way(self._connection.get, chassis)) is not None
            ]
        except UserError as error:
            self._connection.close()
            raise UserError(f"{self._machine}: {error.cause}", remedy=error.remedy) from error
        return SourceReading(values=tuple(values), here_utc_seconds=asked)

    def _found_ways(self) -> list[tuple[Resource, HostValue, Way]]:
        """The ways that give a number now. Raises ``UserError`` when no chassis has a power."""
        get = self._connection.get
        many = self._chassis()
        ways = []
        for chassis in many:
            device = str(chassis.get("Name") or chassis.get("Id") or "") if len(many) > 1 else ""
            for kinds, value in (
                (_POWER_WAYS, HostValue.of(HostFigure.POWER, 0.0, device)),
                (_INLET_WAYS, HostValue(device, "Inlet temperature", "°C", 0.0)),
            ):
                way = next((each for each in kinds if _gives(each, get, chassis)), None)
                ways += [] if way is None else [(chassis, value, way)]
        if not any(value.name == HostFigure.POWER for _, value, _ in ways):
            names = ", ".join(str(each.get("Id", "")) for each in many) or "none"
            raise UserError(
                f"the management controller at {self._access.url} tells no power of its chassis ({names}); read this"
                " machine by IPMI or with a meter."
            )
        return ways

    def _chassis(self) -> list[Resource]:
        get, wanted = self._connection.get, self._access.chassis
        members = get(linked_path(get(SERVICE_ROOT).get("Chassis"), "Chassis")).get("Members")
        paths = [linked_path(each, "Members") for each in members] if isinstance(members, list) else []
        names = [path.rstrip("/").rpartition("/")[2] for path in paths]
        chosen = [path for path, name in zip(paths, names, strict=True) if wanted in ("", path, name)]
        if not chosen:
            raise UserError(
                f"chassis is '{wanted}', which the management controller at {self._access.url} does not have; give one"
                f" of: {', '.join(names[:_MOST_CHASSIS]) or 'none'}."
            )
        found = [get(path) for path in chosen[:_MOST_CHASSIS]]
        return [each for each in found if not _is_part(each)] or found


def _gives(way: Way, get: Get, chassis: Resource) -> bool:
    """Whether a way gives a number; some controllers link to resources that they lack."""
    try:
        return way(get, chassis) is not None
    except ResourceError:
        return False


def _is_part(chassis: Resource) -> bool:
    """Whether it is within another chassis, whose power has its own."""
    links = chassis.get("Links")
    return isinstance(links, Mapping) and isinstance(links.get("ContainedBy"), Mapping)


def _environment_power(get: Get, chassis: Resource) -> float | None:
    return _reading(_linked(get, chassis, "EnvironmentMetrics").get("PowerWatts"))


def _supplies_power(get: Get, chassis: Resource) -> float | None:
    """What the power supplies take together; a supply that tells nothing would make the sum too low."""
    supplies = _linked(get, _linked(get, chassis, "PowerSubsystem"), "PowerSupplies").get("Members")
    if not isinstance(supplies, list) or not 0 < len(supplies) <= _MOST_SUPPLIES:
        return None
    each_metrics = [_linked(get, get(linked_path(each, "Members")), "Metrics") for each in supplies]
    watts = [_reading(metrics.get("InputPowerWatts")) for metrics in each_metrics]
    known = [each for each in watts if each is not None]
    return sum(known) if len(known) == len(watts) else None


def _old_power(get: Get, chassis: Resource) -> float | None:
    """The first control of the whole chassis; others may be of its processors or its memory."""
    controls = _list(_linked(get, chassis, "Power").get("PowerControl"))
    whole = next((each for each in controls if each.get("PhysicalContext") in _WHOLE_CHASSIS), {})
    return _number(whole.get("PowerConsumedWatts"))


def _environment_inlet(get: Get, chassis: Resource) -> float | None:
    metrics = _linked(get, _linked(get, chassis, "ThermalSubsystem"), "ThermalMetrics")
    summary = metrics.get("TemperatureSummaryCelsius")
    return _reading(summary.get("Intake")) if isinstance(summary, Mapping) else None


def _old_inlet(get: Get, chassis: Resource) -> float | None:
    for sensor in _list(_linked(get, chassis, "Thermal").get("Temperatures")):
        name = f"{sensor.get('PhysicalContext', '')} {sensor.get('Name', '')}".lower()
        celsius = _number(sensor.get("ReadingCelsius"))
        if celsius is not None and any(word in name for word in _INLET):
            return celsius
    return None


_POWER_WAYS: tuple[Way, ...] = (_environment_power, _supplies_power, _old_power)
_INLET_WAYS: tuple[Way, ...] = (_environment_inlet, _old_inlet)


def _linked(get: Get, resource: Resource, link: str) -> Resource:
    """The resource behind a link, or an empty one if there is no such link."""
    return get(linked_path(resource[link], link)) if isinstance(resource.get(link), Mapping) else {}


def _list(plain: Any) -> Iterator[Resource]:
    return (each for each in plain if isinstance(each, Mapping)) if isinstance(plain, list) else iter(())


def _reading(sensor: Any) -> float | None:
    """The number of an excerpt of a sensor."""
    return _number(sensor.get("Reading")) if isinstance(sensor, Mapping) else None


def _number(plain: Any) -> float | None:
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
    return float(plain) if is_number and plain >= 0 else None
