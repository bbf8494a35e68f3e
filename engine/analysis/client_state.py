"""The state of a client at a moment, in a word: for the client table, during a run and for a stored one."""

from dataclasses import dataclass
from enum import StrEnum

from engine.analysis.run_data import RunData
from engine.record.record import RunState
from engine.telemetry.event import EventKind
from engine.telemetry.sample import CountNames, Sample
from engine.workload.registry import find_workload

SILENT_AFTER_SECONDS = 3
# The transactions of a slow server may take a second or two: its clients work, and are not stalled.
STALLED_AFTER_SECONDS = 3


class ClientState(StrEnum):
    """The states of a client; each has its own symbol on the screen."""

    CONNECTING = "connecting"
    OK = "ok"
    RECONNECTING = "reconnecting"
    DOWN = "down"
    STALLED = "stalled"
    SILENT = "silent"
    LOST = "lost"
    FINISHED = "finished"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


_AT_THE_END = {RunState.COMPLETED: ClientState.FINISHED, RunState.INTERRUPTED: ClientState.INTERRUPTED}


@dataclass(frozen=True, kw_only=True)
class ClientCondition:
    """A client's state, and how many of its users are in it; 0 means all."""

    state: ClientState
    users: int = 0

    @property
    def word(self) -> str:
        """The text that is shown: ``ok``, ``reconnecting 12``."""
        return f"{self.state.value} {self.users}" if self.users else self.state.value


def client_conditions(run: RunData) -> dict[int, ClientCondition]:
    """The condition of every client of a run, by number.

    Lost is a client whose process has ended, or one without further samples of which a user failed because of a bug.
    Silent is one whose seconds are missing while the run goes on; nothing is known about it. Stalled is one whose users
    all have waited for three seconds without one answer.
    """
    events = run.events.values()
    lost = {event.client for event in events if event.kind is EventKind.CLIENT_LOST}
    failed = {event.client for event in events if event.kind is EventKind.CLIENT_FAILED}
    return {
        client.number: _condition(run, client.number, client.number in lost, client.number in failed)
        for client in run.clients
    }


def _condition(run: RunData, client: int, lost: bool, failed: bool) -> ClientCondition:
    if lost:
        return ClientCondition(state=ClientState.LOST)
    if run.state.is_final:
        return ClientCondition(state=_AT_THE_END.get(run.state, ClientState.STOPPED))
    condition = _present(run, run.newest(client))
    if failed and condition.state in (ClientState.SILENT, ClientState.DOWN) and not condition.users:
        return ClientCondition(state=ClientState.LOST)
    return condition


def _present(run: RunData, newest: Sample | None) -> ClientCondition:
    """The condition according to the newest sample."""
    told_until = -1 if newest is None else newest.second
    if run.series.seconds - 1 - told_until >= SILENT_AFTER_SECONDS:
        left = run.state is RunState.STOPPING and newest is not None
        return ClientCondition(state=ClientState.FINISHED if left else ClientState.SILENT)
    if newest is None:
        return ClientCondition(state=ClientState.CONNECTING)
    condition = _of_users(run.state, newest)
    is_stalled = condition.state is ClientState.OK and _is_stalled(run, newest)
    return ClientCondition(state=ClientState.STALLED) if is_stalled else condition


def _is_stalled(run: RunData, newest: Sample) -> bool:
    """Whether all users were at work throughout the newest seconds, and nothing ended in them."""
    client, end = newest.client, newest.second + 1
    before = newest.second - STALLED_AFTER_SECONDS
    # Mostly the newest sample alone tells, without a look at the series.
    if before < 0 or newest.thinking or any(count.n for count in newest.transactions.values()):
        return False
    working = run.series.by_second("working", client, first=before, end=end)
    return bool((working == newest.working).all()) and not any(
        run.series.count(CountNames.of(each.id).n, client=client, first=before + 1, end=end)
        for each in find_workload(run.plan.workload).transactions
    )


def _of_users(state: RunState, newest: Sample) -> ClientCondition:
    connected = newest.working + newest.thinking
    if newest.reconnecting and connected:
        return ClientCondition(state=ClientState.RECONNECTING, users=newest.reconnecting)
    if state in (RunState.PREPARING, RunState.RAMPING) and newest.down and not newest.reconnecting:
        return ClientCondition(state=ClientState.CONNECTING)
    if not connected:
        return ClientCondition(state=ClientState.FINISHED if state is RunState.STOPPING else ClientState.DOWN)
    if newest.down and state is not RunState.STOPPING:
        return ClientCondition(state=ClientState.DOWN, users=newest.down)
    return ClientCondition(state=ClientState.OK)
