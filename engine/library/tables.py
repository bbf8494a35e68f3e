"""The library's tables, with the names of the plain types. The migrations create them, and a test compares the two.

``key`` is a run's small internal number, which keeps the rows of samples short; ``run_id`` is what users see and type.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
)
from sqlalchemy.types import TypeDecorator

from engine.telemetry.sample import COUNTS


class UtcTime(TypeDecorator[datetime]):
    """A moment as ISO 8601 text in UTC with microseconds, so that texts sort by time."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


def _client_of_a_run() -> ForeignKeyConstraint:
    """A foreign key to the run's client; rows are deleted with it."""
    return ForeignKeyConstraint(["run_key", "client"], ["clients.run_key", "clients.number"], ondelete="CASCADE")


metadata = MetaData()


def _run_table(name: str, *columns: Column[Any]) -> Table:
    """A table whose rows belong to a run, and are deleted with it; its key is the first part of the primary key."""
    run_key: Column[int] = Column("run_key", ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True)
    return Table(name, metadata, run_key, *columns, sqlite_with_rowid=False)


def _load_columns() -> tuple[Column[Any], ...]:
    """What a run costs a machine in a second."""
    return (
        Column("second", Integer, primary_key=True),
        Column("machine_pct", Float, nullable=False),
        Column("clients_pct", Float, nullable=False),
        Column("busiest_process_pct", Float, nullable=False),
        Column("is_bottleneck", Boolean, nullable=False),
        Column("heartbeat_ms", JSON, nullable=False),
    )


