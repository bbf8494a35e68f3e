"""Codes and data of events; for older events they are derived from the labels.

The patterns match the sentences that earlier versions wrote, so they never change.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_LIMIT = re.compile(
    r"(?P<whose>the workstation(?:'s network|'s processors)?)"
    r" (?P<verb>is the bottleneck|was the bottleneck|distorts the run|distorted the run|limits the run|limited the run"
    r"|are busy|were busy)"
    r"(?: for (?P<length>[\d.:]+)\s(?:s|min|h)| from (?P<since>[\d.:]+) to (?P<until>[\d.:]+) of the run)?"
    r": (?P<how>.*)"
)
_LIMIT_CODES = {
    "the bottleneck": "workstation bottleneck",
    "the run": "workstation distortion",
    "busy": "workstation busy",
}
_BUSY = re.compile(r"(\d+) % (?:busy|in use)")
_BACK = re.compile(r"(\d+) users?: first after ([\d.]+) s, median ([\d.]+) s, last ([\d.]+) s")
_PHASES = ("ramping", "warming up", "measuring", "stopping")

_Change = tuple[str, dict[str, Any], str]


def upgrade() -> None:
    op.add_column("events", sa.Column("code", sa.Text, nullable=False, server_default=""))
    op.add_column("events", sa.Column("data", sa.JSON))
    connection = op.get_bind()
    rows = connection.execute(
        sa.text("SELECT run_key, number, kind, label, detail FROM events WHERE kind != 'mark'")
    ).mappings()
    changes = []
    for row in rows.all():
        change = _change(dict(row))
        if change is not None:
            code, data, label = change
            changes.append(
                {
                    "run_key": row["run_key"],
                    "number": row["number"],
                    "code": code,
                    "data": json.dumps(data) if data else None,
                    "label": label,
                }
            )
    if changes:
        connection.execute(
            sa.text(
                "UPDATE events SET code = :code, data = :data, label = :label"
                " WHERE run_key = :run_key AND number = :number"
            ),
            changes,
        )


def _change(row: Mapping[str, Any]) -> _Change | None:
    """Code, data and label of an event; ``None`` leaves it without a code."""
    label: str = row["label"]
    match row["kind"]:
        case "phase" if label in _PHASES:
            return "phase began", {"state": label}, label
        case "connection lost" if lost := re.fullmatch(r"connection lost ×(\d+)", label):
            return "connections lost", {"users": int(lost[1])}, label
        case "connection back" if back := _BACK.fullmatch(row["detail"]):
            data: dict[str, Any] = {"users": int(back[1])}
            names = ("first_seconds", "median_seconds", "last_seconds")
            data.update((name, float(text)) for name, text in zip(names, back.groups()[1:], strict=True))
            return "connections back", data, label
        case "target error" if error := re.fullmatch(r"([a-z_]+): (.*)", label, re.DOTALL):
            return "server error", {"error_class": error[1], "text": error[2]}, label
        case "warning":
            return _warning(row)
        case "store":
            return _store(label)
    return None


def _warning(row: Mapping[str, Any]) -> _Change | None:
    label: str = row["label"]
    limit = _LIMIT.fullmatch(label)
    if limit is not None:
        return _limit(limit, row["detail"])
    for pattern, code, data_of in _WARNINGS:
        found = re.fullmatch(pattern, label, re.DOTALL)
        if found is not None:
            return code, data_of(found), label
    return None


def _limit(found: re.Match[str], detail: str) -> _Change:
    code = next(code for words, code in _LIMIT_CODES.items() if found["verb"].endswith(words))
    if found["whose"].endswith("network"):
        code = "workstation network"
    lasted = None
    if found["length"] is not None:
        lasted = _seconds(found["length"])
    elif found["until"] is not None:
        lasted = _seconds(found["until"]) - _seconds(found["since"])
    busy = _BUSY.search(detail) or (_BUSY.search(found["how"]) if code == "workstation busy" else None)
    data = {"lasted_seconds": lasted, "how": found["how"], "busy_pct": None if busy is None else int(busy[1])}
    length = "" if lasted is None else f" for {_duration(lasted)}"
    return code, data, f"{found['whose']} {found['verb']}{length}: {found['how']}"


def _seconds(text: str) -> float:
    """``28``, ``4:05`` or ``1:02:41`` as seconds."""
    seconds = 0.0
    for part in text.split(":"):
        seconds = 60 * seconds + float(part)
    return round(seconds) if seconds == round(seconds) else seconds


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:g} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d} h"


def _store(label: str) -> _Change | None:
    for pattern, code in _STORES.items():
        found = re.fullmatch(pattern, label)
        if found is not None:
            return code, {"place": found[1]}, label
    return None


def _nothing(_found: re.Match[str]) -> dict[str, Any]:
    return {}


def _users(found: re.Match[str]) -> dict[str, Any]:
    return {"users": int(found[1])}


_WARNINGS: tuple[tuple[str, str, Callable[[re.Match[str]], dict[str, Any]]], ...] = (
    (
        r"the workstation was suspended for ([\d.]+) s",
        "workstation suspended",
        lambda found: {"seconds": float(found[1])},
    ),
    (
        r"the workstation's clock was set ([\d.]+) s (ahead|back)",
        "workstation clock set",
        lambda found: {"ahead_seconds": float(found[1]) * (1 if found[2] == "ahead" else -1)},
    ),
    (
        r"the clock of .* went ([\d.]+) ms (behind|ahead)",
        "client clock drifted",
        lambda found: {"ahead_ms": float(found[1]) * (1 if found[2] == "ahead" else -1)},
    ),
    (
        r"the clock starts without all users of (.*)",
        "started incomplete",
        lambda found: {"clients": found[1].split(", ")},
    ),
    (r"the probe is lost", "probe lost", _nothing),
    (r"the probe of .* is lost", "store probe lost", _nothing),
    (r"(\d+) users? hung in a call at the end", "users hung", _users),
    (
        r"(\d+) users? (?:was|were) waiting when measuring ended, for up to ([\d.]+) s",
        "users waited",
        lambda found: {"users": int(found[1]), "longest_seconds": float(found[2])},
    ),
    (r"the order ledger can't be written .*", "ledger unwritten", _nothing),
    (r"the order ledger is written again", "ledger written", _nothing),
    (r"the order ledger is given up .*", "ledger given up", _nothing),
    (r"what the order ledger lacks is kept in .*", "ledger kept elsewhere", _nothing),
    (r"what the order ledger lacks is lost: .*", "ledger lost", _nothing),
)
_STORES = {
    r"(.*) was reset or replaced by others": "store rebuilt",
    r"(.*) holds no complete store any more": "store removed",
    r"the lease of (.*) was taken by others \(.*\)": "store lease taken",
    r"(.*) was held by others for a while": "store held by others",
    r"(.*) holds [\d,]+ orders? that this run did not place": "store foreign orders",
}
