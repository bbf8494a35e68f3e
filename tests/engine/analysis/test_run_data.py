from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Series
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import ProbeSample
from engine.workload.registry import BROKERAGE
from tests.app.runs import PHASES, SECONDS, a_run, a_sample, samples_of
from tests.doubles.live_runs import a_live_run


def data_of(clients: int, *, phases: Phases = PHASES, state: RunState = RunState.MEASURING) -> RunData:
    data = RunData(a_run(clients=clients).plan)
    data.set_state(state, phases)
    for sample in samples_of(clients):
        data.add(sample)
    return data


def test_nothing_is_known_before_the_first_sample() -> None:
    nothing = RunData(a_run(clients=2).plan).figures()
    assert (nothing.headline_rate_running, nothing.headline_rate_now, nothing.headline_rate_window, nothing.p95_ms) == (
        None,
        None,
        None,
        None,
    )
    assert (nothing.orders, nothing.errors) == (0, {})


def test_orders_count_from_the_reset_and_times_from_the_window() -> None:
    total = data_of(2).figures()
    measured = 2 * sum(8 + second for second in range(3, 9))
    assert total.orders == measured
    assert total.headline_rate_running == 60 * measured // 6
    assert total.headline_rate_now == 60 * 2 * 16
    assert total.rollback_pct == pytest.approx(100 * 12 / measured)
    assert total.mean_ms == 4.0
    assert total.p95_ms == pytest.approx(4.0, rel=0.001)
    assert total.users == {"working": 6, "thinking": 10, "reconnecting": 0, "down": 0}


def test_figures_of_clients_add_up_to_the_total() -> None:
    data = data_of(2)
    assert 2 * data.figures(1).orders == data.figures().orders


def test_before_the_reset_orders_count_from_the_start() -> None:
    warming_up = data_of(1, phases=Phases(warming_up_from=0, measuring_from=60)).figures()
    assert warming_up.headline_rate_running is None or warming_up.headline_rate_running == 0
    assert warming_up.orders == sum(8 + second for second in range(SECONDS))


def test_samples_after_measuring_do_not_change_figures() -> None:
    data = data_of(1)
    before = data.figures()
    data.add(a_sample(1, SECONDS, orders=1, working=0, thinking=0, down=8))
    after = data.figures()
    assert (after.headline_rate_running, after.headline_rate_now, after.orders) == (
        before.headline_rate_running,
        before.headline_rate_now,
        before.orders,
    )
    assert after.users["down"] == 8


def test_second_counts_when_every_client_has_a_sample() -> None:
    data = data_of(2, phases=Phases(warming_up_from=0, measuring_from=0))
    assert data.end == SECONDS
    data.add(a_sample(1, SECONDS))
    assert data.end == SECONDS
    data.add(a_sample(2, SECONDS))
    assert data.end == SECONDS + 1


def test_lost_client_does_not_delay_the_end() -> None:
    data = data_of(2, phases=Phases(warming_up_from=0, measuring_from=0))
    for second in range(SECONDS, SECONDS + 4):
        data.add(a_sample(1, second))
    assert data.end == SECONDS + 4
    assert data.figures().headline_rate_now == data.figures(1).headline_rate_now
    assert data.figures(2).headline_rate_now is None


def test_errors_are_counted_from_the_start() -> None:
    data = data_of(2)
    data.add(replace(a_sample(2, SECONDS), errors={"timeout": 2}))
    data.add(replace(a_sample(1, SECONDS), errors={"timeout": 1, "deadlock": 5}))
    assert data.figures().errors == {"deadlock": 5, "timeout": 3}
    assert data.figures(2).errors == {"timeout": 2}


def test_when_the_run_is_over_its_last_second_is_taken_as_it_is() -> None:
    data = data_of(2)
    data.add(a_sample(1, SECONDS))
    assert data.end == SECONDS
    data.set_state(RunState.COMPLETED, PHASES)
    assert data.end == SECONDS + 1


def test_a_stored_run_has_the_levels_of_its_last_second() -> None:
    plan = replace(a_run(clients=2).plan, workload=BROKERAGE, parameters={})
    waiting = [replace(each, backlog=each.client + each.second) for each in samples_of(2)]
    stored = RunData(plan, series=Series.of(2, waiting))
    assert (stored.figures().backlog, stored.figures().users) == (None, {})
    stored.set_state(RunState.COMPLETED, PHASES)
    assert stored.figures().backlog == 3 + 2 * (SECONDS - 1)
    assert stored.figures(2).backlog == 2 + SECONDS - 1
    assert stored.figures().users["working"] == sum(each.working for each in waiting if each.second == SECONDS - 1)


def test_response_times_of_a_run_that_is_over_are_those_of_its_totals() -> None:
    record = a_run(clients=2)
    data = data_of(2, state=RunState.COMPLETED)
    data.totals = record.totals
    assert record.totals is not None
    assert data.figures().p95_ms == record.totals.times.p95
    assert data.figures(2).mean_ms == record.totals.clients[1].times.mean


def test_event_with_the_same_number_is_replaced() -> None:
    data = data_of(1)
    mark = RunEvent(number=1, at_seconds=5.0, kind=EventKind.MARK, label="Failover")
    data.put_event(mark)
    data.put_event(RunEvent(number=2, at_seconds=2.0, kind=EventKind.MARK, label="Network cut"))
    data.put_event(replace(mark, label="Enclosure pulled"))
    assert [event.label for event in data.sorted_events()] == ["Network cut", "Enclosure pulled"]
    data.remove_event(1)
    data.remove_event(7)
    assert [event.number for event in data.sorted_events()] == [2]


def test_the_mean_of_a_second_is_over_all_clients_and_unknown_without_orders() -> None:
    data = data_of(2)
    data.add(a_sample(1, SECONDS, orders=0, order_us=0))
    means = data.mean_ms()
    assert means[:SECONDS].tolist() == [4.0] * SECONDS
    assert np.isnan(means[SECONDS])


def test_probe_samples_are_stored_by_store() -> None:
    data = data_of(1)
    assert data.probes == {}
    data.add_probe(ProbeSample(store=2, second=4, slots="wwww------", host="a:5432"))
    data.add_probe(ProbeSample(store=2, second=5, slots="-----wwwww", host="b:5432"))
    data.add_probe(ProbeSample(store=1, second=4, slots="w" * 10, host="a:5432"))
    assert [(outage.begin, outage.end) for outage in data.probes[2].outages()] == [(4.4, 5.5)]
    assert data.probes[1].outages() == []


def test_values_by_second_end_where_users_were_stopped_and_where_measuring_ended() -> None:
    run = a_live_run(2, 60, until_stopped=True)
    values = np.arange(60.0)
    np.testing.assert_array_equal(run.until_full_end(values), values)
    began = {"state": RunState.STOPPING}
    run.put_event(
        RunEvent(number=99, at_seconds=50.4, kind=EventKind.PHASE, label="", code=EventCode.PHASE_BEGAN, data=began)
    )
    np.testing.assert_array_equal(np.isnan(run.until_full_end(values)), values >= 50)
    run.set_state(RunState.COMPLETED, replace(run.phases, measuring_to=40))
    np.testing.assert_array_equal(np.isnan(run.until_full_end(values)), values >= 40)
