"""Host figures and a meter's watts beside the kept run of ``tests.widgets.library.runs``."""

import numpy as np

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from tests.app.runs import STARTED_AT

EPOCH = STARTED_AT.timestamp()


def a_series(
    name: str = "Power",
    unit: str = "W",
    device: str = "",
    *,
    first: float = 1,
    seconds: int = 60,
    gap: range = range(0),
) -> HostSeries:
    """A value a second: 300 and as many more as seconds have gone by; the samples of ``gap`` are missing."""
    taken = [second for second in range(seconds) if second not in gap]
    return HostSeries(
        source="meter-1",
        device=device,
        name=name,
        unit=unit,
        utc_seconds=np.array([EPOCH + first + second for second in taken]),
        values=np.array([300.0 + second for second in taken]),
    )


def a_measurement(*series: HostSeries, number: int = 1, shift_seconds: float = 0.0) -> HostMeasurement:
    return HostMeasurement(
        number=number,
        kind="power meter",
        file_name=f"meter{number}.csv",
        series=series or (a_series(),),
        shift_seconds=shift_seconds,
    )
