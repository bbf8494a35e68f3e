"""The run's side of one client process, with what the client has told of itself; ``Run`` keeps one for each."""

from engine.driver.child_process import ChildProcess
from engine.driver.client import run_client
from engine.driver.messages import ClientStart, Farewell


class ClientHandle(ChildProcess):
    """One client process, spawned when this is made."""

    def __init__(self, start: ClientStart, label: str) -> None:
        super().__init__(run_client, start, name=f"client-{start.client}")
        self.start = start
        self.label = label
        self.is_ready = False
        self.all_connected = False
        self.farewell: Farewell | None = None

    @property
    def number(self) -> int:
        return self.start.client
