"""Audits of real runs on a real server, beside counts that the server itself gives."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest
from psycopg import Connection

from engine.analysis.headline import headline_of
from engine.audit.ledger import RECORD
from engine.audit.report import AuditReport, OrderCounts, Verdict
from engine.conduct.after_run import audit_after_run
from engine.conduct.endpoint import Endpoint
from engine.conduct.leasing import Leases, StoreLease, holder_of, taken
from engine.databases.database import Timeouts
from engine.databases.lease import Claim, LeaseHolder
from engine.databases.progress import Progress
from engine.errors import Cancelled, UserError
from engine.record.record import Origin, RunState
from engine.report.audit_text import load_sentences, load_verdict
from engine.target.target import Host
from engine.telemetry.event import EventCode, EventKind
from tests.doubles.proxy import SilentProxy
from tests.engine.conduct.conftest import Stage
from tests.engine.conftest import SIZE, BuiltStore
from tests.engine.driver.runs import OVER_SECONDS, Gathering, wait_for_orders
from tests.texts import lacks
from tests.waiting import wait_until

DVD = headline_of("dvdstore")

THREADS = 3
STATEMENT_SECONDS = 3.0


def orders_of_runs(store: BuiltStore) -> list[tuple[int, int, int]]:
    """What the server holds beyond the build: id, customer, net amount in cents."""
    query = f"SELECT orderid, customerid, netamount * 100 FROM orders WHERE orderid > {SIZE.orders} ORDER BY orderid"
    with store.connect() as connection:
        return [(order, customer, int(cents)) for order, customer, cents in connection.execute(query).fetchall()]


def change(store: BuiltStore, *statements: str) -> None:
    with store.connect() as connection:
        for statement in statements:
            connection.execute(statement.encode())


def shown(report: AuditReport, name: str) -> list[int | None]:
    return [example.order for example in report.stores[0].examples.get(name, ())]


def test_clean_run_of_two_clients_equals_the_servers_count(stage: Stage) -> None:
    told: list[Progress] = []
    record = stage.run(clients=2)
    report = stage.audit(record, report_progress=told.append)

    assert record.totals is not None
    since_start = record.totals.since_start
    placed = len(orders_of_runs(stage.store))
    assert report.verdict is Verdict.CLEAN
    assert report.counts == OrderCounts(present=placed)
    assert placed == since_start["purchases"] - since_start["rollbacks"] > 0
    assert [check.wrong for check in report.stores[0].consistency] == [0, 0, 0, 0]
    assert report.stores[0].notes == ()
    (sentence,) = load_sentences(report, DVD)
    assert lacks(sentence, "no order was lost", f"all of {placed:,}") == []
    assert AuditReport.from_dict(stage.library.run(record.run_id).audit or {}) == report
    assert [step.share for step in told] == sorted(step.share for step in told)
    assert told[-1].share == 1.0
    assert stage.store.secret.reveal() not in repr(report.to_dict())


def test_deleted_orders_are_lost_changed_ones_replaced_and_foreign_ones_unknown(stage: Stage) -> None:
    record = stage.run()
    first, second, third, fourth, *_ = orders_of_runs(stage.store)
    change(
        stage.store,
        f"DELETE FROM orders WHERE orderid IN ({first[0]}, {second[0]})",
        f"UPDATE orders SET netamount = netamount + 1, totalamount = totalamount + 1 WHERE orderid = {third[0]}",
        f"UPDATE orders SET customerid = customerid % {SIZE.customers} + 1 WHERE orderid = {fourth[0]}",
        "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 5.00, 0, 5.00)",
    )
    placed = orders_of_runs(stage.store)
    report = stage.audit(record)

    assert report.verdict is Verdict.LOST
    assert report.counts == OrderCounts(present=len(placed) - 3, lost=2, replaced=2, unknown=1)
    assert sorted(shown(report, "lost")) == [first[0], second[0]]
    assert sorted(shown(report, "replaced")) == [third[0], fourth[0]]
    assert shown(report, "unknown") == [placed[-1][0]]
    lost = next(each for each in report.stores[0].examples["lost"] if each.order == first[0])
    assert (lost.customer, lost.net_cents) == first[1:]
    assert lost.at_seconds is not None
    wrong = {check.what: check.wrong for check in report.stores[0].consistency}
    assert wrong["orders whose lines are not numbered from 1 on"] == 1
    assert wrong["orders whose net amount is not price × quantity"] == 2
    assert wrong["history rows more, less or other than order lines"] > 0
    assert wrong["products whose sales are not the quantities of their order lines"] > 0


def test_reused_ids_are_replaced_orders(stage: Stage) -> None:
    """As after a failover to a copy that lagged: the last orders are gone, and the next ones take their ids."""
    sink = Gathering()
    conductor = stage.start(sinks=[sink], minutes=0, threads=THREADS)
    wait_for_orders(sink, lambda sink: sink.total("orders") > 40)
    with stage.store.connect() as beside, stage.store.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE orders")
        wait_until(lambda: len(_waits(beside)) == THREADS, "all users are in a purchase")
        gone = connection.execute(
            "DELETE FROM orders WHERE orderid > (SELECT max(orderid) - 20 FROM orders) RETURNING orderid"
        ).fetchall()
        connection.execute("DELETE FROM cust_hist WHERE orderid >= %s", (min(gone)[0],))
        connection.execute("SELECT setval(pg_get_serial_sequence('orders', 'orderid'), %s, false)", (min(gone)[0],))
    before = sink.total("orders")
    wait_for_orders(sink, lambda sink: sink.total("orders") > before + 60)
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    report = stage.audit(conductor.finish())

    placed = orders_of_runs(stage.store)
    assert report.verdict is Verdict.LOST
    assert report.counts.gone == len(gone)
    assert report.counts.replaced == len({order for (order,) in gone} & {order for order, *_ in placed}) > 0
    assert report.counts.present == len(placed)
    assert report.counts.unknown == 0


def test_losses_are_counted_at_the_nearest_fault(stage: Stage) -> None:
    sink = Gathering()
    conductor = stage.start(sinks=[sink], minutes=0)
    wait_for_orders(sink, lambda sink: sink.total("orders") > 20)
    conductor.run.add_mark("Enclosure pulled", is_fault=True)
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    oldest, *_ = orders_of_runs(stage.store)
    change(stage.store, f"DELETE FROM orders WHERE orderid = {oldest[0]}")
    report = stage.audit(record)

    (loss,) = report.faults
    (example,) = report.stores[0].examples["lost"]
    assert (loss.label, loss.gone) == ("Enclosure pulled", 1)
    assert example.at_seconds is not None
    assert loss.oldest_age_seconds == pytest.approx(loss.at_seconds - example.at_seconds, abs=0.001)
    assert loss.oldest_age_seconds > 0


def test_purchases_in_doubt_are_present_or_absent(stage: Stage) -> None:
    timeouts = Timeouts(statement_seconds=STATEMENT_SECONDS)
    stage.store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    change(stage.store, "UPDATE inventory SET quan_in_stock = 100000")  # so that none is rolled back
    with SilentProxy(stage.store.target.hosts[0]) as proxy:
        target = replace(stage.store.target, hosts=(proxy.host,))
        stage.targets.remember({target.secret_name: stage.store.secret})
        sink = Gathering()
        conductor = stage.start(target, sinks=[sink], timeouts=timeouts, threads=THREADS, minutes=0, reset=False)
        wait_for_orders(sink, lambda sink: sink.total("orders") > 0)
        # The server has the purchases and is held up; what it says when it goes on, nobody hears.
        _hold_up(stage.store, proxy, given_up=False)
        wait_until(lambda: sink.total("in_doubt") == THREADS, "the calls are cut", timeout_seconds=OVER_SECONDS)
        orders = sink.total("orders")
        wait_for_orders(sink, lambda sink: sink.total("orders") > orders)
        # The same, but held up until the server itself gives them up.
        _hold_up(stage.store, proxy, given_up=True)
        wait_until(lambda: sink.total("in_doubt") == 2 * THREADS, "the calls are cut", timeout_seconds=OVER_SECONDS)
        conductor.run.stop()
        assert conductor.run.wait(OVER_SECONDS)
        record = conductor.finish()
        report = stage.audit(record)

    assert report.counts.in_doubt_present == THREADS
    assert report.counts.in_doubt_absent == THREADS
    assert report.verdict is Verdict.CLEAN
    assert report.counts.present + THREADS == len(orders_of_runs(stage.store))
    assert len(shown(report, "in_doubt_present")) == THREADS
    assert all(each.at_seconds for each in report.stores[0].examples["in_doubt_present"])
    assert shown(report, "in_doubt_absent") == [None] * THREADS
    assert lacks(load_sentences(report, DVD), f"{2 * THREADS} purchases in doubt", f"{THREADS} on the server") == []


def _hold_up(store: BuiltStore, proxy: SilentProxy, *, given_up: bool) -> None:
    """Hold all users up in their purchase, and freeze their connections before the server goes on.

    It goes on at once, or when it has ``given_up`` these calls by itself; the users may have come back by then. What
    has waited for long is let go and held up anew: the server might give it up before it could go on.
    """
    with store.connect() as connection, store.connect() as beside:
        is_done = False
        while not is_done:
            with connection.transaction():
                connection.execute("LOCK TABLE orders")
                wait_until(lambda: len(_waits(beside)) == THREADS, "all users are in a purchase")
                held = _waits(beside)
                is_done = len(held) == THREADS and max(held.values()) < STATEMENT_SECONDS / 3
                if is_done:
                    assert proxy.silence() >= THREADS
                    if given_up:
                        wait_until(lambda calls=frozenset(held): not calls & _waits(beside).keys(), "they are given up")


def _waits(connection: Connection) -> dict[int, float]:
    """How many seconds each of the server's processes is in its call that waits for a lock."""
    rows = connection.execute(
        "SELECT pid, extract(epoch FROM clock_timestamp() - query_start)::float FROM pg_stat_activity"
        " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
    )
    return dict(rows.fetchall())


