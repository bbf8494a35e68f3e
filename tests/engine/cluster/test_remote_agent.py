"""What the controller makes of an agent's messages."""

import asyncio

from engine.cluster.messages import LedgerPiece
from engine.cluster.remote_agent import RemoteAgent


def test_a_late_answer_is_not_assigned_to_another_client() -> None:
    loop = asyncio.new_event_loop()
    agent = RemoteAgent(loop, "lg1", [1, 2], {1: "a", 2: "b"})
    given_up, wanted = (LedgerPiece(client=client, offset=0, data=b"notes") for client in (1, 2))
    agent.on_message(given_up)
    agent.on_message(wanted)
    assert agent.ledger_piece(2, 0) == wanted
    loop.close()
