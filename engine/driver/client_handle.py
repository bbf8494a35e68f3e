"""The run's view of its client processes and what they have reported; ``RunProcesses`` has one for each."""

from collections.abc import Mapping

from engine.driver.link import Share, WorkerLink
from engine.telemetry.workstation import ProcessSummary


class ClientHandle:
    """One client, as the run sees it: its number, its name, and whether all its users have connected."""

    def __init__(self, number: int, label: str) -> None:
        self.number = number
        self.label = label
        self.all_connected = False


class ClientProcess:
    """The process of the clients of ``share``, at the other end of ``link`` on ``machine``; empty for this one."""

    def __init__(self, link: WorkerLink, share: Share, labels: Mapping[int, str], machine: str) -> None:
        self.link = link
        self.machine = machine
        self.number = share.number
        self.may_preempt = share.may_preempt
        self.users = sum(start.threads for start in share.starts)
        self.clients = {start.client: ClientHandle(start.client, labels[start.client]) for start in share.starts}
        self.is_ready = False
        self.summary: ProcessSummary | None = None

    @property
    def is_gone(self) -> bool:
        return self.link.is_gone
