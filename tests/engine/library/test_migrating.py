import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from engine.analysis.comparing.configuration import Configuration
from engine.library import migrating
from engine.library.connecting import connect, read_transaction, write_transaction
from engine.library.hours import ClientHour
from engine.library.library import Library
from engine.library.migrating import configuration, migrate
from engine.library.opening import REVISIONS, prepare_library_file
from engine.library.tables import metadata
from engine.library.totals import totals_of
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.doubles.samples import without_steps
from tests.engine.library.examples import a_finished_record, some_events, some_samples
from tests.engine.library.older_versions import turn_back
from tests.engine.library.rows_left import keep_rows
from tests.texts import plain

WITHOUT_OVERDUE = [replace(without_steps(sample), overdue=None) for sample in some_samples()]

NEXT_VERSION = '''
"""A step that remakes the table which all others refer to."""

import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "%s"


def upgrade() -> None:
    with op.batch_alter_table("runs", recreate="always") as table:
        table.add_column(sa.Column("verdict", sa.Text, nullable=False, server_default="unknown"))
'''

A_RUN_OF_0003 = """
INSERT INTO runs (run_id, origin, state, name, note, plan, environment, started_at, failure)
VALUES ('20261121-1', 'spindle', 'completed', 'old', '', '{}', '{}', '2026-11-21T04:30:17.250000+00:00', '')
"""


@pytest.fixture
def newer_scripts(tmp_path) -> Path:
    """The migrations of a Spindle that is one version ahead."""
    scripts = shutil.copytree(migrating.SCRIPTS, tmp_path / "migrations")
    (scripts / "versions" / "next.py").write_text(NEXT_VERSION % REVISIONS[-1])
    return scripts


def test_migrations_create_the_tables_of_the_code(library, path):
    engine = connect(path)
    with read_transaction(engine) as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_tables_with_primary_keys_are_without_rowid(library, path):
    with closing(sqlite3.connect(path)) as connection:
        without = {name for _, name, _, _, wr, _ in connection.execute("PRAGMA table_list") if wr}
    assert without == {
        table.name for table in metadata.tables.values() if not table.dialect_options["sqlite"]["with_rowid"]
    }
    assert "samples" in without


def test_revisions_are_those_of_the_migrations():
    found = ScriptDirectory.from_config(configuration()).walk_revisions()
    assert tuple(reversed([script.revision for script in found])) == REVISIONS


def test_a_run_of_the_first_version_is_whole_after_the_step_to_the_next(library, path, newer_scripts):
    record = a_finished_record()
    library.add_imported(record, some_samples(), some_events())
    library.close()
    migrate(path, scripts=newer_scripts)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("next",)]
        assert connection.execute("SELECT run_id, verdict FROM runs").fetchall() == [(record.run_id, "unknown")]
    assert list(library.samples(record.run_id)) == some_samples()
    assert library.events(record.run_id) == some_events()
    assert library.run("last") == record


def test_an_older_library_is_copied_before_it_is_migrated(library, path, newer_scripts, told, monkeypatch):
    record = a_finished_record()
    library.add_imported(record, some_samples(), [])
    monkeypatch.setattr("engine.library.opening.REVISIONS", (*REVISIONS, "next"))
    monkeypatch.setattr(migrating, "migrate", lambda path: migrate(path, scripts=newer_scripts))
    prepare_library_file(path, notify=told.append)
    (copy,) = path.parent.glob(f"library.version-{REVISIONS[-1]}-*Z.sqlite")
    monkeypatch.undo()
    with Library.open(copy, notify=told.append) as before:
        assert before.run("last") == record
        assert list(before.samples(record.run_id)) == some_samples()
    assert told == []


def test_library_from_before_sets_keeps_runs_and_gains_sets(path, told):
    path.parent.mkdir(parents=True)
    engine = connect(path, foreign_keys=False)
    with write_transaction(engine) as connection:
        command.upgrade(configuration(connection), "0003")
        connection.execute(text(A_RUN_OF_0003))
    engine.dispose()
    with Library.open(path, notify=told.append) as library:
        (record,) = library.runs()
        assert (record.run_id, record.name, record.run_set, record.configuration) == ("20261121-1", "old", "", "")
        library.configurations.save(Configuration(name="R630"))
        assert library.sets.make("one", ["20261121-1"], configuration="R630").run_ids == ("20261121-1",)
        assert library.run("last").configuration == "R630"
    assert len(list(path.parent.glob("library.version-0003-*Z.sqlite"))) == 1
    assert told == []


def test_a_run_of_the_version_before_intended_times_reads_as_it_did(library, path, told):
    record = a_finished_record()
    keep_rows(path, record, WITHOUT_OVERDUE, packed=[ClientHour(1, 0)])
    library.close()
    turn_back(path, "0004")
    with Library.open(path, notify=told.append) as again:
        assert list(again.samples(record.run_id)) == WITHOUT_OVERDUE
        assert [block.overdue for block in again.histogram_blocks(record.run_id)] == [None] * 3
        again.packer.pack(record.run_id)
        assert list(again.samples(record.run_id)) == WITHOUT_OVERDUE
    assert told == []


def limit_of(
    code: EventCode, label: str, data: dict[str, object]
) -> tuple[EventKind, str, str, EventCode, object, str]:
    return EventKind.WARNING, label, "the processors were 99 % busy; end other work", code, data, label


