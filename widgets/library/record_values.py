"""A record's facts about the run and its environment, as plain values for a tree."""

from datetime import datetime
from typing import Any

from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS


def environment_values(record: RunRecord) -> dict[str, Any]:
    """The run itself, then servers, workstation and everything else that was recorded."""
    run = {
        "id": record.run_id,
        "state": record.state.value,
        "started": _local(record.started_at),
        "ended": _local(record.ended_at),
        "came from": record.origin.value,
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
