import numpy as np

from engine.analysis.recovery.calls import calls_of, calls_together, first_failed_call, users_away
from engine.analysis.recovery.figures import Calls
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.span import FaultSpan, span_of
from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.faulted import fault

HOLD = 2
SETTINGS = RecoverySettings(hold_seconds=HOLD, after_seconds=5, onset_seconds=5, horizon_seconds=100)


def run_with(
    *clients: list[int | None], errors: dict[int, dict[str, int]] | None = None, reconnects: int = 0
) -> RunData:
    """A run of clients with so many of their eight users reconnecting by second.

    The errors are the first client's, and so are the reconnects, which are those of second 2.
    """
    run = RunData(RunPlan(clients=len(clients), threads=8))
    for client, away in enumerate(clients, 1):
        for second, users in enumerate(away):
            if users is None:
                continue
            failed = (errors or {}).get(second, {}) if client == 1 else {}
            back = reconnects if (client, second) == (1, 2) else 0
            run.add(
                dvd_sample(
                    client=client, second=second, working=8 - users, reconnecting=users, errors=failed, reconnects=back
                )
            )
    run.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=0))
    return run


def span(run: RunData, at_seconds: float = 2.5) -> FaultSpan:
    return span_of(run, fault(at_seconds), SETTINGS)


def together(run: RunData) -> Calls:
    of = span(run)
    away = users_away(run, of)
    each = [
        calls_of(run, of, of.end, client.number, row, SETTINGS) for client, row in zip(run.clients, away, strict=True)
    ]
    return calls_together(each, away, of, SETTINGS)


def test_users_back_counts_gradual_reconnects() -> None:
    calls = together(run_with([0, 0, 3, 8, 5, 1, 0, 0, 0]))

    assert (calls.users_lost, calls.users_back, calls.all_users_back_seconds) == (8, 8, 3.5)


def test_users_away_includes_reconnects_within_a_second() -> None:
    calls = together(run_with([0, 0, 0, 0, 0, 0], reconnects=8))

    assert (calls.reconnects, calls.users_lost, calls.users_back, calls.all_users_back_seconds) == (8, 8, 8, 0.5)
    assert together(run_with([0, 0, 3, 0, 0, 0], reconnects=5)).users_lost == 8
    assert together(run_with([0, 0, 8, 0, 0, 0], reconnects=5)).users_lost == 8


def test_users_without_connection_are_not_back() -> None:
    calls = together(run_with([0, 0, 3, 8, 5, 2]))

    assert (calls.users_lost, calls.users_back, calls.all_users_back_seconds) == (8, 6, None)
    assert together(run_with([0, 0, 3, 8, 5, 0])).all_users_back_seconds is None


def test_users_lost_again_within_the_hold_time_are_not_back() -> None:
    assert together(run_with([0, 0, 4, 0, 2, 0, 0, 0])).all_users_back_seconds == 2.5


def test_users_away_before_the_fault_do_not_count() -> None:
    calls = together(run_with([2, 2, 2, 6, 2, 2, 2]))

    assert (calls.users_lost, calls.users_back, calls.all_users_back_seconds) == (4, 4, 1.5)


def test_users_stopped_with_the_run_are_not_lost() -> None:
    measured = Phases(warming_up_from=0, measuring_from=0, measuring_to=6)
    for away, counted in (([0] * 5, (0, 0)), ([0, 0, 8, 8, 0], (8, 8)), ([0, 0, 3, 3, 2], (3, 1))):
        run = run_with([*away, 8])
        run.set_state(RunState.COMPLETED, measured)
        calls = together(run)
        assert (calls.users_lost, calls.users_back) == counted


def test_users_lost_at_once_are_summed_over_clients() -> None:
    calls = together(run_with([0, 0, 8, 0, 0, 0, 0], [0, 0, 2, 8, 0, 0, 0]))

    assert calls.users_lost == 10
    assert calls.all_users_back_seconds == 1.5


def test_users_of_a_silent_client_are_unknown() -> None:
    run = run_with([0, 0, 0, 0, 0], [0, 0, None, None, None])
    away = users_away(run, span(run))

    assert np.isnan(away[1]).all()
    assert calls_of(run, span(run), 5, 2, away[1], SETTINGS).users_lost is None
    assert together(run).users_lost == 0


def test_errors_are_those_from_the_fault_on_by_class() -> None:
    errors = {1: {"deadlock": 9}, 2: {"connection_lost": 3}, 3: {"connection_lost": 5, "timeout": 1}, 7: {"other": 4}}
    run = run_with([0, 0, 0, 0, 0, 0, 0, 0], errors=errors)
    of = span(run)

    assert calls_of(run, of, 7, 1, users_away(run, of)[0], SETTINGS).errors == {"connection_lost": 8, "timeout": 1}
    assert list(together(run).errors.items()) == [("connection_lost", 8), ("other", 4), ("timeout", 1)]


def test_the_first_failed_call_is_no_deadlock() -> None:
    run = run_with([0] * 9, errors={1: {"timeout": 1}, 2: {"deadlock": 1}, 5: {"connection_lost": 1}})

    assert first_failed_call(run, span(run), 9, [1]) == 5
    assert first_failed_call(run, span(run), 5, [1]) is None


def test_fault_in_the_first_second_counts_users_from_zero() -> None:
    run = run_with([4, 4, 0, 0, 0])
    of = span(run, 0.2)

    assert calls_of(run, of, 5, 1, users_away(run, of)[0], SETTINGS).users_lost == 4


def test_users_lost_after_the_onset_do_not_count() -> None:
    assert together(run_with([0] * 20 + [8, 8])).users_lost == 0
