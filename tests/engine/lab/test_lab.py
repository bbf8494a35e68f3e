"""A lab's status travels as plain JSON."""

import json
from pathlib import Path

from engine.lab.lab import LabStatus


def test_status_survives_the_way_from_the_keeper_to_the_app() -> None:
    status = LabStatus(
        state="running",
        port=25_000,
        server_pid=12,
        version="18.6",
        data_folder=Path("/somewhere/prächtig"),
        keeper_pid=11,
        leases=2,
        kept=True,
    )
    assert LabStatus.from_message(json.loads(json.dumps(status.to_message()))) == status
