"""The state of the embedded server as texts of the window's dialog."""

from datetime import datetime

from engine.draft.lab_choices import FAILOVER_TITLES, lab_choice_of
from engine.figure_text import UNKNOWN, counted, whole, with_unit
from engine.lab.status import PRIMARY, LabStatus, NodeStatus
from engine.target.target import FAST
from widgets.lab.lab_view import LabView

_REPLICATION = {
    "sync": "synchronous",
    "quorum": "synchronous",
    "async": "asynchronous",
    "potential": "asynchronous",
    "catchup": "catching up",
    "": "none",
}


def lab_view(status: LabStatus) -> LabView:
    """The status as the dialog shows it."""
    shape = status.shape
    is_running = status.state != "stopped"
    return LabView(
        is_running=is_running,
        headline=_headline(status),
        facts=tuple(_facts(status)) if is_running else (),
        nodes=tuple(_node_texts(node) for node in status.nodes),
        shape=lab_choice_of(shape.nodes, sync=shape.sync).name,
        failover=shape.failover if shape.nodes > 1 else FAST,
        users=status.users,
        is_kept=status.kept,
    )


def _headline(status: LabStatus) -> str:
    if status.state == "stopped":
        return "The embedded server is stopped"
    if status.state == "down":
        return "The primary is down"
    started = next((node.started_at for node in status.nodes if node.role == PRIMARY), None)
    since = f" since {_moment(started)}" if started is not None else ""
    return f"Running{since}"


def _facts(status: LabStatus) -> list[tuple[str, str]]:
    facts = [("Version", f"PostgreSQL {status.version}")]
    if status.shape.nodes > 1:
        title = lab_choice_of(status.shape.nodes, sync=status.shape.sync).title
        facts.append(("Servers", f"{title}; failover: {FAILOVER_TITLES[status.shape.failover].lower()}"))
        protected = "a standby has every acknowledged transaction"
        unprotected = "a transaction acknowledged now is lost if the primary is"
        facts.append(("Safety", protected if status.is_protected else unprotected))
    kept = "; kept running" if status.kept else ""
    facts.append(("Used by", f"{', '.join(status.holders) or 'no program'}{kept}"))
    facts.append(("Connected", counted(status.users, "user")))
    return facts


def _node_texts(node: NodeStatus) -> tuple[str, ...]:
    is_primary = node.role == PRIMARY
    replication = UNKNOWN if is_primary else _REPLICATION.get(node.follows, node.follows)
    lag = UNKNOWN if is_primary else with_unit(whole(node.lag_bytes), "B")
    return (node.name, node.role, node.state, replication, node.network, _moment(node.started_at), lag)


def _moment(at_seconds: float | None) -> str:
    """A moment in local time, with its date unless it is today."""
    if at_seconds is None:
        return UNKNOWN
    at = datetime.fromtimestamp(at_seconds).astimezone()
    is_today = at.date() == datetime.now().astimezone().date()
    return f"{at:%H:%M:%S}" if is_today else f"{at:%Y-%m-%d %H:%M}"
