"""The columns of the library's table: text, sort key, initial width."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.figure_text import UNKNOWN, capitalised, duration, milliseconds, variability_text, whole
from engine.record.record import RunState
from engine.report.run_listing import RunListing
from widgets.parts.shapes import Shape, Tone

_SIGNS: dict[RunState, tuple[Shape, Tone]] = {
    RunState.COMPLETED: (Shape.TICK, "good"),
    RunState.STOPPED: (Shape.SQUARE, "muted"),
    RunState.INTERRUPTED: (Shape.TRIANGLE, "warning"),
    RunState.FAILED: (Shape.CROSS, "bad"),
}
_ORDER = {state: place for place, state in enumerate(RunState)}
SHARED_SIGN: tuple[Shape, Tone] = (Shape.TRIANGLE, "warning")


def state_sign(state: RunState) -> tuple[Shape, Tone]:
    """The shape and colour of a state; a run in progress has a disc."""
    return _SIGNS.get(state, (Shape.DISC, "accent"))


def ending_text(run: RunListing) -> str:
    """How a run ended, how long it was measured, and what others did to its stores; or that it is in progress."""
    if not run.state.is_final:
        return f"In progress: {run.state.value}."
    if not run.measured_seconds:
        measured = "nothing was measured"
    elif run.is_cut_short and run.planned_seconds:
        measured = f"measured {duration(run.measured_seconds)} of {duration(run.planned_seconds)}"
    else:
        measured = f"measured {duration(run.measured_seconds)}"
    total = "" if run.total_seconds is None else f", {duration(round(run.total_seconds))} in all"
    failure = f" {capitalised(run.failure.strip().removesuffix('.'))}." if run.failure else ""
    shared = "".join(f"\n{capitalised(sentence)}" for sentence in run.shared_stores)
    loads = f"\n{run.loads_sentence}" if run.loads else ""
    return f"{capitalised(run.state_text)}: {measured}{total}.{failure}{shared}{loads}"


def run_sign(run: RunListing) -> tuple[Shape, Tone]:
    """The shape and colour of a run's state, with a warning when others used its stores."""
    return SHARED_SIGN if run.shared_stores else state_sign(run.state)


def date_text(run: RunListing) -> str:
    """When a run began, in local time."""
    return run.started_at.astimezone().strftime("%Y-%m-%d %H:%M")


def _measured_so_far(run: RunListing) -> str:
    seconds = run.seconds_at(datetime.now(UTC))
    return duration(None if seconds is None else int(seconds))


def _think_time(run: RunListing) -> str:
    return UNKNOWN if run.think_time_ms is None else f"{run.think_time_ms:g}\u202fms"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column. ``widest`` is a usual text, for the initial width; a ``sort_key`` of ``None`` is unknown.

    The text of a column with ``is_icon`` describes its icon.
    """

    name: str
    title: str
    text: Callable[[RunListing], str]
    sort_key: Callable[[RunListing], Any]
    widest: str
    is_number: bool = False
    is_icon: bool = False
    is_editable: bool = False
    tip: str = ""


def _listed(texts: tuple[str, ...]) -> str:
    return ", ".join(texts)


def _users(run: RunListing) -> str:
    return run.users_text.replace("×", " × ")


def headline_text(run: RunListing) -> str:
    """A run's headline metric with its label, such as ``186 604 OPM``."""
    return run.headline.labelled(run.headline_rate)


def _one_line(text: str) -> str:
    return " ".join(text.split())


