"""The word that a client's state is: from its newest sample, its events and the state of the run."""

from typing import Any

import pytest

from engine.analysis.client_state import SILENT_AFTER_SECONDS, STALLED_AFTER_SECONDS, ClientState, client_conditions
from engine.analysis.run_data import RunData
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.doubles.live_runs import a_plan
from tests.doubles.samples import dvd_sample

USERS = 32


def a_run(*samples: Sample, state: RunState = RunState.MEASURING, clients: int = 2) -> RunData:
    run = RunData(a_plan(clients))
    for sample in samples:
        run.add(sample)
    run.set_state(state, Phases())
    return run


def word(run: RunData, client: int = 1) -> str:
    return client_conditions(run)[client].word


def tell(run: RunData, kind: EventKind, client: int = 1) -> None:
    run.put_event(RunEvent(number=1, at_seconds=1, kind=kind, label="it ended", client=client))


@pytest.mark.parametrize("state", [RunState.PREPARING, RunState.RAMPING])
def test_client_without_samples_is_connecting(state: RunState) -> None:
    assert word(a_run(state=state)) == "connecting"


def test_unconnected_users_in_the_ramp_are_connecting() -> None:
    ramping = a_run(dvd_sample(client=1, second=0, thinking=5, down=27), state=RunState.RAMPING)
    assert word(ramping) == "connecting"
    assert word(a_run(dvd_sample(client=1, second=0, thinking=5, down=27))) == "down 27"


def test_all_users_connected_is_ok() -> None:
    assert word(a_run(dvd_sample(client=1, second=0, working=30, thinking=2))) == "ok"


def test_some_users_reconnecting_are_counted() -> None:
    assert word(a_run(dvd_sample(client=1, second=0, working=20, reconnecting=12))) == "reconnecting 12"


@pytest.mark.parametrize("users", [{"reconnecting": USERS}, {"down": USERS}, {"reconnecting": 30, "down": 2}])
def test_no_user_connected_is_down(users: dict[str, int]) -> None:
    assert word(a_run(dvd_sample(client=1, second=0, **users))) == "down"


@pytest.mark.parametrize(
    ("among", "expected"),
    [
        ({"working": USERS}, "stalled"),
        ({"working": USERS, "orders": 1}, "ok"),
        ({"working": USERS, "steps": {"logins": b""}, "logins": 1}, "ok"),
        ({"working": USERS - 1, "thinking": 1}, "ok"),
        ({"working": USERS - 1, "reconnecting": 1}, "ok"),
    ],
)
@pytest.mark.parametrize("back", range(STALLED_AFTER_SECONDS))
def test_no_answer_while_all_users_wait_is_a_stall(back: int, among: dict[str, Any], expected: str) -> None:
    seconds = range(5, 6 + STALLED_AFTER_SECONDS)
    waiting = {second: {"working": USERS} for second in seconds} | {seconds[-1] - back: among}
    before = dvd_sample(client=1, second=4, working=USERS, orders=9)
    run = a_run(before, *(dvd_sample(client=1, second=second, **waiting[second]) for second in seconds))
    is_now = back == 0 and "reconnecting" in among
    assert word(run) == ("reconnecting 1" if is_now else expected)


def test_users_that_wait_for_less_than_that_are_ok() -> None:
    samples = [dvd_sample(client=1, second=second, working=USERS) for second in range(STALLED_AFTER_SECONDS + 1)]
    assert word(a_run(*samples[:-1])) == "ok"
    assert word(a_run(*samples)) == "stalled"


def test_a_client_whose_seconds_are_missing_is_silent() -> None:
    newest = dvd_sample(client=1, second=5, working=USERS)
    patient = a_run(newest, dvd_sample(client=2, second=5 + SILENT_AFTER_SECONDS - 1, working=USERS))
    assert word(patient) == "ok"
    assert word(a_run(newest, dvd_sample(client=2, second=5 + SILENT_AFTER_SECONDS, working=USERS))) == "silent"


def test_client_that_never_sends_a_sample_becomes_silent() -> None:
    assert word(a_run(dvd_sample(client=2, second=SILENT_AFTER_SECONDS, working=USERS))) == "silent"


def test_a_lost_client_stays_lost_when_the_run_is_over() -> None:
    run = a_run(dvd_sample(client=1, second=0, working=USERS), dvd_sample(client=2, second=0, working=USERS))
    tell(run, EventKind.CLIENT_LOST)
    assert (word(run, 1), word(run, 2)) == ("lost", "ok")
    run.set_state(RunState.COMPLETED, Phases())
    assert (word(run, 1), word(run, 2)) == ("lost", "finished")


def test_failed_user_makes_the_client_lost_only_without_other_users() -> None:
    run = a_run(dvd_sample(client=1, second=0, working=USERS - 1, down=1))
    tell(run, EventKind.CLIENT_FAILED)
    assert word(run) == "down 1"
    run.add(dvd_sample(client=1, second=1, down=USERS))
    assert word(run) == "lost"


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (RunState.COMPLETED, "finished"),
        (RunState.STOPPED, "stopped"),
        (RunState.INTERRUPTED, "interrupted"),
        (RunState.FAILED, "stopped"),
    ],
)
def test_client_of_a_finished_run_has_its_final_state(state: RunState, expected: str) -> None:
    run = a_run(dvd_sample(client=1, second=0, working=USERS), state=state)
    assert word(run) == expected
    tell(run, EventKind.CLIENT_LOST)
    assert word(run) == "lost"


def test_clients_that_leave_while_the_run_stops_are_finished() -> None:
    run = a_run(
        dvd_sample(client=1, second=0, down=USERS),
        dvd_sample(client=2, second=SILENT_AFTER_SECONDS, working=USERS),
        state=RunState.STOPPING,
    )
    conditions = client_conditions(run)
    assert conditions[1].state is ClientState.FINISHED
    assert conditions[2].state is ClientState.OK
    run.add(dvd_sample(client=2, second=SILENT_AFTER_SECONDS + 1, working=1, down=USERS - 1))
    assert client_conditions(run)[2].state is ClientState.OK
    run.add(dvd_sample(client=2, second=SILENT_AFTER_SECONDS + 2, down=USERS))
    assert client_conditions(run)[2].state is ClientState.FINISHED
