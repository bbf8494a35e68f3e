"""Starts client processes on this machine."""

from collections.abc import Sequence
from functools import cache

from engine.driver import sharing
from engine.driver.child_process import ChildProcess, interrupts_kept_from_children
from engine.driver.client_process import run_clients
from engine.driver.cpu_meter import usable_processors
from engine.driver.link import Share
from engine.driver.messages import ClientStart

_LEAD_SECONDS = 0.2


class LocalLauncher:
    """The launcher of this machine, see ``engine.driver.link.Launcher``."""

    machine = ""
    lead_seconds = _LEAD_SECONDS
    clock_error_ms = 0.0
    news = None

    def __init__(self) -> None:
        self.processors = usable_processors()

    def share_out(self, starts: Sequence[ClientStart]) -> list[Share]:
        is_here = cache(sharing.is_this_machine)
        return [
            Share(starts=share, may_preempt=sharing.may_preempt(share, is_here))
            for share in sharing.share_out(starts, self.processors, is_here)
        ]

    def launch(self, share: Share) -> ChildProcess:
        with interrupts_kept_from_children():
            return ChildProcess(run_clients, share.starts, name=f"client-{share.number}")