runs = Table(
    "runs",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("run_id", Text, nullable=False, unique=True),
    Column("origin", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("plan", JSON, nullable=False),
    Column("environment", JSON, nullable=False),
    Column("started_at", UtcTime, nullable=False, index=True),
    Column("ended_at", UtcTime),
    Column("warming_up_from", Integer),
    Column("measuring_from", Integer),
    Column("measuring_to", Integer),
    Column("totals", JSON(none_as_null=True)),
    Column("failure", Text, nullable=False),
    Column("audit", JSON(none_as_null=True)),
    Column("deleted_at", UtcTime),
    Column("owner_pid", Integer),
    Column("owner_created", Float),
)

run_tags = _run_table(
    "run_tags",
    Column("tag", Text, primary_key=True),
)

clients = _run_table(
    "clients",
    Column("number", Integer, primary_key=True),
    Column("label", Text, nullable=False),
    Column("target", Text, nullable=False),
)

samples = Table(
    "samples",
    metadata,
    Column("run_key", Integer, primary_key=True),
    Column("client", Integer, primary_key=True),
    Column("second", Integer, primary_key=True),
    *(Column(name, Integer, nullable=False) for name in COUNTS),
    Column("transactions", LargeBinary, nullable=False),
    Column("errors", Text),
    Column("overdue", LargeBinary),
    _client_of_a_run(),
    sqlite_with_rowid=False,
)
"""The samples that are not packed yet; ``transactions`` is made by ``engine.library.rows.packed_transactions``."""

sample_blocks = Table(
    "sample_blocks",
    metadata,
    Column("run_key", Integer, primary_key=True),
    Column("client", Integer, primary_key=True),
    Column("hour", Integer, primary_key=True),
    Column("first_second", Integer, nullable=False),
    Column("last_second", Integer, nullable=False),
    Column("seconds", LargeBinary),
    Column("errors", Text),
    Column("types", Text, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    Column("histograms", LargeBinary, nullable=False),
    Column("overdue", LargeBinary),
    Column("others", LargeBinary),
    _client_of_a_run(),
)
"""A client's samples of ``3600 * hour <= second < 3600 * (hour + 1)``, as ``engine.library.packing`` packs them.

``histograms`` are of the transactions that the headline metric counts, ``others`` of the other types and the steps.
With a rowid, unlike its neighbours, and with what is large at the end: SQLite then reads no further than asked for.
"""

events = _run_table(
    "events",
    Column("number", Integer, primary_key=True),
    Column("at_seconds", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("code", Text, nullable=False, server_default=""),
    Column("data", JSON(none_as_null=True)),
    Column("client", Integer),
    Column("detail", Text, nullable=False),
    Column("by_hand", Boolean, nullable=False),
    Column("is_fault", Boolean, nullable=False, server_default=false()),
)

probes = _run_table(
    "probes",
    Column("store", Integer, primary_key=True),
    Column("second", Integer, primary_key=True),
    Column("seconds", Integer, nullable=False),
    Column("slots", Text, nullable=False),
    Column("host", Text, nullable=False),
)
"""What a store's probe saw in ``seconds`` seconds in a row, from ``second`` on: each the same, as most are."""

workstation_loads = _run_table("workstation_loads", *_load_columns())

machine_loads = _run_table(
    "machine_loads",
    Column("machine", Text, primary_key=True),
    *_load_columns(),
)
"""The same of each load machine as ``workstation_loads`` has of the workstation."""

saturation_intervals = _run_table(
    "saturation_intervals",
    Column("number", Integer, primary_key=True),
    Column("what", Text, nullable=False),
    Column("from_seconds", Float, nullable=False),
    Column("to_seconds", Float, nullable=False),
    Column("measures", JSON, nullable=False),
)

process_summaries = _run_table(
    "process_summaries",
    Column("process", Integer, primary_key=True),
    Column("clients", JSON, nullable=False),
    Column("cpu_user_seconds", Float, nullable=False),
    Column("cpu_system_seconds", Float, nullable=False),
    Column("peak_memory_mb", Float),
    Column("worst_tick_late_ms", Float, nullable=False),
    Column("unfinished_users", Integer),
    Column("heartbeat_mean_ms", Float),
    Column("heartbeat_p99_ms", Float),
    Column("heartbeat_max_ms", Float),
    Column("longest_gc_pause_ms", Float, nullable=False),
    Column("run_queue_ms", Float),
    Column("order_waited_ms", Float),
    Column("late_ticks", Integer, nullable=False),
    Column("clock_offset_ms", Float),
)
"""The newest summary of each client process, written again every second: the last one of a run that was killed."""

configurations = Table(
    "configurations",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("content", JSON, nullable=False),
)
"""What runs are measured on: ``content`` is ``Configuration.to_dict``, with money as text."""

run_configurations = _run_table(
    "run_configurations",
    Column("configuration_key", ForeignKey("configurations.key", ondelete="CASCADE"), nullable=False),
)

run_sets = Table(
    "run_sets",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("note", Text, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("configuration_key", ForeignKey("configurations.key", ondelete="SET NULL")),
)

run_set_members = _run_table(
    "run_set_members",
    Column("set_key", ForeignKey("run_sets.key", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
)
"""With the run as its key: a run is in at most one set."""

campaigns = Table(
    "campaigns",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("plan", JSON, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("stop_requested", Boolean, nullable=False, server_default=false()),
    Column("owner_pid", Integer),
    Column("owner_created", Float),
)
"""Campaigns: ``plan`` is ``CampaignPlan.to_dict``; the owner is the process that carries the campaign out."""

campaign_entries = Table(
    "campaign_entries",
    metadata,
    Column("campaign_key", ForeignKey("campaigns.key", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("reason", Text, nullable=False),
    Column("run_id", Text, nullable=False, index=True),
    Column("data", JSON, nullable=False),
    sqlite_with_rowid=False,
)
"""The journals of campaigns. ``run_id`` is written before the run is in ``runs``, and stays when it is deleted."""

host_files = _run_table(
    "host_files",
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("shift_seconds", Float, nullable=False),
    Column("note", Text, nullable=False),
    Column("collector", Integer),
)
"""What was measured beside a run: of an imported file, or by the collector with that number."""

host_columns = Table(
    "host_columns",
    metadata,
    Column("run_key", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("column", Integer, primary_key=True),
    Column("description", JSON, nullable=False),
    Column("readings", Integer, nullable=False),
    Column("times", LargeBinary),
    Column("values", LargeBinary, nullable=False),
    ForeignKeyConstraint(["run_key", "number"], ["host_files.run_key", "host_files.number"], ondelete="CASCADE"),
)
"""A column of a file, packed by ``engine.library.host_packing``; without ``times`` it has those of the one before.

With a rowid, and with what is large at the end, as in ``sample_blocks``.
"""

collectors = _run_table(
    "collectors",
    Column("number", Integer, primary_key=True),
    Column("machine", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("interval_seconds", Float, nullable=False),
    Column("is_average", Boolean, nullable=False),
    Column("offset_seconds", Float),
    Column("offset_error_seconds", Float),
    Column("drift_ppm", Float),
    Column("readings", Integer, nullable=False),
    Column("cpu_seconds", Float, nullable=False),
)
"""The newest state of each collector of a run."""

host_counters = _run_table(
    "host_counters",
    Column("digest", Integer, primary_key=True),
    Column("counters", JSON, nullable=False),
)
"""The counters of readings: for each value its device, name and unit. Their digest is that of their JSON."""

host_readings = _run_table(
    "host_readings",
    Column("collector", Integer, primary_key=True),
    Column("utc_us", Integer, primary_key=True),
    Column("digest", Integer, nullable=False),
    Column("values", LargeBinary, nullable=False),
)
"""What the collectors of a run in progress have read: 64-bit floats, of the counters with the digest.

At the run's end ``engine.library.live_measurements`` makes one measurement of each collector's readings.
"""

own_references = Table(
    "own_references",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("content", JSON, nullable=False),
)
"""Published results that the user has added: ``content`` is ``Reference.to_dict``."""
