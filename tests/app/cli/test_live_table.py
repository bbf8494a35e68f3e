import io
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from app.cli.live_table import LiveTable
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import PHASES, SECONDS, a_sample


def a_console(*, width: int = 100, height: int = 30, terminal: bool = True) -> Console:
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=width, height=height, color_system=None, markup=False
    )


def a_table(console: Console, *, clients: int = 2) -> LiveTable:
    table = LiveTable(RunPlan(clients=clients, threads=8), console)
    table.begin(datetime(2026, 11, 21, tzinfo=UTC))
    return table


def fill(table: LiveTable, *, clients: int, seconds: int = SECONDS) -> None:
    for second in range(seconds):
        for client in range(1, clients + 1):
            table.write_sample(a_sample(client, second))


def drawn(table: LiveTable, console: Console) -> list[str]:
    table.refresh()
    with console.capture() as captured:
        console.print(table.drawn())
    return captured.get().removesuffix("\n").split("\n")


def an_event(number: int, *, client: int | None = 1) -> RunEvent:
    return RunEvent(
        number=number + 1,
        at_seconds=4.5 + number,
        kind=EventKind.CONNECTION_LOST,
        label=f"lost [/b] {number}",
        client=client,
        detail="gone\nfor good",
    )


def test_live_table_has_a_line_for_intended_times_with_think_time() -> None:
    console = a_console()
    table = LiveTable(RunPlan(clients=1, threads=8, think_time_ms=20), console)
    late = pack({bucket_of(2_000_000): 9})
    for second in range(SECONDS):
        table.write_sample(replace(a_sample(1, second), overdue=late))
    text = "\n".join(drawn(table, console))
    assert "service     mean      4.0   p95      4.0   p99      4.0 ms" in text
    lines = [re.split(" +", line.strip(" ")) for line in text.splitlines()]
    assert ["as", "intended", "p95", "2\u202f000.0", "p99", "2\u202f000.0", "ms"] in lines


def test_live_table_has_state_rates_times_users_and_clients() -> None:
    console = a_console()
    table = a_table(console)
    fill(table, clients=2)
    table.set_state(RunState.MEASURING, Phases(warming_up_from=1, measuring_from=3, measuring_to=63))
    text = "\n".join(drawn(table, console))
    for word in (
        "MEASURING   0:06 of 1:00, 0:54 left",
        "running     1\u202f620   now     1\u202f920",
        "mean      4.0   p95      4.0   p99      4.0 ms",
        "working     6   thinking    10   reconnecting     0   down     0",
        "rollbacks   7.41 %",
        "errors      none",
        "ds2 #1 ",
        "ds2 #2 ",
        "total ",
    ):
        assert word in text


@pytest.mark.parametrize(
    ("state", "phases", "expected"),
    [
        (RunState.PREPARING, Phases(), "0:09 since the start"),
        (RunState.RAMPING, Phases(), "0:09, 16 of 16 users connected"),
        (RunState.WARMING_UP, Phases(warming_up_from=1, measuring_from=61), "0:08 of 1:00, 0:52 left"),
        (RunState.MEASURING, Phases(warming_up_from=1, measuring_from=3), "0:06, until Ctrl-C"),
        (RunState.COMPLETED, PHASES, "0:09 since the start"),
    ],
)
def test_live_table_shows_progress_of_the_phase(state: RunState, phases: Phases, expected: str) -> None:
    console = a_console()
    table = a_table(console)
    fill(table, clients=2)
    table.set_state(state, phases)
    head = drawn(table, console)[0]
    assert head.split(maxsplit=0)[0].startswith(state.value.upper())
    assert expected in head


@pytest.mark.parametrize(("width", "height"), [(100, 30), (80, 24), (120, 45)])
@pytest.mark.parametrize("clients", [1, 2, 24, 200])
def test_live_table_fits_the_terminal_and_keeps_its_layout(clients: int, width: int, height: int) -> None:
    console = a_console(width=width, height=height)
    table = a_table(console, clients=clients)
    table.set_state(RunState.MEASURING, PHASES)
    empty = drawn(table, console)
    fill(table, clients=clients)
    for number in range(20):
        table.write_event(an_event(number))
    full = drawn(table, console)
    assert len(empty) == len(full) < height
    assert max(map(len, full)) <= width
    assert max(i for i, line in enumerate(empty) if line.startswith("ds2")) == max(
        i for i, line in enumerate(full) if line.startswith("ds2") and "lost" not in line
    )
    assert "lost [/b] 19 (gone for good)" in full[-1]
    if clients > 1:
        assert any(line.startswith("total") for line in full)


