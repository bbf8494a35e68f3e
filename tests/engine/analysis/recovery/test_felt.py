import pytest

from engine.analysis.recovery.felt import after_places, felt_of
from engine.analysis.recovery.figures import Felt
from engine.analysis.recovery.settings import RecoverySettings
from engine.analysis.recovery.view import view_of
from engine.analysis.run_data import RunData
from engine.telemetry.sample import ProbeSample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.faulted import constant, fault, run_of

SETTINGS = RecoverySettings()
OUTAGE = [*constant(60), 30, *constant(3, 0), *constant(5, 60), *constant(70)]


def felt(run: RunData, row: int = 0, at_seconds: float = 60.3) -> Felt:
    return felt_of(view_of(run, fault(at_seconds), SETTINGS), row)


def probed(run: RunData, first: int, *seconds: str, store: int = 1) -> RunData:
    for second, slots in enumerate(seconds, first):
        run.add_probe(ProbeSample(store=store, second=second, slots=slots))
    return run


def test_detection_lag_uses_the_probe() -> None:
    up, out = "wwwwwwwwww", "----------"
    told = felt(probed(run_of(OUTAGE), 58, up, up, "www-------", out, out, "--------ww", up, up))

    assert told.blackout.longest_seconds == 3
    assert told.blackout_seconds == pytest.approx(3.5)
    assert told.detection_lag_seconds == 0.0
    assert told.probe_blackout is not None
    assert told.probe_blackout.begins_at_seconds == 60.3


def test_detection_lag_of_all_clients_is_that_of_the_store_that_was_down_first() -> None:
    up, out = "wwwwwwwwww", "----------"
    run = run_of(OUTAGE, OUTAGE, databases=2)
    probed(run, 58, up, up, "wwww------", out, up)
    probed(run, 58, up, up, "wwwwwww---", out, out, up, store=2)
    total, first, last = (felt(run, row) for row in range(3))

    assert [each.detection_lag_seconds for each in (total, first, last)] == pytest.approx([0.1, 0.1, 0.4])
    assert total.probe_blackout == last.probe_blackout


def test_detection_lag_without_probe_uses_calls_and_orders() -> None:
    run = run_of(OUTAGE)
    assert (felt(run).detection_lag_seconds, felt(run).first_failed_call_seconds) == (0.0, None)

    late = run_of([*constant(64), *constant(5, 0), *constant(60)])
    late.add(dvd_sample(client=1, second=62, errors={"timeout": 3}))
    assert (felt(late).detection_lag_seconds, felt(late).first_failed_call_seconds) == (1.7, 1.7)
    assert felt(late).dip_seconds == pytest.approx(3.7)


def test_unnoticed_fault_has_no_detection_lag() -> None:
    told = felt(run_of(constant(120)))

    assert (told.detection_lag_seconds, told.dip_seconds, told.brownout_seconds) == (None, None, 0)
    assert told.lowest_second_pct == 100
    assert (told.level_after_pct, told.level_after_known_seconds) == (100, 59)


def test_client_with_surplus_has_negative_orders_not_taken() -> None:
    run = run_of([*constant(60), *constant(10, 0), *constant(60)], [*constant(60), *constant(10, 150), *constant(60)])

    assert (felt(run, 1).transactions_not_taken, felt(run, 2).transactions_not_taken) == (1_000, -500)
    assert (felt(run).transactions_not_taken, felt(run).transactions_not_taken_baseline_seconds) == (500, 2.5)


def test_level_after_waits_for_all_clients_with_a_dip() -> None:
    run = run_of(OUTAGE)
    view = view_of(run, fault(60.3), SETTINGS)
    assert after_places(view) == (9, 69)
    assert after_places(view_of(run, fault(60.3), SETTINGS, 69)) is None
    assert felt(run).level_after_pct == 100


def test_level_after_shows_a_lower_level() -> None:
    told = felt(run_of([*constant(60), *constant(5, 0), *constant(100, 96)]))

    assert told.level_after_pct == pytest.approx(96)
    assert told.recovered_seconds == pytest.approx(4.7)


def test_lowest_opm_is_unknown_if_a_client_is_unknown() -> None:
    known, unknown = felt(run_of(OUTAGE, OUTAGE)), felt(run_of(OUTAGE, constant(60)))

    assert (known.lowest_window_pct, known.lowest_window_headline_rate) == (pytest.approx(43.0), pytest.approx(5_160))
    assert (unknown.lowest_window_pct, unknown.lowest_window_headline_rate) == (pytest.approx(43.0), None)
    assert unknown.unknown_seconds == 9
