"""What management controllers answer of their chassis, by path: the parts that power and temperatures are read from.

Shortened to the properties that matter. The shapes are those of DMTF's published mock-ups (``EnvironmentMetrics``,
``PowerSubsystem``, ``ThermalSubsystem``), of HPE's iLO 4 and Dell's iDRAC (``Power``, ``Thermal``).
"""

from collections.abc import Mapping
from typing import Any

Tree = dict[str, dict[str, Any] | int]
CHASSIS = "/redfish/v1/Chassis"


def link(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def collection(path: str, names: tuple[str, ...]) -> dict[str, Any]:
    return {"@odata.id": path, "Members": [link(f"{path}/{name}") for name in names]}


def tree(*chassis: Mapping[str, dict[str, Any] | int]) -> Tree:
    """A controller's chassis; the first path of each is that of its own resource."""
    names = tuple(next(iter(each)).rpartition("/")[2] for each in chassis)
    found: Tree = {CHASSIS: collection(CHASSIS, names)}
    for each in chassis:
        found |= each
    return found


def new_chassis(name: str = "1U", *, watts: float | None = 374, inlet: float | None = 23.5, **more: Any) -> Tree:
    """As DMTF's rack mount server: all in the newer resources; no watts means that only its supplies have them."""
    at = f"{CHASSIS}/{name}"
    supply = f"{at}/PowerSubsystem/PowerSupplies"
    return {
        at: {
            "Id": name,
            "Name": f"Computer System Chassis {name}",
            "EnvironmentMetrics": link(f"{at}/EnvironmentMetrics"),
            "PowerSubsystem": link(f"{at}/PowerSubsystem"),
            "ThermalSubsystem": link(f"{at}/ThermalSubsystem"),
            **more,
        },
        f"{at}/EnvironmentMetrics": {
            "Id": "EnvironmentMetrics",
            "TemperatureCelsius": {"Reading": 39, "DataSourceUri": f"{at}/Sensors/CPU1Temp"},
            "PowerWatts": {"Reading": watts, "DataSourceUri": f"{at}/Sensors/TotalPower"},
        },
        f"{at}/PowerSubsystem": {"Id": "PowerSubsystem", "CapacityWatts": 2000, "PowerSupplies": link(supply)},
        supply: collection(supply, ("Bay1", "Bay2")),
        f"{supply}/Bay1": {"Id": "Bay1", "Metrics": link(f"{supply}/Bay1/Metrics")},
        f"{supply}/Bay1/Metrics": {"InputPowerWatts": {"Reading": 187.5}, "OutputPowerWatts": {"Reading": 170.0}},
        f"{supply}/Bay2": {"Id": "Bay2", "Metrics": link(f"{supply}/Bay2/Metrics")},
        f"{supply}/Bay2/Metrics": {"InputPowerWatts": {"Reading": 190.0}, "OutputPowerWatts": {"Reading": 172.0}},
        f"{at}/ThermalSubsystem": {"Id": "ThermalSubsystem", "ThermalMetrics": link(f"{at}/ThermalSubsystem/Metrics")},
        f"{at}/ThermalSubsystem/Metrics": {
            "TemperatureSummaryCelsius": {"Intake": {"Reading": inlet}, "Exhaust": {"Reading": 40.5}}
        },
    }


def old_chassis(name: str = "1", *, watts: float | None = 197) -> Tree:
    """As an iLO 4: one control, with an average over 20 minutes beside its reading; and the inlet among sensors."""
    at = f"{CHASSIS}/{name}"
    return {
        at: {
            "Id": name,
            "Name": "Computer System Chassis",
            "Power": link(f"{at}/Power"),
            "Thermal": link(f"{at}/Thermal"),
        },
        f"{at}/Power": {
            "Id": "Power",
            "PowerControl": [
                {"PhysicalContext": "CPU", "Name": "CPU Sub-system Power", "PowerConsumedWatts": 88},
                {
                    "Name": "System Power Control",
                    "PowerCapacityWatts": 1600,
                    "PowerConsumedWatts": watts,
                    "PowerMetrics": {"AverageConsumedWatts": 185, "IntervalInMin": 20, "MaxConsumedWatts": 260},
                },
            ],
        },
        f"{at}/Thermal": {
            "Temperatures": [
                {"Name": "02-CPU 1", "PhysicalContext": "CPU", "ReadingCelsius": 40},
                {"Name": "01-Inlet Ambient", "PhysicalContext": "Intake", "ReadingCelsius": 21},
                {"Name": "03-Exhaust", "PhysicalContext": "Exhaust", "ReadingCelsius": None},
            ]
        },
    }
