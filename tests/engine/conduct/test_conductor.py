"""One plan from its targets to its record in the library, on the session's embedded server."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from engine.analysis.run_data import RunData
from engine.analysis.totals import RunTotals
from engine.conduct.conductor import Conductor
from engine.conduct.endpoint import Endpoint
from engine.conduct.leasing import Leases, StoreLease, holder_of, taken
from engine.conduct.targets import Targets
from engine.databases.database import ServerInfo, Timeouts
from engine.databases.lease import Claim
from engine.databases.postgresql.store import PostgreSQLStore
from engine.databases.progress import Progress
from engine.errors import BadInput, Remedy, RemedyKind, UserError
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.lab.server import EmbeddedServer
from engine.library.library import Library
from engine.library.rescue import import_waiting_rescues
from engine.library.run_writer import RunWriter
from engine.library.whole_run import open_run
from engine.places import find_places
from engine.plan.load_machines import LoadMachine
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.report.run_warnings import run_warnings
from engine.secrets import Secret
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from engine.telemetry.event import EventKind
from engine.workload.registry import DVD_STORE
from tests.engine.conftest import SIZE, BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, wait_for_orders, wait_for_state
from tests.engine.workloads.dvdstore.sessions import open_session
from tests.totals import plain_totals
from tests.waiting import wait_until

SECOND = 1 / 60


class Stage:
    """A library, targets whose password is known, and what was said to the user."""

    def __init__(self, home: Path, store: BuiltStore) -> None:
        self.said: list[str] = []
        self._conductors: list[Conductor] = []
        self.library = Library.open(home / "library.sqlite", notify=self.said.append)
        self.targets = Targets(
            find_places(home),
            secrets={store.target.secret_name: store.secret},
            find=lambda _: None,
            notify=self.said.append,
        )

    def conductor(self, plan: RunPlan) -> Conductor:
        conductor = Conductor(plan, library=self.library, targets=self.targets, notify=self.said.append)
        self._conductors.append(conductor)
        return conductor

    def close(self) -> None:
        """Let stores go of runs that were prepared and never begun; end those that a test that failed has left."""
        for conductor in self._conductors:
            conductor.close()


@pytest.fixture
def stage(tmp_path: Path, built_store: BuiltStore) -> Iterator[Stage]:
    stage = Stage(tmp_path, built_store)
    with stage.library, stage.targets:
        yield stage
        stage.close()


def plan(store: BuiltStore, *, minutes: float = SECOND) -> RunPlan:
    return RunPlan(
        targets=(store.target,),
        clients=2,
        threads=2,
        think_time_ms=20,
        ramp_rate=20,
        warmup_minutes=0,
        minutes=minutes,
        note="noted",
        tags=("test",),
    )


def prepared(conductor: Conductor) -> Conductor:
    conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
    return conductor


@pytest.fixture
def conducted(
    stage: Stage, built_store: BuiltStore, monkeypatch: pytest.MonkeyPatch
) -> tuple[RunRecord, Gathering, int]:
    """A run that went its length: its record, what its sink heard, and the orders that the table grew by."""
    monkeypatch.setattr("engine.driver.run._LAST_READINGS_SECONDS", 5.0)  # on a busy machine they are late
    before, sink = built_store.count("orders"), Gathering()
    conductor = prepared(stage.conductor(replace(plan(built_store), machines=("workstation",))))
    conductor.start([sink])
    assert conductor.run.wait(OVER_SECONDS)
    return conductor.finish(), sink, built_store.count("orders") - before


@pytest.fixture
def over(stage: Stage, built_store: BuiltStore, monkeypatch: pytest.MonkeyPatch) -> Conductor:
    """A run that went its length and is still to be finished, which waits for the library only shortly."""
    monkeypatch.setattr("engine.conduct.library_entry._FLUSH_SECONDS", 0.5)
    conductor = prepared(stage.conductor(plan(built_store)))
    conductor.start([])
    assert conductor.run.wait(OVER_SECONDS)
    return conductor


@pytest.mark.parametrize("has_room_elsewhere", [True, False])
def test_library_error_at_the_end_keeps_the_result(
    stage: Stage, over: Conductor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_room_elsewhere: bool
) -> None:
    folders = [tmp_path] if has_room_elsewhere else []
    monkeypatch.setattr("engine.files.disk_space.spare_folders", lambda: folders)
    with closing(sqlite3.connect(stage.library.path, isolation_level=None)) as another_program:
        another_program.execute("BEGIN IMMEDIATE")
        record = over.finish()
    assert record.state is RunState.COMPLETED
    assert record.totals is not None
    assert record.totals.count > 0
    assert {"driver", "steps", "spells"} < plain_totals(record.totals).keys()
    assert over.rescue is not None
    assert (over.rescue.path is not None) is has_room_elsewhere
    assert over.kept_in.run(record.run_id) == record
    assert sum(sample.of("order").n for sample in over.kept_in.samples(record.run_id)) >= record.totals.count
    assert not stage.library.run("last").state.is_final
    over.close()
    if has_room_elsewhere:
        ((taken, _),), waiting = import_waiting_rescues(stage.library)
        assert (taken, waiting) == (record, {})
        assert stage.library.run("last") == record
        assert import_waiting_rescues(stage.library) == ([], {})


def test_failing_totals_still_end_the_run(stage: Stage, over: Conductor, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> NoReturn:
        raise ValueError("an undecodable block")

    monkeypatch.setattr("engine.conduct.library_entry.totals_of", damaged)
    monkeypatch.setattr("engine.conduct.library_entry._FLUSH_SECONDS", OVER_SECONDS)
    record = over.finish()
    assert (record.state, record.totals) == (RunState.COMPLETED, None)
    assert any("can't be computed" in said for said in stage.said)


def test_totals_are_stored_with_a_slow_library(stage: Stage, over: Conductor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.conduct.library_entry._FLUSH_SECONDS", OVER_SECONDS)
    monkeypatch.setattr(RunWriter, "flush", lambda *_: False)  # as if its trouble had lasted until then
    record = over.finish()
    assert record.state is RunState.COMPLETED
    assert record.totals is not None
    assert record.totals.count > 0


def test_run_is_stored_completely(
    stage: Stage, built_store: BuiltStore, conducted: tuple[RunRecord, Gathering, int]
) -> None:
    record, sink, grown = conducted

    assert record == stage.library.run("last")
    assert record.state is RunState.COMPLETED
    assert record.plan.scale == SIZE
    assert (record.name, record.note, record.tags) == (proposed_name(record.plan), "noted", ("test",))
    assert record.client_labels == ("driven #1", "driven #2")
    assert record.ended_at is not None
    assert record.started_at == sink.began[0]
    assert record.started_at < record.ended_at
    assert record.phases == sink.phases

    samples = list(stage.library.samples(record.run_id))
    assert sorted(samples, key=lambda sample: (sample.client, sample.second)) == sorted(
        sink.samples, key=lambda sample: (sample.client, sample.second)
    )
    assert stage.library.events(record.run_id) == sorted(sink.events, key=lambda event: event.at_seconds)
    assert record.totals is not None
    totals = plain_totals(record.totals)
    driver, steps, spells = (totals[name] for name in ("driver", "steps", "spells"))
    assert list(steps) == ["login", "new_customer", "browse", "purchase", "order"]
    assert totals == plain_totals(
        RunTotals("dvdstore", record.plan.client_plans(), record.phases).add_all(samples).totals()
    ) | {
        "driver": driver,
        "spells": spells,
    }
    names = ("login", "new_customer", "browse", "purchase", "order")
    counts = [totals[name] for name in ("logins", "new_customers", "browses", "purchases", "orders")]
    assert {name: figures["count"] for name, figures in steps.items()} == dict(zip(names, counts, strict=True))
    for figures in steps.values():
        times = [figures[name] for name in ("p50_ms", "p95_ms", "p99_ms")]
        assert times == sorted(times) if figures["count"] else times == [None] * 3
    assert [each["clients"] for each in driver] == [[1], [2]]
    since_start = totals["since_start"]
    assert grown == since_start["purchases"] - since_start["rollbacks"] > 0

    environment = record.environment
    assert environment["servers"][0]["store"]["size"] == "1MB"
    assert environment["workstation"]["processors"] > 0
    assert "timeouts" not in environment  # they are the usual ones
    assert built_store.secret.reveal() not in repr(record)

    (machine,) = environment["machines"]
    assert (machine["name"], machine["sources"][0]["source"]) == ("workstation", "local")
    measured, status = stage.library.host.of_run(record.run_id)[0], stage.library.host.collectors(record.run_id)[0]
    assert (measured.kind, measured.file_name, measured.shift_seconds) == ("live", "workstation", 0.0)
    assert status == [each for each in sink.collectors if each.number == 1][-1]
    cpu = next(series for series in measured.series if series.name == "CPU")
    assert list(cpu.utc_seconds) == pytest.approx([each.utc_seconds for each in sink.readings if each.collector == 1])
    assert cpu.utc_seconds[-1] >= record.started_at.timestamp() + (record.phases.measuring_to or 0), "to the end"


@pytest.fixture
def loader(built_store: BuiltStore) -> Iterator[tuple[str, Secret]]:
    """An account that may do what the users do, and owns nothing."""
    account = ("driven_loader", Secret("of the load"))
    with built_store.connect() as connection:
        connection.execute("CREATE ROLE driven_loader LOGIN PASSWORD 'of the load'")
        connection.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO driven_loader")
        connection.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO driven_loader")
    yield account
    with built_store.connect() as connection:
        connection.execute("DROP OWNED BY driven_loader")
        connection.execute("DROP ROLE driven_loader")


def test_the_users_connect_under_the_stores_account_for_the_load(
    stage: Stage, built_store: BuiltStore, loader: tuple[str, Secret], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PostgreSQLStore, "load_account", lambda _: loader)
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(built_store, minutes=0)))
    conductor.start([sink])
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)

    with built_store.connect() as connection:
        rows = connection.execute(
            "SELECT usename, count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid() GROUP BY 1",
            (built_store.target.database,),
        ).fetchall()
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    connections = dict(rows)
    assert connections["driven_loader"] == 4
    assert connections.get(built_store.target.user, 0) <= 2  # the probe's, and the lease's
    assert "driven_loader" in record.environment["servers"][0]["load_account"]
    assert "of the load" not in repr(record)


def test_server_warnings_and_measurements_are_recorded(
    stage: Stage, built_store: BuiltStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = iter(("10", "250"))
    look = PostgreSQLStore.server

    def server(store: PostgreSQLStore) -> ServerInfo:
        return replace(look(store), measures={"log used (MB)": next(used)}, warnings=("The log is small.",))

    monkeypatch.setattr(PostgreSQLStore, "server", server)
    stage.targets.timeouts = Timeouts(statement_seconds=45.0)
    conductor = prepared(stage.conductor(plan(built_store)))
    assert "The log is small." in stage.said
    conductor.start([])
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    (recorded,) = record.environment["servers"]
    assert record.environment["timeouts"] == {
        "connect_seconds": 5.0,
        "statement_seconds": 45.0,
        "silence_seconds": 10.0,
    }
    assert (recorded["before the run"], recorded["warnings"]) == ({"log used (MB)": "10"}, ["The log is small."])
    assert record.totals is not None
    assert record.totals.after_run == {built_store.target.url: {"log used (MB)": "250"}}


def test_integrated_login_needs_no_password(tmp_path: Path) -> None:
    asked: list[str] = []
    planned, _ = Target.parse("mssql://db1/ds2?authentication=integrated")
    with Targets(find_places(tmp_path), secrets={}, find=asked.append, notify=asked.append) as targets:
        assert targets.resolve(planned) == Endpoint(planned, None)
    assert asked == []


def test_stopped_run_keeps_its_samples(stage: Stage, built_store: BuiltStore) -> None:
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(built_store, minutes=0)))
    conductor.start([sink])
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0 and RunState.MEASURING in sink.states)

    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    assert record.state is RunState.STOPPED
    assert record.totals is not None
    assert plain_totals(record.totals)["since_start"]["orders"] == sink.total("orders") > 0
    conductor.close()
    assert stage.library.run(record.run_id) == record


def test_an_error_after_the_start_ends_the_run_and_keeps_it(stage: Stage, built_store: BuiltStore) -> None:
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(built_store, minutes=10)))
    conductor.start([sink])
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)

    conductor.close()

    record = stage.library.run(conductor.run_id)
    assert record.state is RunState.STOPPED
    assert record.totals is not None
    assert plain_totals(record.totals)["since_start"]["orders"] >= sink.total("orders") > 0
    assert sink.events_of(EventKind.CLIENT_LOST) == []


def test_run_that_could_not_start_is_stored_as_failed(
    stage: Stage, built_store: BuiltStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pipe(**_: object) -> NoReturn:
        raise OSError("too many open files")

    conductor = prepared(stage.conductor(plan(built_store)))
    monkeypatch.setattr("engine.conduct.run_parts.Run", no_pipe)
    with pytest.raises(OSError, match="too many open files"):
        conductor.start([Gathering()])
    conductor.close()

    record = stage.library.run(conductor.run_id)
    assert (record.state, record.failure) == (RunState.FAILED, "The run could not be started.")


def test_changed_store_is_reported(stage: Stage, built_store: BuiltStore) -> None:
    session = open_session(built_store.target, built_store.secret)
    assert session.purchase(1, [(1, 1)], 999, 82, 1081) is not None
    session.close()
    state = built_store.store.state()
    assert state is not None

    notices = prepared(stage.conductor(plan(built_store))).notices()

    assert state.beyond["orders"] > 0
    (notice,) = notices
    words = r"Database driven holds ([\d\s]+) orders and ([\d\s]+) customers added since the build"
    found = re.fullmatch(words, notice.cause)
    assert found is not None
    assert [int("".join(count.split())) for count in found.groups()] == [
        state.beyond["orders"],
        state.beyond["customers"],
    ]
    assert notice.remedy == Remedy(kind=RemedyKind.RESET_STORE, target=built_store.target.url, workload=DVD_STORE)


def test_only_changed_stores_are_reset(
    stage: Stage, built_store: BuiltStore, build_store: Callable[[str], BuiltStore]
) -> None:
    untouched = build_store("untouched")
    session = open_session(built_store.target, built_store.secret)
    assert session.purchase(1, [(1, 1)], 999, 82, 1081) is not None
    session.close()
    missing = built_store.target.with_database("not there")
    conductor = stage.conductor(RunPlan(targets=(untouched.target, missing, built_store.target)))
    told: list[Progress] = []

    conductor.reset_changed(report_progress=told.append, cancelled=lambda: False)

    state = built_store.store.state()
    assert state is not None
    assert state.is_pristine
    assert told
    assert all(step.doing.startswith("resetting driven: ") for step in told)


def test_preparation_runs_on_another_thread_and_planned_marks_are_stored(stage: Stage, built_store: BuiltStore) -> None:
    faults = (PlannedFault(at_seconds=0.5, label="Enclosure pulled"),)
    conductor = stage.conductor(replace(plan(built_store), faults=faults))
    with ThreadPoolExecutor(1) as pool:
        pool.submit(prepared, conductor).result(OVER_SECONDS)
    conductor.start([])
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    assert record.plan.faults == faults
    assert record.phases.measuring_from is not None
    (mark,) = [event for event in stage.library.events(record.run_id) if event.kind is EventKind.MARK]
    assert (mark.label, mark.at_seconds) == ("Enclosure pulled", record.phases.measuring_from + 0.5)


def test_injections_are_stored(stage: Stage, built_store: BuiltStore) -> None:
    faults = (parse_fault("T+0.2s sql 'select current_database()'"), parse_fault("T+0.4s sql nonsense"))
    conductor = prepared(stage.conductor(replace(plan(built_store), faults=faults)))
    conductor.start([])
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()

    events = [event for event in stage.library.events(record.run_id) if event.kind is EventKind.INJECTION]
    said, failed = sorted(events, key=lambda event: "nonsense" in event.detail)  # a late start may begin both at once
    assert f"output: {built_store.target.database} / SELECT 1" in said.detail
    assert (said.is_fault, failed.label, failed.is_fault) == (True, "nonsense: failed", False)
    assert record.state is RunState.COMPLETED


def test_a_password_in_a_fault_is_refused_and_not_repeated(stage: Stage, built_store: BuiltStore) -> None:
    password = built_store.secret.reveal()
    faults = (parse_fault(f"T+0.4s run /bin/echo {password}"),)
    with pytest.raises(BadInput, match="a fault contains a password, and plans are stored") as refused:
        prepared(stage.conductor(replace(plan(built_store), faults=faults)))
    assert password not in str(refused.value)


def test_a_fault_that_can_not_be_done_is_refused_before_the_run(stage: Stage, built_store: BuiltStore) -> None:
    faults = (parse_fault("T+0.2s kill primary"),)
    with pytest.raises(BadInput, match="fault 'Kill primary': the run drives no embedded server"):
        prepared(stage.conductor(replace(plan(built_store), faults=faults)))


def test_marks_and_an_extension_are_in_the_library_while_the_run_goes_on(stage: Stage, built_store: BuiltStore) -> None:
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(built_store, minutes=10)))
    conductor.start([sink])
    wait_for_state(sink, RunState.MEASURING)
    planned_end = conductor.run.phases.measuring_to
    assert planned_end is not None

    conductor.run.extend(300)
    number = conductor.run.add_mark("Enclosure pulled")
    gone = conductor.run.add_mark("a slip of the finger")
    conductor.run.change_mark(number, label="Enclosure A pulled")
    conductor.run.remove_mark(gone)

    def labels() -> list[str]:
        events = stage.library.events(conductor.run_id)
        return [event.label for event in events if event.by_hand]

    wait_until(lambda: labels() == ["extended by 5 min", "Enclosure A pulled"], "both are in the library")
    assert stage.library.run(conductor.run_id).phases.measuring_to == planned_end + 300
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    conductor.finish()
    assert labels() == ["extended by 5 min", "Enclosure A pulled"]


def test_progress_on_an_embedded_store_has_the_planned_target(
    stage: Stage, embedded_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = Target(kind=EMBEDDED, database="never built")
    endpoint = Endpoint(embedded_server.target(planned.database), embedded_server.secret)
    monkeypatch.setattr(stage.targets, "resolve", lambda _: endpoint)

    with (
        pytest.raises(UserError, match="does not exist on the embedded server") as refused,
        stage.targets.store(planned, DVD_STORE) as store,
    ):
        store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    assert refused.value.remedy == Remedy(
        kind=RemedyKind.BUILD_STORE, target="embedded:///never%20built", workload=DVD_STORE
    )


def test_an_unknown_machine_is_refused_before_any_store_is_looked_at(stage: Stage) -> None:
    nowhere = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
    with pytest.raises(BadInput, match=r"machine is 'work-station', .*did you mean 'workstation'"):
        prepared(stage.conductor(RunPlan(targets=(nowhere,), machines=("work-station",))))
    with pytest.raises(BadInput, match=r"machine is 'load1', which is not in the inventory"):
        prepared(stage.conductor(RunPlan(targets=(nowhere,), load_machines=(LoadMachine("load1", 1),))))


def test_invalid_target_starts_nothing(stage: Stage) -> None:
    nowhere = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="me", tls="disable")
    conductor = stage.conductor(RunPlan(targets=(nowhere,)))

    with pytest.raises(UserError, match="refused the connection on port 1"):
        prepared(conductor)
    conductor.close()

    assert stage.library.runs() == []


def running(stage: Stage, store: BuiltStore) -> tuple[Conductor, Gathering]:
    """A run that places orders, and has no end of its own."""
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(store, minutes=0)))
    conductor.start([sink])
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0 and RunState.MEASURING in sink.states)
    return conductor, sink


def stopped(conductor: Conductor) -> RunRecord:
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    return conductor.finish()


def shared(stage: Stage, record: RunRecord) -> list[str]:
    return [event.label for event in stage.library.events(record.run_id) if event.kind is EventKind.STORE]


@pytest.fixture
def beating(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases with a short heartbeat interval, so that a change is noticed soon."""
    monkeypatch.setattr("engine.conduct.conductor.Claim", partial(Claim, heartbeat_seconds=0.1))


