"""A run whose seconds are short, as the endurance benchmark's: its ticks have no gaps, its counts are exact."""

from engine.driver.messages import ProbedStore
from engine.driver.run import Run
from engine.record.record import RunState
from engine.telemetry.event import EventKind
from engine.telemetry.sample import SLOTS_PER_SECOND
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, start_of

TICK_SECONDS = 0.02
MEASURED_TICKS = 100


def test_accelerated_run_has_all_seconds_and_the_databases_counts(built_store: BuiltStore) -> None:
    sink, orders = Gathering(), built_store.count("orders")
    run = Run(
        starts=[start_of(built_store.target, built_store.secret, client=client) for client in (1, 2)],
        labels={1: "ds2 #1", 2: "ds2 #2"},
        warmup_seconds=10,
        measured_seconds=MEASURED_TICKS,
        sinks=[sink],
        stores=[ProbedStore(number=1, target=built_store.target, secret=built_store.secret)],
        tick_seconds=TICK_SECONDS,
    )

    run.start()
    assert run.wait(OVER_SECONDS)

    assert run.state is RunState.COMPLETED
    first, end = run.phases.measuring_from, run.phases.measuring_to
    assert first is not None
    assert end == first + MEASURED_TICKS
    began = {event.label: event.at_seconds for event in sink.events_of(EventKind.PHASE)}
    assert (began["measuring"], began["stopping"]) == (first, end)
    for client in (1, 2):
        samples = sink.of(client)
        assert [sample.second for sample in samples] == list(range(len(samples)))
        assert len(samples) >= end
        # Of three users some 8 orders end in a tick, and some 400 would in a second; thinking may be short by chance.
        assert 0 < max(sample.of("order").n for sample in samples) <= 40
    assert built_store.count("orders") - orders == sink.total("purchases") - sink.total("rollbacks")
    assert [probe.second for probe in sink.probes] == list(range(len(sink.probes)))
    assert {len(probe.slots) for probe in sink.probes} == {SLOTS_PER_SECOND}