def test_orders_of_earlier_and_later_runs_are_ignored(stage: Stage) -> None:
    first = stage.run()
    second = stage.run(reset=False)
    placed = len(orders_of_runs(stage.store))
    reports = [stage.audit(record) for record in (first, second)]

    assert [report.verdict for report in reports] == [Verdict.CLEAN] * 2
    assert sum(report.counts.present for report in reports) == placed
    (note,) = reports[0].stores[0].notes
    assert lacks(note, "later runs", "not checked") == []

    change(
        stage.store,
        "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 5.00, 0, 5.00)",
    )
    report = stage.audit(second)
    assert (report.verdict, report.counts.unknown) == (Verdict.SUSPICIOUS, 1)
    assert lacks(load_sentences(report, DVD), "not as built", "other programs") == []


def test_several_stores_are_audited_separately(stage: Stage, build_store: Callable[[str], BuiltStore]) -> None:
    other = build_store("audited_too")
    record = stage.run(stage.store.target, other.target, threads=2)
    change(other, f"DELETE FROM orders WHERE orderid = {orders_of_runs(other)[0][0]}")
    report = stage.audit(record)

    assert [(store.database, store.verdict) for store in report.stores] == [
        ("audited", Verdict.CLEAN),
        ("audited_too", Verdict.LOST),
    ]
    assert report.verdict is Verdict.LOST
    assert report.counts.present == len(orders_of_runs(stage.store)) + len(orders_of_runs(other))
    assert any(
        sentence.startswith("audited_too: 1 order acknowledged and missing") for sentence in load_sentences(report, DVD)
    )


