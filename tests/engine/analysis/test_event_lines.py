"""The lines of the event log: what belongs together is one line, and nothing gets lost in it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.event_lines import GROUPED_SECONDS, LONGEST_GROUP_SECONDS, EventLine, event_lines
from engine.analysis.run_data import RunData
from engine.record.record import RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from tests.doubles.live_runs import a_live_run, a_mark, a_plan
from tests.engine.events import connections_lost, limit, server_error

LOST = EventKind.CONNECTION_LOST


def an_event(number: int, at_seconds: float, kind: EventKind, label: str, client: int | None) -> RunEvent:
    """An event with the data that the driver gives one of this kind."""
    if kind is LOST:
        return connections_lost(at_seconds, int(label), client or 0, number=number)
    if kind is EventKind.TARGET_ERROR:
        error_class, text = label.split(": ")
        return server_error(at_seconds, error_class, text, client or 0, number=number)
    return RunEvent(number=number, at_seconds=at_seconds, kind=kind, label=label, client=client)


def lines_of(*events: tuple[float, EventKind, str, int | None], clients: int = 4) -> list[EventLine]:
    run = RunData(a_plan(clients))
    for number, (at_seconds, kind, label, client) in enumerate(events, start=1):
        run.put_event(an_event(number, at_seconds, kind, label, client))
    return event_lines(run)


def test_simultaneous_lost_connections_are_one_line() -> None:
    lines = lines_of((5.0, LOST, "20", 3), (6.0, LOST, "12", 3))
    assert [line.text for line in lines] == ["ds2_3: connection lost ×32"]
    assert (lines[0].at_seconds, lines[0].until_seconds, lines[0].number) == (5.0, 6.0, 1)


def test_what_lasted_when_a_run_broke_off_is_in_the_past() -> None:
    run = RunData(a_plan(4))
    run.put_event(limit(5.0, EventCode.WORKSTATION_DISTORTION, "a heartbeat came 84 ms late (p99)", number=1))
    assert next(line.text for line in event_lines(run)).startswith("the workstation distorts the run: ")
    run.set_state(RunState.INTERRUPTED, run.phases)
    assert next(line.text for line in event_lines(run)).startswith("the workstation distorted the run: ")


def test_a_figure_and_its_unit_stay_in_one_line() -> None:
    how = "the clients use 96 % of its processors, a heartbeat comes 84 ms late, 3 servers wait"
    (line,) = lines_of((5.0, EventKind.WARNING, how, None))
    assert line.text == how.replace(" %", "\u202f%").replace(" ms", "\u202fms")


def test_a_single_connection_has_no_count() -> None:
    assert [line.text for line in lines_of((5.0, LOST, "1", 3))] == ["ds2_3: connection lost"]


def test_lost_connections_at_different_times_are_two_lines() -> None:
    lines = lines_of((5.0, LOST, "20", 3), (5.0 + GROUPED_SECONDS + 0.1, LOST, "2", 3))
    assert [line.count for line in lines] == [20, 2]


def test_several_clients_are_counted_and_named_in_the_detail() -> None:
    lines = lines_of((5.0, LOST, "20", 3), (5.2, LOST, "4", 1))
    assert [line.text for line in lines] == ["2 clients: connection lost ×24"]
    assert lines[0].clients == (1, 3)
    assert lines[0].detail == "ds2_1, ds2_3"


def test_line_of_all_clients_says_all() -> None:
    back = [(5.0 + number, EventKind.CONNECTION_BACK, "all users connected again", number) for number in (1, 2)]
    assert [line.text for line in lines_of(*back, clients=2)] == ["all clients: all users connected again"]


def test_first_error_of_each_class_has_a_line() -> None:
    lines = lines_of(
        (5.0, EventKind.TARGET_ERROR, "timeout: statement 1", 1),
        (50.0, EventKind.TARGET_ERROR, "timeout: statement 2", 1),
        (50.0, EventKind.TARGET_ERROR, "deadlock: statement 2", 1),
        (90.0, EventKind.TARGET_ERROR, "timeout: statement 3", 2),
    )
    assert [line.text for line in lines] == [
        "ds2_1: error, timeout: statement 1",
        "ds2_1: error, deadlock: statement 2",
        "ds2_2: error, timeout: statement 3",
    ]


def test_a_lost_client_is_named_once() -> None:
    lines = lines_of((5.0, EventKind.CLIENT_LOST, "client ds2_2 lost", 2))
    assert [line.text for line in lines] == ["client ds2_2 lost"]


def test_marks_are_never_grouped() -> None:
    run = RunData(a_plan())
    for number in (1, 2):
        run.put_event(a_mark(number, 5.0, "Failover"))
    assert [(line.number, line.text, line.is_mark) for line in event_lines(run)] == [
        (1, "Failover", True),
        (2, "Failover", True),
    ]


def test_lines_of_a_whole_run() -> None:
    assert [line.text for line in event_lines(a_live_run(4, 450))] == [
        "ramping",
        "warming up",
        "measuring",
        "Enclosure pulled",
        "all clients: connection lost ×128",
        "all clients: error, connection lost: the server closed the connection unexpectedly",
        "all clients: all users connected again",
        "Restored",
        "client ds2_2 lost",
    ]


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(1, 4), st.integers(1, 32)), max_size=60))
def test_grouped_counts_add_up_to_all_lost_connections(losses: list[tuple[float, int, int]]) -> None:
    lines = lines_of(*((at, LOST, str(count), client) for at, client, count in losses))
    assert sum(line.count for line in lines) == sum(count for _, _, count in losses)
    assert all(line.until_seconds - line.at_seconds <= LONGEST_GROUP_SECONDS for line in lines)
    assert [line.at_seconds for line in lines] == sorted(line.at_seconds for line in lines)
