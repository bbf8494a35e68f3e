"""`spindle library list --tree`."""

from app.cli.library_tree import tree_lines
from engine.record.record import RunState
from tests.app.runs import a_run


def test_a_set_is_one_though_a_stopped_run_of_its_campaign_lies_between_its_runs() -> None:
    first, stopped, again = (
        a_run(minutes_later=minutes, name=name, campaign="Night", run_set=run_set, state=state)
        for minutes, name, run_set, state in (
            (0, "first", "Night, step 1", RunState.COMPLETED),
            (5, "cut off", "", RunState.STOPPED),
            (9, "again", "Night, step 1", RunState.COMPLETED),
        )
    )
    lines = list(tree_lines([again, stopped, first]))
    named = [line.split("  ·  ")[0].split("  ")[-1].strip() for line in lines]
    assert named == ["Night", "Night, step 1", "first", "again", "cut off"]
    assert sum(line.endswith("median") for line in lines) == 1
    assert "set of 2 runs" in lines[1]