def test_a_store_is_leased_from_the_preparation_to_the_end_of_the_run(stage: Stage, built_store: BuiltStore) -> None:
    conductor, _ = running(stage, built_store)
    holder = holder_of(built_store.store)
    assert holder is not None
    purpose = f"run '{conductor.name}'"
    assert (holder.purpose, holder.program) == (purpose, "command line")
    other = stage.conductor(plan(built_store))
    with pytest.raises(UserError, match=rf"'driven' on 127\.0\.0\.1 is in use since .* \({re.escape(purpose)}\)"):
        prepared(other)
    with pytest.raises(UserError, match="is in use since"):
        other.reset_changed(report_progress=lambda _: None, cancelled=lambda: False)
    assert shared(stage, stopped(conductor)) == []
    assert holder_of(built_store.store) is None
    prepared(other)
    assert holder_of(built_store.store) is not None


def test_the_stores_of_a_run_are_leased_together_or_not_at_all(
    stage: Stage, built_store: BuiltStore, build_store: Callable[[str], BuiltStore]
) -> None:
    other = build_store("leased_too")
    holding = prepared(stage.conductor(plan(other)))
    with pytest.raises(UserError, match=r"'leased_too' on .* is in use"):
        prepared(stage.conductor(replace(plan(built_store), targets=(built_store.target, other.target))))
    assert holder_of(built_store.store) is None
    holding.close()


