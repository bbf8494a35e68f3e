import json
from pathlib import Path

import pytest

from engine.record.record import RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.app.calling import in_terminal, without_styles
from tests.app.conftest import Spindle
from tests.app.runs import EVENTS, a_run, keep

LONG = "a name that is so long that no terminal shows it in one line [/b] " * 5


def test_list_in_a_pipe_is_not_truncated(spindle: Spindle, home: Path) -> None:
    record = a_run(name=LONG.strip(), tags=("nightly", "db1"))
    keep(home, record)
    code, out, err = spindle("library", "list")
    assert (code, err) == (0, "")
    row = out.splitlines()[-1]
    for cell in (record.run_id, "completed", LONG.strip(), "100MB", "2×8", "20", "1\u202f620", "4.0", "db1, nightly"):
        assert cell in row


@pytest.mark.parametrize("columns", [80, 100, 120, 160])
def test_list_fits_the_terminal_with_complete_ids(home: Path, columns: int) -> None:
    records = [
        a_run(
            name=LONG, tags=("nightly", "a-long-tag-without-a-space"), state=RunState.INTERRUPTED, minutes_later=number
        )
        for number in range(3)
    ]
    keep(home, *records)
    code, shown = in_terminal("library", "list", columns=columns)
    assert code == 0
    lines = without_styles(shown)
    assert max(map(len, lines)) <= columns
    for record in records:
        assert any(record.run_id in line and "interrupted" in line and "1\u202f620" in line for line in lines)
    assert "…" not in shown


def test_list_is_newest_first_and_limited(spindle: Spindle, home: Path) -> None:
    records = [a_run(minutes_later=number) for number in range(3)]
    keep(home, *records)
    listed = json.loads(spindle("library", "list", "--json", "--limit", "2").out)
    assert [each["run_id"] for each in listed] == [records[2].run_id, records[1].run_id]


def test_list_filters_by_text_tag_and_state(spindle: Spindle, home: Path) -> None:
    keep(
        home,
        a_run(name="before", tags=("db1",)),
        a_run(name="after", tags=("db1", "nightly"), minutes_later=1),
        a_run(name="broken", state=RunState.FAILED, totals=None, minutes_later=2),
    )

    def names(*options: str) -> list[str]:
        return [each["name"] for each in json.loads(spindle("library", "list", "--json", *options).out)]

    assert names("--tag", "db1", "--tag", "nightly") == ["after"]
    assert names("--text", "BEF") == ["before"]
    assert names("--state", "failed", "--state", "stopped") == ["broken"]
    assert spindle("library", "list", "--text", "zebra").err == "spindle: no matching run in the library.\n"


def test_empty_library_names_the_demo_command(spindle: Spindle) -> None:
    code, out, err = spindle("library", "list")
    assert (code, out) == (0, "")
    assert err == "spindle: the library is empty; spindle demo makes a first run.\n"
    assert spindle("library", "list", "--json").out == "[]\n"


def test_show_prints_result_plan_and_events(spindle: Spindle, home: Path) -> None:
    record = a_run(note="a note", failure="it broke [/b]")
    keep(home, record)
    code, out, err = spindle("library", "show", record.run_id[:13])
    assert (code, err) == (0, "")
    for text in (record.run_id, "1\u202f620", "a note", "it broke [/b]", "8 users", EVENTS[1].label):
        assert text in out


def test_show_as_json_holds_everything(spindle: Spindle, home: Path) -> None:
    record = a_run()
    keep(home, record)
    shown = json.loads(spindle("library", "show", "last", "--json").out)
    assert shown["opm"] == 1620
    assert [event["label"] for event in shown["events"]] == [event.label for event in EVENTS]


PULLED = RunEvent(at_seconds=3.0, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True, number=1)


def test_show_prints_the_recovery_of_each_fault(spindle: Spindle, home: Path) -> None:
    keep(home, a_run(), events=(*EVENTS, PULLED))
    code, out, err = spindle("library", "show", "last")
    assert (code, err) == (0, "")
    table, _, sentences = out.partition("\nEnclosure pulled\n  ")
    assert "black-out" in table
    assert "Enclosure pulled" in table
    assert "baseline" in sentences


def test_show_uses_the_given_recovery_settings(spindle: Spindle, home: Path) -> None:
    keep(home, a_run(), events=(*EVENTS, PULLED))
    judged = ("--judge", "threshold_pct=90", "--judge", "hold_seconds=3")
    [fault] = json.loads(spindle("library", "show", "last", "--json", *judged).out)["faults"]
    settings = fault["recovery"]["settings"]
    assert (settings["threshold_pct"], settings["hold_seconds"]) == (90.0, 3)


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ("threshold", "--judge is 'threshold'; write it as NAME=NUMBER"),
        ("threshold_pct=much", "--judge is 'threshold_pct=much'; write it as NAME=NUMBER"),
        ("patience=3", "recovery key 'patience' is not known"),
        ("hold_seconds=900", "hold_seconds is 900; give whole seconds 1 to 60 s"),
    ],
)
def test_invalid_recovery_settings_are_rejected(spindle: Spindle, judged: str, expected: str) -> None:
    code, _, err = spindle("library", "show", "last", "--judge", judged)
    assert code == 2
    assert expected in err


def test_show_prints_limitations(spindle: Spindle, home: Path) -> None:
    keep(home, a_run())
    code, out, _ = spindle("library", "show", "last")
    assert code == 0
    assert "\nwarning    Steady state not assessed: only" in out