COLUMNS = (
    Column(
        name="state",
        title="State",
        text=lambda run: run.state_text,
        sort_key=lambda run: (_ORDER[run.state], bool(run.shared_stores)),
        widest="",
        is_icon=True,
        tip="How the run ended, or that it is in progress",
    ),
    Column(
        name="name",
        title="Name",
        text=lambda run: run.name or run.run_id,
        sort_key=lambda run: (run.name or run.run_id).casefold(),
        widest="Embedded pair, 2 × 8 users, 20 ms",
        is_editable=True,
    ),
    Column(
        name="headline",
        title="Headline",
        text=headline_text,
        sort_key=lambda run: None if run.headline_rate is None else (run.workload, run.headline_rate),
        widest="1 186 604 NOPM",
        is_number=True,
        tip="OPM of the DVD Store, NOPM of Wholesale, IOPS of Storage: of all clients over the measured time",
    ),
    Column(
        name="workload",
        title="Workload",
        text=lambda run: run.headline.workload,
        sort_key=lambda run: run.headline.workload,
        widest="DVD Store 2",
    ),
    Column(
        name="duration",
        title="Duration",
        text=_measured_so_far,
        sort_key=lambda run: run.seconds_at(datetime.now(UTC)),
        widest="23:59:59\u202fh",
        is_number=True,
        tip="Measured time, without ramp and warm-up",
    ),
    Column(
        name="started",
        title="Started",
        text=date_text,
        sort_key=lambda run: run.started_at,
        widest="2026-11-21 04:30",
    ),
    Column(
        name="targets",
        title="Targets",
        text=lambda run: run.targets_text,
        sort_key=lambda run: run.targets_text.casefold(),
        widest="r630-a:5432 / ds2",
        tip="Servers / databases; of storage, machine:file",
    ),
    Column(
        name="users",
        title="Users",
        text=_users,
        sort_key=lambda run: run.clients * run.threads,
        widest="24 × 128",
        is_number=True,
        tip="Clients × users of each; of storage, clients × threads",
    ),
    Column(
        name="think_time",
        title="Think time",
        text=_think_time,
        sort_key=lambda run: run.think_time_ms,
        widest="1000 ms",
        is_number=True,
        tip="Pause of each user between two transactions; none where the workload or a rate paces the users",
    ),
    Column(
        name="size",
        title="Size",
        text=lambda run: run.scale_text or UNKNOWN,
        sort_key=lambda run: run.size_bytes,
        widest="10 warehouses",
        is_number=True,
        tip="Size of each store",
    ),
    Column(
        name="p95",
        title="p95 ms",
        text=lambda run: milliseconds(run.p95_ms),
        sort_key=lambda run: run.p95_ms,
        widest="1 284",
        is_number=True,
        tip="Response time that 95 % of the orders, or of what the headline counts, did not exceed",
    ),
    Column(
        name="variability",
        title="Variability",
        text=lambda run: variability_text(run.variability_pct),
        sort_key=lambda run: run.variability_pct,
        widest="10.25 %",
        is_number=True,
        tip="The largest client's headline less the smallest's, over the largest",
    ),
    Column(
        name="errors",
        title="Errors",
        text=lambda run: whole(run.errors),
        sort_key=lambda run: run.errors,
        widest="12 345",
        is_number=True,
        tip="Errors of the targets in the measured time",
    ),
    Column(
        name="faults",
        title="Faults",
        text=lambda run: whole(run.faults),
        sort_key=lambda run: run.faults,
        widest="123",
        is_number=True,
        tip="Faults that were marked or injected, as the run's Recovery tab lists them",
    ),
    Column(
        name="audit",
        title="Audit",
        text=lambda run: run.audit or UNKNOWN,
        sort_key=lambda run: run.audit,
        widest="not possible",
        tip="Whether every acknowledged transaction was found on the server: clean, suspicious, incomplete, not"
        " possible, lost",
    ),
    Column(
        name="campaign",
        title="Campaign",
        text=lambda run: run.campaign,
        sort_key=lambda run: run.campaign.casefold() or None,
        widest="R630, SSD, night",
        tip="The campaign that the run belongs to",
    ),
    Column(
        name="set",
        title="Set",
        text=lambda run: f"{run.run_set}, median" if run.is_median else run.run_set,
        sort_key=lambda run: run.run_set.casefold() or None,
        widest="R630 SSD 20 ms, median",
        tip="The run set that the run belongs to, and whether it is the median run",
    ),
    Column(
        name="tags",
        title="Tags",
        text=lambda run: _listed(run.tags),
        sort_key=lambda run: _listed(run.tags).casefold() or None,
        widest="nightly, patched",
    ),
    Column(
        name="note",
        title="Note",
        text=lambda run: _one_line(run.note),
        sort_key=lambda run: _one_line(run.note).casefold() or None,
        widest="after the firmware",
        is_editable=True,
    ),
)
NAMES = tuple(column.name for column in COLUMNS)


def load_text(run: RunListing) -> str:
    """When, where and with what load a run was, in one line."""
    clients = "1 client" if run.clients == 1 else f"{run.clients} clients"
    size = f" of {run.scale_text}" if run.size else ""
    users = f"{clients} × {run.threads} {run.headline.users}"
    return f"{date_text(run)}, {users}, {run.pace}, against {run.targets_text}{size}"