def test_failed_preparation_releases_the_leases(stage: Stage, built_store: BuiltStore) -> None:
    missing = built_store.target.with_database("not there")
    with pytest.raises(UserError, match="not there"):
        prepared(stage.conductor(replace(plan(built_store), targets=(built_store.target, missing))))
    assert holder_of(built_store.store) is None


def test_leases_are_kept_for_an_audit_that_follows(stage: Stage, built_store: BuiltStore) -> None:
    conductor, _ = running(stage, built_store)
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    conductor.finish(keeps_leases=True)
    assert holder_of(built_store.store) is not None
    conductor.close()
    assert holder_of(built_store.store) is None


@pytest.mark.usefixtures("beating")
def test_run_whose_store_was_reset_has_a_warning(stage: Stage, built_store: BuiltStore) -> None:
    conductor, sink = running(stage, built_store)
    built_store.store.reset(
        report_progress=lambda _: None, cancelled=lambda: False
    )  # as an older Spindle does, without a lease
    wait_until(lambda: bool(sink.events_of(EventKind.STORE)), "the reset was noticed while the run goes on")
    record = stopped(conductor)
    what = "database 'driven' on 127.0.0.1 was reset or replaced by others"
    assert shared(stage, record) == [what]
    assert record.totals is not None
    assert list(record.totals.shared_stores) == [what]
    assert f"D{what[1:]}; the figures of the run are not its own alone." in stage.said
    (warning,) = [each for each in run_warnings(*opened(stage, record)) if "not its own alone" in each]
    assert what in warning


