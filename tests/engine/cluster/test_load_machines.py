"""The ledgers that a run fetches from machines that are not connected when it is over."""

import threading
from pathlib import Path

from engine.cluster.agent_connection import AgentConnection
from engine.cluster.certificates import CertificateFolder
from engine.cluster.load_machines import LoadMachines
from engine.cluster.mailbox import Mailbox
from engine.cluster.messages import FetchLedger, LedgerPiece
from engine.cluster.ports import ANY_PORT
from engine.cluster.starter import CONTROLLER, AgentStart


class LateAgent:
    """Starts and is an agent whose worker is gone, and which connects when it is looked for; it has no ledgers."""

    addresses = ("127.0.0.1",)
    ports = ANY_PORT
    machines = ("lg1",)

    def __init__(self, members: CertificateFolder) -> None:
        self.certificates = members.files(CONTROLLER)
        self._files = members.files("lg1")
        self._inbox = Mailbox()
        self._connection: AgentConnection | None = None

    def start(self, _machine: str, start: AgentStart) -> "LateAgent":
        self._begins = AgentStart(
            run_id=start.run_id,
            machine="lg1",
            controller_addresses=start.controller_addresses,
            port=start.port,
            certificates=self._files,
        )
        return self

    def failure(self) -> str:
        self._connect()
        return "the worker is gone."

    def exit_code(self) -> None:
        self._connect()

    def cancel(self) -> None:
        assert self._connection is not None, "it was looked for"
        self._connection.stop()

    def _connect(self) -> None:
        if self._connection is None:
            self._connection = AgentConnection(self._begins, self._inbox)
            self._connection.start()
            threading.Thread(target=self._answer, args=(self._connection,), daemon=True).start()

    def _answer(self, connection: AgentConnection) -> None:
        while True:
            for asked in self._inbox.take():
                if isinstance(asked, FetchLedger):
                    connection.send(LedgerPiece(client=asked.client, offset=asked.offset, failure="no such file"))


def test_an_agent_without_its_worker_is_waited_for(tmp_path: Path) -> None:
    """Its machine was cut off for so long that dask has given up its worker; it is back when the run is over."""
    members = CertificateFolder(tmp_path)
    members.make(["lg1"])
    machines = LoadMachines(LateAgent(members), "run", {"lg1": [1]}, {1: "ds2"}, lambda *_: None)
    machines.agents["lg1"].on_lost("load machine lg1 was silent for 7 s")
    (missing,) = machines.fetch_ledgers(lambda client: tmp_path / f"client-{client}.ledger")
    machines.close()
    assert missing.reason == "lg1 can't read it: no such file"