def test_reset_store_can_not_be_audited(stage: Stage) -> None:
    record = stage.run()
    stage.store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    report = stage.audit(record)

    assert (report.verdict, report.counts) == (Verdict.NOT_POSSIBLE, OrderCounts())
    assert "was reset or rebuilt after the run began" in report.stores[0].notes[0]


def test_an_audit_that_is_not_possible_any_more_keeps_the_earlier_result(stage: Stage) -> None:
    record = stage.run()
    assert stage.audit(record).verdict is Verdict.CLEAN
    kept = stage.library.run(record.run_id).audit
    stage.store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    with pytest.raises(UserError, match=r"was reset or rebuilt after .*\. The result of the audit at .* is kept\.$"):
        stage.audit(record)
    assert stage.library.run(record.run_id).audit == kept


def test_missing_ledgers_and_unreachable_server_are_reported(stage: Stage) -> None:
    record = stage.run()
    nowhere = replace(stage.store.target, hosts=(Host("127.0.0.1", 1),), tls="disable")
    unreachable = audit_after_run(
        stage.library,
        record.run_id,
        lambda _: Endpoint(nowhere, stage.store.secret),
        report_progress=lambda _: None,
        cancelled=lambda: False,
    )
    assert unreachable.verdict is Verdict.NOT_POSSIBLE
    assert "refused the connection on port 1" in unreachable.stores[0].notes[0]

    stage.ledger(record).unlink()
    report = stage.audit(record)
    assert report.verdict is Verdict.NOT_POSSIBLE
    assert "no ledger" in report.stores[0].notes[-1]


def test_store_with_a_missing_ledger_is_not_clean(stage: Stage) -> None:
    record = stage.run(clients=2)
    stage.ledger(record, 2).unlink()
    report = stage.audit(record)

    assert report.verdict is Verdict.INCOMPLETE
    assert load_verdict(report, DVD).startswith("Incomplete: none of ")
    assert report.counts.unknown > 0
    assert report.stores[0].notes[0].startswith("The ledger of client audited #2 is missing (there is none)")