def test_late_detected_reset_is_reported_at_the_end(stage: Stage, built_store: BuiltStore) -> None:
    conductor, sink = running(stage, built_store)
    built_store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    record = stopped(conductor)
    assert shared(stage, record) == ["database 'driven' on 127.0.0.1 was reset or replaced by others"]
    assert sink.events_of(EventKind.STORE) != []


def test_foreign_orders_are_reported_at_the_end(stage: Stage, built_store: BuiltStore) -> None:
    conductor, _ = running(stage, built_store)
    foreign = 10_000  # a stopped run may have orders of some seconds that no sample tells of, at most 200 in each
    with built_store.connect() as connection:
        connection.execute(
            "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount)"
            f" SELECT now(), 1, 1, 1, 2 FROM generate_series(1, {foreign})"
        )
    record = stopped(conductor)
    ((found, where),) = [
        re.fullmatch(r"database 'driven' on 127.0.0.1 holds (.+) orders that this run (.+)", label).groups()
        for label in shared(stage, record)
    ]
    assert where == "did not place"
    assert foreign - 10 <= int(found.replace("\u202f", "")) <= foreign + 10
    built_store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)


def test_completed_run_detects_a_few_foreign_orders(stage: Stage, built_store: BuiltStore) -> None:
    sink = Gathering()
    conductor = prepared(stage.conductor(plan(built_store, minutes=2 * SECOND)))
    conductor.start([sink])
    wait_for_orders(sink, lambda sink: sink.total("orders") > 0)
    with built_store.connect() as connection:
        connection.execute(
            "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount)"
            " SELECT now(), 1, 1, 1, 2 FROM generate_series(1, 25)"
        )
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    assert record.state is RunState.COMPLETED
    assert shared(stage, record) == ["database 'driven' on 127.0.0.1 holds 25 orders that this run did not place"]
    built_store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)


@pytest.mark.usefixtures("beating")
def test_broken_lease_is_an_event_without_user_in_documents(stage: Stage, built_store: BuiltStore) -> None:
    conductor, sink = running(stage, built_store)
    claim = Claim(purpose="reset", program="command line", user_name="anna", host_name="lab-ws2")
    with taken(Leases([StoreLease(built_store.store, claim, "the store", notify=print, breaks=True)])):
        wait_until(lambda: bool(sink.events_of(EventKind.STORE)), "the loss was noticed")
    wait_until(lambda: holder_of(built_store.store) is not None, "the run has its lease back")
    record = stopped(conductor)
    (event,) = [event for event in stage.library.events(record.run_id) if event.kind is EventKind.STORE]
    assert event.label == "the lease of database 'driven' on 127.0.0.1 was taken by others (reset)"
    assert "anna@lab-ws2" in event.detail


def opened(stage: Stage, record: RunRecord) -> tuple[RunRecord, RunData]:
    return open_run(stage.library, record.run_id, on_progress=lambda *_: None, cancelled=lambda: False)
