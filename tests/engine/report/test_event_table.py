import re

from engine.report.document import Column
from engine.report.event_table import MOST_LINES, event_table
from engine.target.target import Target
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.events import connections_lost
from tests.engine.report.reported import a_plan, a_reported_run
from tests.texts import plain


def event(at_seconds: float, kind: EventKind, label: str, **values: object) -> RunEvent:
    return RunEvent(at_seconds=at_seconds, kind=kind, label=label, **values)  # type: ignore[arg-type]


def rows_of(*events: RunEvent) -> list[tuple[str, ...]]:
    return list(event_table(a_reported_run(events=events).data).rows)


def test_events_stand_in_the_order_of_their_times() -> None:
    rows = rows_of(
        event(64.19, EventKind.WARNING, "node1, the primary, has ended"),
        event(3.0, EventKind.PHASE, "measuring"),
        event(3_661.99, EventKind.MARK, "Enclosure put back", by_hand=True),
    )
    assert rows == [
        ("0:00.0", "phase", "measuring"),
        ("1:01.1", "warning", "node1, the primary, has ended"),
        ("1:00:58.9", "mark", "Enclosure put back"),
    ]
    assert event_table(a_reported_run().data).columns[0] == Column(title="At", is_number=True)


def test_injection_has_its_times_without_its_user() -> None:
    detail = (
        "by petra; /home/petra/pull.sh --bay 5; asked 2026-11-21T11:34:29.085Z; began 2026-11-21T11:34:29.086Z;"
        " done 2026-11-21T11:34:29.273Z; output: pulled by petra"
    )
    ((_, kind, text),) = rows_of(event(64, EventKind.INJECTION, "Kill primary", detail=detail, is_fault=True))
    assert kind == "injection"
    assert text == "Kill primary (asked 11:34:29.085, began 11:34:29.086, done 11:34:29.273 UTC)"


def test_errors_are_redacted() -> None:
    plan = a_plan(targets=(Target.parse("postgresql://telling_name@db1/shop")[0],))
    lost = event(5, EventKind.TARGET_ERROR, 'rejected: no entry for user "telling_name" in /etc/pg/hba.conf', client=1)
    ((_, _, text),) = event_table(a_reported_run(plan=plan, events=(lost,)).data).rows
    assert text.endswith("error, rejected: no entry for user … in …")


def test_lasting_event_has_its_duration() -> None:
    lost = [connections_lost(5 + late, 4, 1, number=number) for number, late in enumerate((0.0, 1.5), start=1)]
    ((_, _, text),) = rows_of(*lost)
    assert plain(text).endswith("connection lost ×8, over 1.5 s")


def test_a_long_log_says_what_it_leaves_out() -> None:
    marks = [event(number, EventKind.MARK, f"mark {number}") for number in range(MOST_LINES + 3)]
    table = event_table(a_reported_run(events=marks).data)
    assert len(table.rows) == MOST_LINES
    assert re.search(r"3 later lines are left out", plain(table.note))