def test_truncated_ledger_is_reported_and_missing_orders_are_unknown(stage: Stage) -> None:
    record = stage.run()
    placed = len(orders_of_runs(stage.store))
    path = stage.ledger(record)
    os.truncate(path, path.stat().st_size - 3 * RECORD.size - 5)
    report = stage.audit(record)

    assert report.verdict is Verdict.SUSPICIOUS
    assert report.counts == OrderCounts(present=placed - 3, unknown=3)
    assert report.stores[0].notes[0].startswith("The ledger of client audited ends early, after ")


@pytest.mark.parametrize("round_number", range(4))
def test_client_killed_under_load_has_noted_every_acknowledged_order(stage: Stage, round_number: int) -> None:
    users = 8
    sink = Gathering()
    conductor = stage.start(sinks=[sink], minutes=0, threads=users, clients=1 + round_number % 2)
    wait_for_orders(sink, lambda sink: sink.total("orders") > 100 + 150 * round_number)
    os.kill(conductor.run.client_pids[1], signal.SIGKILL)
    wait_until(lambda: sink.events_of(EventKind.CLIENT_LOST), "the client is lost", timeout_seconds=OVER_SECONDS)
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    wait_until(lambda: not _connections(stage.store), "the server has ended the calls")
    report = stage.audit(record)

    lost = [event.client for event in sink.events_of(EventKind.CLIENT_LOST)]
    placed = orders_of_runs(stage.store)
    told = sum(sample.of("purchase").n - sample.rollbacks for sample in sink.samples)
    assert report.verdict is Verdict.CUT_OFF, load_sentences(report, DVD)
    assert report.counts.present >= told > 0
    assert report.counts.present + report.counts.cut_off == len(placed)
    assert report.counts.cut_off <= users * len(lost)
    assert (report.counts.gone, report.counts.unknown) == (0, 0)
    (store,) = report.stores
    assert [cause.partition(" after ")[0] for cause in store.cut_off_by] == [
        f"the end of client {record.client_labels[client - 1]}" for client in lost if client is not None
    ]
    assert store.notes == ()


def test_foreign_orders_beside_a_killed_client_are_unknown(stage: Stage) -> None:
    sink = Gathering()
    conductor = stage.start(sinks=[sink], minutes=0, threads=THREADS)
    wait_for_orders(sink, lambda sink: sink.total("orders") > 20)
    os.kill(conductor.run.client_pids[1], signal.SIGKILL)
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    wait_until(lambda: not _connections(stage.store), "the server has ended the calls")
    cut_off = stage.audit(record).counts.cut_off
    columns = "orderdate, customerid, netamount, tax, totalamount"
    change(stage.store, *[f"INSERT INTO orders ({columns}) VALUES (now(), 1, 5.00, 0, 5.00)"] * 10)
    report = stage.audit(record)

    assert record.state is RunState.FAILED
    assert report.verdict is Verdict.SUSPICIOUS
    assert report.counts.cut_off == THREADS, "as many as may be the client's own"
    assert report.counts.unknown == 10 + cut_off - THREADS
    assert report.counts.gone == 0


def test_orders_cut_off_by_stop_now_raise_no_alarm(stage: Stage) -> None:
    sink = Gathering()
    conductor = stage.start(sinks=[sink], minutes=0, threads=THREADS)
    wait_for_orders(sink, lambda sink: sink.total("orders") > 20)
    with stage.store.connect() as beside, stage.store.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE inventory")
        wait_until(lambda: len(_waits(beside)) == THREADS, "all users are in a purchase")
        conductor.run.stop_now()
        assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    wait_until(lambda: not _connections(stage.store), "the server has ended the calls")
    report = stage.audit(record)

    assert record.state is RunState.STOPPED
    assert report.verdict is Verdict.CUT_OFF
    assert not report.verdict.is_alarming
    assert report.counts.cut_off == len(orders_of_runs(stage.store)) - report.counts.present > 0
    assert report.stores[0].cut_off_by == {"Stop now": report.counts.cut_off}
    headline, sentence = load_sentences(report, DVD)
    assert lacks(headline, "complete", "Stop now", f"all of {report.counts.present:,}") == []
    assert lacks(sentence, f"{report.counts.cut_off:,} order", "Stop now") == []
    assert len(shown(report, "cut_off")) == report.counts.cut_off

    lost, *_ = orders_of_runs(stage.store)
    change(stage.store, f"DELETE FROM orders WHERE orderid = {lost[0]}")
    assert stage.audit(record).verdict is Verdict.LOST