def test_changed_event_is_updated_in_place_and_can_be_withdrawn() -> None:
    console = a_console()
    table = a_table(console)
    for number in range(3):
        table.write_event(an_event(number))
    table.write_event(replace(an_event(0), label="found again"))
    table.remove_event(an_event(1).number)

    expected = [line for line in drawn(table, console) if "gone for good" in line]

    assert ["found again" in line for line in expected] == [True, False]
    assert "lost [/b] 2" in expected[1]


def test_small_terminal_shows_number_of_hidden_clients() -> None:
    console = a_console(height=30)
    table = a_table(console, clients=24)
    lines = drawn(table, console)
    rows = sum(line.startswith("ds2 #") for line in lines)
    assert 10 < rows < 24
    assert f"… and {24 - rows} more clients; enlarge the terminal to see them" in lines


def test_narrow_terminal_keeps_the_most_important_columns() -> None:
    console = a_console(width=80)
    table = a_table(console)
    fill(table, clients=2)
    text = "\n".join(drawn(table, console))
    assert "OPM running" in text
    assert "p95 ms" in text
    assert "rollback %" not in text


def test_finished_table_reserves_no_space_for_events() -> None:
    console = a_console()
    table = a_table(console)
    fill(table, clients=2)
    table.set_state(RunState.COMPLETED, PHASES)
    assert drawn(table, console)[-1].startswith("total")


def test_label_markup_is_not_interpreted() -> None:
    console = a_console()
    target = RunPlan().targets[0].with_label("node [/b] one")
    table = LiveTable(RunPlan(targets=(target,)), console)
    table.write_sample(a_sample(1, 0))
    assert any("node [/b] one" in line for line in drawn(table, console))


def test_terminal_output_is_redrawn_in_place() -> None:
    console = a_console()
    with a_table(console) as table:
        fill(table, clients=2)
        table.refresh()
        table.refresh()
    assert isinstance(console.file, io.StringIO)
    written = console.file.getvalue()
    assert written.count("OPM running") == 3  # twice, and once more as it stands at the end
    assert "\x1b[1A" in written


def test_pipe_output_has_periodic_lines_and_a_line_for_each_event() -> None:
    console = a_console(terminal=False, width=80)
    with a_table(console) as table:
        table.set_state(RunState.MEASURING, Phases(warming_up_from=1, measuring_from=3, measuring_to=63))
        table.write_event(an_event(0))
        table.refresh()
        fill(table, clients=2, seconds=10)
        table.refresh()
        table.refresh()
    assert isinstance(console.file, io.StringIO)
    event, line = console.file.getvalue().splitlines()
    assert event.strip() == "0:01.5  ds2 #1: lost [/b] 0 (gone for good)"
    assert line.startswith("measuring 0:07 of 1:00, 0:53 left: OPM running ")
    assert line.endswith("errors 0, users 6 working, 10 thinking")


def test_the_last_line_of_pipe_output_has_no_figures_of_the_moment() -> None:
    console = a_console(terminal=False)
    with a_table(console) as table:
        fill(table, clients=2, seconds=10)
        table.set_state(RunState.COMPLETED, PHASES)
        table.refresh()
    assert isinstance(console.file, io.StringIO)
    last = console.file.getvalue().splitlines()[-1]
    assert last.startswith("completed 0:10 since the start: OPM running ")
    assert last.endswith(" ms, errors 0")
    assert " now " not in last


def test_pipe_output_limits_repeated_warnings_and_prints_the_last_one_at_the_end() -> None:
    console = a_console(terminal=False)
    warning = replace(an_event(0, client=None), kind=EventKind.WARNING, detail="")
    with a_table(console, clients=1) as table:
        for late_ms in (12, 15, 20, 25):
            table.write_event(replace(warning, label=f"{late_ms} ms late"))
            table.refresh()
        fill(table, clients=1, seconds=12)
        table.refresh()
        table.refresh()
        table.write_event(replace(warning, label="it was up to 30 ms late"))
        table.refresh()
    assert isinstance(console.file, io.StringIO)
    first, again, line, last = console.file.getvalue().splitlines()
    assert [text.strip() for text in (first, again, last)] == [
        "start+0:04.5  12 ms late",
        "start+0:04.5  25 ms late",
        "start+0:04.5  it was up to 30 ms late",
    ]
    assert "OPM" in line


def test_pipe_output_prints_changed_events_at_once_and_omits_withdrawn_ones() -> None:
    console = a_console(terminal=False)
    assert isinstance(console.file, io.StringIO)
    warning = replace(an_event(1, client=None), kind=EventKind.WARNING, detail="")
    with a_table(console, clients=1) as table:
        for event in (an_event(0), replace(an_event(0), label="found again"), warning, warning):
            table.write_event(event)
        table.refresh()
        assert len(console.file.getvalue().splitlines()) == 3
        table.write_event(replace(warning, label="worse"))
        table.refresh()
        table.remove_event(warning.number)
        table.refresh()
    assert len(console.file.getvalue().splitlines()) == 3
