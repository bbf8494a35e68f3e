"""The run's view of its client processes and what they have reported; ``RunProcesses`` has one for each."""

from collections.abc import Mapping, Sequence

from engine.driver.child_process import ChildProcess
from engine.driver.client_process import run_clients
from engine.driver.messages import ClientStart
from engine.telemetry.workstation import ProcessSummary


class ClientHandle:
    """One client, as the run sees it: its number, its name, and whether all its users have connected."""

    def __init__(self, number: int, label: str) -> None:
        self.number = number
        self.label = label
        self.all_connected = False


class ClientProcess(ChildProcess):
    """The process of one or several clients, spawned by the constructor; its ``number`` is that of its first client."""

    def __init__(self, starts: Sequence[ClientStart], labels: Mapping[int, str]) -> None:
        self.number = starts[0].client
        super().__init__(run_clients, tuple(starts), name=f"client-{self.number}")
        self.clients = {start.client: ClientHandle(start.client, labels[start.client]) for start in starts}
        self.is_ready = False
        self.summary: ProcessSummary | None = None
