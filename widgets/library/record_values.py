"""A record's facts about the run and its environment, as plain values for a tree."""

from datetime import datetime
from typing import Any

from engine.record.record import Origin, RunRecord
from engine.record.totals import NO_TOTALS

_MEASURED_BY = {
    Origin.SPINDLE: "Spindle",
    Origin.DS2_LOG: "DVD Store 2, read from its log",
    Origin.STORAGE_PROGRAM: "a storage program, read from its result",
}


def environment_values(record: RunRecord) -> dict[str, Any]:
    """The run itself, then servers, workstation and everything else that was recorded."""
    run = {
        "id": record.run_id,
        "state": record.state.value,
        "started": _local(record.started_at),
        "ended": _local(record.ended_at),
        "measured by": _MEASURED_BY[record.origin],
        "failure": record.failure,
    }
    after = (record.totals or NO_TOTALS).after_run
    return {
        "run": {name: value for name, value in run.items() if value},
        **record.environment,
        **({"servers after the run": after} if after else {}),
    }


def _local(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