def test_with_nothing_acknowledged_there_is_nothing_to_audit(stage: Stage) -> None:
    stage.store.store.reset(report_progress=lambda _: None, cancelled=lambda: False)
    with stage.store.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE orders IN EXCLUSIVE MODE")
        sink = Gathering()
        conductor = stage.start(sinks=[sink], minutes=0, reset=False)
        wait_until(lambda: len(sink.samples) > 1, "samples are told", timeout_seconds=OVER_SECONDS)
        conductor.run.stop_now()
        assert conductor.run.wait(OVER_SECONDS)
        record = conductor.finish()
    wait_until(lambda: not _connections(stage.store), "the server has ended the calls")
    report = stage.audit(record)
    assert report.verdict is Verdict.NOTHING
    assert report.counts == OrderCounts(cut_off=report.counts.cut_off), "those that the server placed nevertheless"
    assert lacks(load_sentences(report, DVD)[0], "nothing to audit") == []

    stage.ledger(record).unlink()
    assert stage.audit(record).verdict is Verdict.NOTHING


def _connections(store: BuiltStore) -> int:
    name = store.target.database
    return store.count(f"pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()")


def test_unwritable_ledger_does_not_stop_the_run(stage: Stage) -> None:
    (stage.home / "ledgers").write_text("in the way")
    record = stage.run()
    events = stage.library.events(record.run_id)
    report = stage.audit(record)

    assert record.state is RunState.COMPLETED
    assert len(orders_of_runs(stage.store)) > 0
    (warning,) = (event for event in events if event.code is EventCode.LEDGER_UNWRITTEN)
    assert warning.label.startswith("the ledger can't be written (")
    assert report.verdict is Verdict.NOT_POSSIBLE


def test_cancelled_audit_keeps_the_previous_one(stage: Stage) -> None:
    record = stage.run()
    before = stage.audit(record)
    with pytest.raises(Cancelled):
        stage.audit(record, cancelled=lambda: True)
    assert AuditReport.from_dict(stage.library.run(record.run_id).audit or {}) == before


def test_audit_of_imported_and_unfinished_runs_is_refused(stage: Stage) -> None:
    conductor = stage.start(minutes=0)
    with pytest.raises(UserError, match="audit it after its end"):
        stage.audit(stage.library.run("last"))
    conductor.run.stop()
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    imported = replace(record, run_id="20200101-000000-aaaa", origin=Origin.DS2_LOG, audit=None)
    stage.library.add_imported(imported, [], [])
    with pytest.raises(UserError, match="was imported"):
        stage.audit(imported)


def test_purging_a_run_removes_its_ledgers(stage: Stage) -> None:
    kept, gone = stage.run(), stage.run()
    stage.library.delete(gone.run_id)
    assert stage.ledger(gone).exists()
    assert stage.library.bin.empty() == 1
    assert not stage.ledger(gone).parent.exists()
    assert stage.ledger(kept).exists()


def test_audit_leases_the_store_and_is_refused_if_leased(stage: Stage) -> None:
    record, store = stage.run(), stage.store.store
    holders: list[LeaseHolder | None] = []
    mine = Claim(purpose="audit of run 'a'", program="command line")
    report = stage.audit(record, claim=mine, report_progress=lambda _: holders.append(holder_of(store)))
    assert report.verdict is Verdict.CLEAN
    assert {holder.token for holder in holders if holder is not None} == {mine.token}
    assert holder_of(store) is None
    claim = Claim(purpose="reset", program="command line", user_name="anna", host_name="lab-ws2")
    with taken(Leases([StoreLease(store, claim, "the store", notify=print)])):
        with pytest.raises(UserError, match=r"is in use since .* by anna@lab-ws2 \(reset"):
            stage.audit(record, claim=mine)
        assert stage.audit(record).verdict is Verdict.CLEAN  # of a run that holds the leases itself


def test_audit_of_an_unreachable_store_is_not_possible(stage: Stage) -> None:
    record = stage.run()
    gone = replace(stage.store.target, hosts=(Host("127.0.0.1", 1),), tls="disable")
    report = audit_after_run(
        stage.library,
        record.run_id,
        lambda _: Endpoint(gone, stage.store.secret),
        report_progress=lambda _: None,
        cancelled=lambda: False,
        claim=Claim(purpose="audit", program="command line"),
    )
    assert report.verdict is Verdict.NOT_POSSIBLE
