"""Runs with a load machine that is a network away: slow and lossy, or cut off for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from engine.audit.report import Verdict
from engine.plan.load_machines import LoadMachine
from engine.record.record import RunState
from engine.target.target import Target
from engine.telemetry.event import EventCode, EventKind
from tests.doubles.proxy import SilentProxy
from tests.engine.cluster.clusters import worker_processes
from tests.engine.cluster.networks import FarMachine, Slowness, far_machine, needs_networks, needs_tun
from tests.engine.conduct.conftest import SECOND, Stage
from tests.engine.conftest import SIZE
from tests.engine.driver.runs import OVER_SECONDS, Gathering, wait_for_orders
from tests.waiting import wait_until

PLACED = (LoadMachine("lg1", 1),)
SLOW = Slowness(delay_ms=50, jitter_ms=10, lost_share=0.01)


@contextmanager
def reachable_store(stage: Stage, machine: FarMachine) -> Iterator[Target]:
    """The store at an address that is reached from there; and lg1 is that machine."""
    with SilentProxy(stage.store.target.hosts[0], machine.here) as proxy:
        target = replace(stage.store.target, hosts=(proxy.host,))
        stage.targets.remember({target.secret_name: stage.store.secret})
        stage.use_load_machines("lg1", prefixes={"lg1": machine.prefix}, addresses=[machine.here])
        yield target


def seconds_of(sink: Gathering, client: int) -> list[int]:
    return [sample.second for sample in sink.of(client)]


@needs_networks
@needs_tun
def test_over_a_slow_and_lossy_link_nothing_is_missing_and_the_clock_is_known(stage: Stage) -> None:
    sink = Gathering()
    with far_machine(SLOW) as machine, reachable_store(stage, machine) as target:
        conductor = stage.start(target, sinks=[sink], clients=2, load_machines=PLACED, minutes=8 * SECOND)
        assert conductor.run.wait(OVER_SECONDS)
        record = conductor.finish()
        audit = stage.audit(record)

    assert record.state is RunState.COMPLETED
    for client in (1, 2):
        assert seconds_of(sink, client) == list(range(len(sink.of(client))))
        assert sum(sample.of("order").n for sample in sink.of(client)) > 0
    # The machine's clocks are this one's: the true offset is none.
    (lg1,) = record.environment["load_machines"]
    assert SLOW.delay_ms - SLOW.jitter_ms <= lg1["clock_error_ms"]
    assert abs(lg1["clock_ahead_seconds"]) * 1000 <= lg1["clock_error_ms"]
    assert [event.label for event in sink.events if event.code is EventCode.LOAD_MACHINE_LOST] == []
    assert audit.verdict is Verdict.CLEAN


@needs_networks
def test_ledgers_of_a_machine_that_is_back_after_its_grace_are_audited(stage: Stage) -> None:
    sink = Gathering()

    def labels(code: EventCode) -> list[str]:
        return [event.label for event in sink.events if event.code is code]

    with far_machine() as machine, reachable_store(stage, machine) as target:

        def is_in_mid_second() -> bool:
            latest = sum(sink.of(client)[-1].of("order").n for client in (1, 2))
            told = sink.total("purchases") - sink.total("rollbacks")
            return stage.store.count("orders") - SIZE.orders - told > latest / 2

        conductor = stage.start(target, sinks=[sink], clients=2, load_machines=PLACED, minutes=0)
        wait_for_orders(sink, lambda sink: all(sink.of(client)[2:] for client in (1, 2)))
        wait_until(is_in_mid_second, "there are orders that no sample has told yet")
        machine.cut()
        wait_until(lambda: sink.events_of(EventKind.CLIENT_LOST), "its client is lost")
        machine.rejoin()
        wait_until(lambda: labels(EventCode.LOAD_MACHINE_BACK), "the machine is back")
        conductor.run.stop()
        assert conductor.run.wait(OVER_SECONDS)
        record = conductor.finish()
        audit = stage.audit(record)

    assert record.state is RunState.STOPPED
    assert [event.client for event in sink.events_of(EventKind.CLIENT_LOST)] == [1]
    assert labels(EventCode.LEDGER_NOT_FETCHED) == []
    assert audit.verdict is not Verdict.INCOMPLETE
    assert audit.counts.gone == 0
    assert audit.counts.present > sink.total("purchases") - sink.total("rollbacks"), "more than the samples told"
    wait_until(lambda: not worker_processes(stage.home / "machines" / "lg1"), "its processes have ended")
    assert not list((stage.home / "machines").rglob("*.ledger"))
