"""Campaigns in a simulated world: what is done in which order, what failures do, and every moment of a kill."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.campaign.events import CampaignCode, CampaignEvent, sentence_of
from engine.campaign.journal import CampaignState, EntryState
from engine.conduct.campaign.stopping import Stopping
from engine.errors import UserError
from engine.library.campaigns import CampaignJournal
from engine.library.library import Library
from engine.record.record import RunState
from tests.engine.campaign.examples import campaign, cycle, search, sweep
from tests.engine.conduct.campaign.simulated import Killed, World, executor

ALL_KINDS = (cycle(2), sweep(threads=[3, 4]), {"kind": "run", "repeat": 2}, search(to=16))
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("campaigns") / "library.sqlite", notify=print) as opened:
        yield opened


def begun(library: Library, *steps: dict) -> CampaignJournal:
    return library.campaigns.begin(campaign(*steps, name=f"campaign {next(_numbers)}"))


def states(journal: CampaignJournal) -> list[tuple[str, EntryState]]:
    return [(entry.kind, entry.state) for entry in journal.entries()]


def test_a_cycle_does_its_steps_in_order_and_its_runs_are_one_set(library: Library) -> None:
    journal, world = begun(library, cycle(3)), World()
    assert executor(journal, world).carry_out() == (CampaignState.COMPLETED, "")
    assert world.log == ["reset", "act", "began", "completed"] * 3
    assert list(map(len, world.sets.values())) == [3]
    assert world.now == 3 * 30.0
    assert {state for _, state in states(journal)} == {EntryState.DONE}


def test_titles_say_where_in_the_campaign_a_step_is(library: Library) -> None:
    journal = begun(library, {"kind": "sweep", "over": {"threads": [3]}, "repeat": 2, "steps": [{"kind": "run"}]})
    executor(journal, World()).carry_out()
    assert [entry.title for entry in journal.entries()] == [
        "users per client 3, round 1 of 2: Run 1 of 2", "users per client 3, round 2 of 2: Run 2 of 2",
    ]  # fmt: skip


def test_a_search_measures_until_it_has_its_answer(library: Library) -> None:
    journal, world = begun(library, search(to=64)), World(holds_up_to=11)
    executor(journal, world).carry_out()
    assert list(world.threads.values()) == [1, 2, 4, 8, 16, 12, 10, 11]
    (last,) = [entry for entry in journal.entries() if entry.path == "1"]
    assert last.reason == "Users per client: 11 holds p95_ms <= 20. 12 misses it: p95_ms is 30."
    assert (last.data["highest"], last.data["bound"], last.data["is_certain"]) == (11, 12, True)


def test_a_point_that_cannot_be_judged_is_measured_as_often_as_it_may(library: Library) -> None:
    journal, world = begun(library, search(to=2, tries=3, steps=[{"kind": "run", "at_failure": "continue"}])), World()
    world.fails = lambda unit: True
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert len(world.runs) == 3
    assert journal.entries()[-1].reason == (
        "Users per client: 1, the lowest, can't be judged: none of its runs counts."
    )


def test_a_server_that_does_not_come_back_stops_the_campaign(library: Library) -> None:
    journal, world = begun(library, cycle(2)), World()
    world.is_up_after = 1_000.0
    state, reason = executor(journal, world).carry_out()
    assert state is CampaignState.FAILED
    assert reason == (
        "round 1 of 2: Wait for port 127.0.0.1:1, at most 30 s: port 127.0.0.1:1 was not met by the deadline of 30 s:"
        " it is down."
    )
    assert world.log == ["reset", "act"]

    world.is_up_after = 0.0
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert world.log == ["reset", "act", *["began", "completed", "reset", "act"], "began", "completed"]


def test_a_server_that_does_not_come_back_leaves_out_the_round(library: Library) -> None:
    wait = {"kind": "wait", "for": "sql", "deadline_seconds": 30, "at_deadline": "skip"}
    steps = [{"kind": "reset"}, wait, {"kind": "run"}]
    journal, world = begun(library, {"kind": "cycle", "repeat": 3, "steps": steps}), World()
    world.is_up_after = 20.0
    world.now = -20.0
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert [state for _, state in states(journal)] == [
        EntryState.DONE, EntryState.FAILED, EntryState.SKIPPED, *[EntryState.DONE] * 6,
    ]  # fmt: skip
    assert world.log == ["reset", *["reset", "began", "completed"] * 2]


def test_a_failed_step_may_be_passed_over(library: Library) -> None:
    journal, world = begun(library, {"kind": "reset", "at_failure": "continue"}, {"kind": "run"}), World()
    world.reset_error = UserError("database 'ds2' is in use; wait.")
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert [(entry.state, entry.reason) for entry in journal.entries()] == [
        (EntryState.FAILED, "database 'ds2' is in use; wait."), (EntryState.DONE, ""),
    ]  # fmt: skip


def test_an_error_of_spindles_own_fails_the_step_and_stops_the_campaign(library: Library) -> None:
    journal, world = begun(library, {"kind": "reset"}, {"kind": "run"}), World()
    world.reset_error = ZeroDivisionError("oops")
    state, reason = executor(journal, world).carry_out()
    assert (state, reason) == (CampaignState.FAILED, "Reset the stores: Spindle itself failed: ZeroDivisionError.")
    assert world.runs == {}


def test_a_stop_ends_the_run_and_the_campaign_and_it_is_resumed(library: Library) -> None:
    journal, world, stopping = begun(library, cycle(2)), World(), Stopping()

    def stop_at_the_run(event: CampaignEvent) -> None:
        if event.code is CampaignCode.RUN_BEGAN:
            stopping.ask()

    state, _ = executor(journal, world, on_event=stop_at_the_run, stopping=stopping).carry_out()
    assert state is CampaignState.STOPPED
    assert journal.entries()[-1].state is EntryState.STOPPED
    assert list(world.runs.values()) == [RunState.STOPPED]

    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert world.log == [*["reset", "act", "began"], *["reset", "act", "began", "completed"] * 2]
    assert journal.record().again()[0].title == "round 1 of 2: Reset the stores"


def test_a_stop_requested_by_another_program_takes_effect(library: Library) -> None:
    journal, world = begun(library, {"kind": "idle", "minutes": 60}), World()

    def ask(event: CampaignEvent) -> None:
        if event.code is CampaignCode.STEP_BEGAN:
            library.campaigns.request_stop(journal.record().name)

    assert executor(journal, world, on_event=ask).carry_out()[0] is CampaignState.STOPPED
    assert world.now < 10


def test_idle_watts_are_in_the_journal(library: Library) -> None:
    journal, events = begun(library, {"kind": "idle", "minutes": 5, "watts_of": ["server", "storage"]}), []
    executor(journal, World(), on_event=events.append).carry_out()
    (entry,) = journal.entries()
    assert entry.title == "Idle for 5 min, and measure the watts of server and storage"
    assert entry.reason == "Idle: server 181.0 W, storage 181.0 W; together 362.0 W."
    assert [each["mean_watts"] for each in entry.data["watts"]] == [181.0, 181.0]
    assert sentence_of(events[-2]) == f"{entry.title}: done: {entry.reason}"


def test_events_say_what_happens_with_what_is_left(library: Library) -> None:
    journal, events = begun(library, {"kind": "idle", "minutes": 0.05}), []
    executor(journal, World(), on_event=events.append).carry_out()
    assert [event.code for event in events] == [
        CampaignCode.BEGAN, CampaignCode.STEP_BEGAN, *[CampaignCode.STEP_PROGRESS] * 3, CampaignCode.STEP_ENDED,
        CampaignCode.ENDED,
    ]  # fmt: skip
    left = [event.data["left_seconds"] for event in events if event.code is CampaignCode.STEP_PROGRESS]
    assert left == [3.0, 2.0, 1.0]
    assert [sentence_of(event) for event in events][-2:] == ["Idle for 3 s: done.", "the campaign is completed."]


def test_a_library_that_is_locked_for_a_while_is_waited_for(library: Library) -> None:
    journal, world = begun(library, {"kind": "reset"}, {"kind": "run"}), World()
    world.locked_until = 40.0
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert 40.0 <= world.now < 60.0


def test_a_library_that_stays_locked_ends_the_campaign_which_is_resumed(library: Library) -> None:
    journal, world = begun(library, {"kind": "reset"}, {"kind": "run"}), World()

    def lock(event: CampaignEvent) -> None:
        if event.code is CampaignCode.RUN_BEGAN:
            world.locked_until = world.now + 1_000.0

    state, reason = executor(journal, world, on_event=lock).carry_out()
    assert state is CampaignState.FAILED
    assert reason.startswith("The journal can't be written: the library is locked by another program")
    assert [each.state for each in journal.entries()] == [EntryState.DONE, EntryState.RUNNING]

    world.locked_until = 0.0
    assert executor(journal, world).carry_out()[0] is CampaignState.COMPLETED
    assert list(world.runs.values()) == [RunState.COMPLETED]


def killed_and_resumed(journal: CampaignJournal, world: World, moments: list[int]) -> None:
    """Kill the campaign at each of the moments, counted from its last resumption, and let it end at last."""
    for moment in moments:
        try:
            executor(journal, world, dies_at=moment).carry_out()
        except Killed:
            continue
    assert executor(journal, world).carry_out() == (CampaignState.COMPLETED, "")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=15)
@given(st.lists(st.integers(0, 120), min_size=1, max_size=5))
def test_a_campaign_that_is_killed_at_any_moments_comes_to_the_same_tree(library: Library, moments: list[int]) -> None:
    undisturbed, whole = World(holds_up_to=5), begun(library, *ALL_KINDS)
    executor(whole, undisturbed).carry_out()
    world, journal = World(holds_up_to=5), begun(library, *ALL_KINDS)

    killed_and_resumed(journal, world, moments)

    assert {place: len(runs) for place, runs in world.sets.items()} == {
        place: len(runs) for place, runs in undisturbed.sets.items()
    }
    completed = [run_id for run_id, state in world.runs.items() if state is RunState.COMPLETED]
    assert sorted(completed) == sorted(run_id for runs in world.sets.values() for run_id in runs)
    searched = [entry.reason for entry in journal.entries() if entry.path == "4"]
    assert searched == ["Users per client: 5 holds p95_ms <= 20. 6 misses it: p95_ms is 30."]
    assert len(world.runs) - len(completed) <= len(moments)


@pytest.mark.parametrize("moment", range(60))
def test_an_interrupted_run_is_prepared_again(library: Library, moment: int) -> None:
    journal, world = begun(library, cycle(2)), World()
    killed_and_resumed(journal, world, [moment])
    since_the_last_run: list[str] = []
    for done in world.log:
        if done == "began":
            assert {"reset", "act"} <= set(since_the_last_run)
            since_the_last_run = []
        elif done != "completed":
            since_the_last_run.append(done)
    assert all(entry.state is not EntryState.RUNNING for entry in journal.entries())
