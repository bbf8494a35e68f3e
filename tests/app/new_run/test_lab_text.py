from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.new_run.lab_text import lab_view
from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus, NodeStatus

STOPPED = LabStatus(state="stopped", port=5432, server_pid=None, version="18.6", data_folder=Path("/lab"))
PAIR = replace(
    STOPPED,
    state="running",
    shape=LabShape(nodes=2, sync=True, failover="fast"),
    nodes=(
        NodeStatus(
            name="node1", role="primary", state="running", client_port=21001, started_at=datetime.now(UTC).timestamp()
        ),
        NodeStatus(name="node2", role="standby", state="running", follows="quorum", lag_bytes=4096, client_port=21002),
    ),
    is_protected=True,
    holders=("the window (process 7)",),
    users=16,
    kept=True,
)


def test_stopped_server_has_one_line() -> None:
    view = lab_view(STOPPED)
    assert (view.is_running, view.headline, view.facts, view.nodes) == (
        False,
        "The embedded server is stopped",
        (),
        (),
    )


def test_pair_view_has_servers_and_users() -> None:
    view = lab_view(PAIR)
    facts = dict(view.facts)
    assert view.headline.startswith("Running since ")
    assert facts["Servers"] == "Pair, synchronous; failover: fast"
    assert facts["Safety"] == "a standby has every acknowledged transaction"
    assert facts["Used by"] == "the window (process 7); kept running"
    assert facts["Connected"] == "16 users"
    assert view.nodes[1][:4] == ("node2", "standby", "running", "synchronous")
    assert (view.shape, view.failover, view.users, view.is_kept) == ("pair", "fast", 16, True)


def test_no_port_and_no_address_is_shown() -> None:
    shown = str(lab_view(PAIR))
    assert "2100" not in shown
    assert "127.0.0.1" not in shown


def test_primary_that_is_down_comes_first() -> None:
    view = lab_view(replace(PAIR, state="down", is_protected=False))
    assert view.is_running
    assert view.headline == "The primary is down"
    assert dict(view.facts)["Safety"] == "a transaction acknowledged now is lost if the primary is"