OLD_EVENTS = [
    (EventKind.PHASE, "stopping", "", EventCode.PHASE_BEGAN, {"state": "stopping"}, "stopping"),
    (EventKind.PHASE, "extended by 5 min", "", EventCode.NONE, {}, "extended by 5 min"),
    (EventKind.MARK, "the probe is lost", "", EventCode.NONE, {}, "the probe is lost"),
    limit_of(
        EventCode.WORKSTATION_BOTTLENECK,
        "the workstation was the bottleneck for 2:30 min: the clients used up to 93 % of its processors",
        {"lasted_seconds": 150, "how": "the clients used up to 93 % of its processors", "busy_pct": 99},
    ),
    limit_of(
        EventCode.WORKSTATION_DISTORTION,
        "the workstation distorts the run: a sample of ds2 #1 comes 900 ms late",
        {"lasted_seconds": None, "how": "a sample of ds2 #1 comes 900 ms late", "busy_pct": 99},
    ),
    limit_of(
        EventCode.WORKSTATION_NETWORK,
        "the workstation's network limited the run for 17 s: eth0 carried up to 90 % of its speed",
        {"lasted_seconds": 17, "how": "eth0 carried up to 90 % of its speed", "busy_pct": 99},
    ),
    (
        EventKind.WARNING,
        "the workstation's processors were busy for 28 s: up to 98 % in use",
        "end other work on this workstation",
        EventCode.WORKSTATION_BUSY,
        {"lasted_seconds": 28, "how": "up to 98 % in use", "busy_pct": 98},
        "the workstation's processors were busy for 28 s: up to 98 % in use",
    ),
    (
        EventKind.WARNING,
        "the workstation distorted the run from 3:40 to 3:57 of the run: a heartbeat came 12 ms late",
        "",
        EventCode.WORKSTATION_DISTORTION,
        {"lasted_seconds": 17, "how": "a heartbeat came 12 ms late", "busy_pct": None},
        "the workstation distorted the run for 17 s: a heartbeat came 12 ms late",
    ),
    *(
        (EventKind.WARNING, label, "", code, data, label)
        for label, code, data in (
            ("the workstation was suspended for 12.3 s", EventCode.WORKSTATION_SUSPENDED, {"seconds": 12.3}),
            ("the workstation's clock was set 3.0 s back", EventCode.WORKSTATION_CLOCK_SET, {"ahead_seconds": -3.0}),
            ("the clock of client ds2 #2 went 7 ms behind", EventCode.CLIENT_CLOCK_DRIFTED, {"ahead_ms": -7.0}),
            ("the clock starts without all users of a, b", EventCode.STARTED_INCOMPLETE, {"clients": ["a", "b"]}),
            ("the probe is lost", EventCode.PROBE_LOST, {}),
            ("the probe of db1:5432 is lost", EventCode.STORE_PROBE_LOST, {}),
            ("1 users hung in a call at the end", EventCode.USERS_HUNG, {"users": 1}),
            (
                "3 users were waiting when measuring ended, for up to 12.5 s",
                EventCode.USERS_WAITED,
                {"users": 3, "longest_seconds": 12.5},
            ),
            ("the order ledger is given up (No space left on device); the audit", EventCode.LEDGER_GIVEN_UP, {}),
            ("not injected: kill primary", EventCode.NONE, {}),
        )
    ),
    (
        EventKind.CONNECTION_LOST,
        "connection lost ×32",
        "",
        EventCode.CONNECTIONS_LOST,
        {"users": 32},
        "connection lost ×32",
    ),
    (
        EventKind.CONNECTION_BACK,
        "all users connected again",
        "2 users: first after 0.31 s, median 0.40 s, last 0.52 s",
        EventCode.CONNECTIONS_BACK,
        {"users": 2, "first_seconds": 0.31, "median_seconds": 0.4, "last_seconds": 0.52},
        "all users connected again",
    ),
    (
        EventKind.TARGET_ERROR,
        "connection_lost: server: closed\nthe connection",
        "",
        EventCode.SERVER_ERROR,
        {"error_class": "connection_lost", "text": "server: closed\nthe connection"},
        "connection_lost: server: closed\nthe connection",
    ),
    (
        EventKind.STORE,
        "database 'ds2' on db1 was reset or replaced by others",
        "",
        EventCode.STORE_REBUILT,
        {"place": "database 'ds2' on db1"},
        "database 'ds2' on db1 was reset or replaced by others",
    ),
]


def test_events_of_the_version_before_codes_get_theirs(library, path, told):
    record = a_finished_record()
    old = [
        RunEvent(at_seconds=220.3, kind=kind, label=label, detail=detail, number=number)
        for number, (kind, label, detail, *_) in enumerate(OLD_EVENTS, start=1)
    ]
    library.add_imported(record, [], old)
    library.close()
    turn_back(path, "0005")
    with Library.open(path, notify=told.append) as again:
        found = [(event.code, event.data, plain(event.label)) for event in again.events(record.run_id)]
    assert found == [tuple(expected) for *_, code, data, label in OLD_EVENTS for expected in [(code, data, label)]]
    assert told == []


def test_a_run_of_the_version_before_steps_reads_as_it_did(library, path, told):
    record, old = a_finished_record(), [without_steps(sample) for sample in some_samples()]
    keep_rows(path, record, old, packed=[ClientHour(1, 0)])
    library.close()
    turn_back(path, "0006")
    with Library.open(path, notify=told.append) as again:
        assert list(again.samples(record.run_id)) == old
        again.packer.pack(record.run_id)
        assert list(again.samples(record.run_id)) == old
        assert [block.others for block in again.all_histogram_blocks(record.run_id)] == [None] * 3
        totals = totals_of(again, record.run_id, record.plan.client_plans(), record.phases)
        assert (totals.has_step_times, totals.processes, totals.saturation) == (False, None, None)
        assert again.workstation_loads(record.run_id) == again.process_summaries(record.run_id) == []
    assert told == []
