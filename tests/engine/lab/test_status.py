"""A lab's status travels as plain JSON."""

import json
from pathlib import Path

import pytest

from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus, NodeStatus, lsn_text


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
        shape=LabShape(nodes=2, sync=True, failover="probe", probe_interval_seconds=0.25),
        nodes=(
            NodeStatus(
                name="node1", role="primary", state="running", port=25_000, client_port=25_002, pid=12, received=7
            ),
            NodeStatus(name="node2", role="standby", state="down", network="silent"),
        ),
        is_protected=True,
    )
    assert LabStatus.from_message(json.loads(json.dumps(status.to_message()))) == status


@pytest.mark.parametrize(("position", "text"), [(None, "–"), (0, "0/0"), (50_331_976, "0/3000148"), (2**33, "2/0")])
def test_a_place_in_the_wal_is_written_as_postgresql_does(position: int | None, text: str) -> None:
    assert lsn_text(position) == text
