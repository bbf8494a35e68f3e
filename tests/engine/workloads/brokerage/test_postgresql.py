"""Brokerage on a real PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.workloads.brokerage import names
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE
from tests.engine.databases.contract.under_test import DatabaseUnderTest
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest
from tests.engine.workloads.brokerage.contract import SIZE, BrokerageContract, BrokerageStore
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def dbms(embedded_server: EmbeddedServer) -> DatabaseUnderTest:
    return PostgreSQLUnderTest(embedded_server)


class TestBrokerage(BrokerageContract):
    """Build, transactions, conditions, reset."""

    def test_results_of_an_account_have_the_effect_of_one_after_the_other(
        self, embedded_server: EmbeddedServer, brokerage: BrokerageStore
    ) -> None:
        """Two concurrent sales of all that an account holds: the first leaves nothing for the second."""
        symbol = names.symbol(names.held_security(20, 0, SIZE.securities))
        holdings = f"SELECT h_qty FROM holding WHERE h_ca_id = 21 AND h_s_symb = '{symbol}'"
        held = sum(quantity for (quantity,) in brokerage.run(holdings))
        session = brokerage.open()
        try:
            sale = (21, names.tax_id(5), symbol, "", "", "TMS", held, 100, 0, 0, 0)
            (first, _), (second, _) = (session.call("trade_order", sale).decoded()[0] for _ in range(2))
        finally:
            session.close()
        with (
            opened(brokerage.target, embedded_server.secret, Timeouts()) as one,
            opened(brokerage.target, embedded_server.secret, Timeouts()) as other,
            ThreadPoolExecutor(1) as pool,
        ):
            with one.transaction():
                one.execute("SELECT trade_result(%s, 2500)", [first])
                result = pool.submit(other.execute, b"SELECT trade_result(%s, 2500)", [second])
                wait_until(lambda: brokerage.waiting() or result.done(), "the second result waits for the first")
                assert not result.done()
            result.result()
        assert brokerage.run(holdings) == [(-held,)]
        assert brokerage.failed() == []
        brokerage.reset()

    def test_a_reset_that_ends_in_a_deadlock_is_begun_again(self, brokerage: BrokerageStore) -> None:
        """A transaction like one that a killed run has left in progress: it has locked a trade, and then waits for the
        account."""
        brokerage.run("ALTER DATABASE brokerage SET deadlock_timeout = '5s'")
        brokerage.drive(50)
        with ThreadPoolExecutor(1) as pool:
            with brokerage.transaction() as run:
                run("SET LOCAL deadlock_timeout = '1min'")
                run("UPDATE trade SET t_lifo = t_lifo WHERE t_id = 1")
                reset = pool.submit(brokerage.reset)
                wait_until(lambda: brokerage.waiting() or reset.done(), "the reset waits for the trade")
                run("UPDATE customer_account SET ca_bal = ca_bal WHERE ca_id = 1")
            reset.result(timeout=60)
        brokerage.run("ALTER DATABASE brokerage RESET deadlock_timeout")
        assert brokerage.run(f"SELECT count(*) FROM trade WHERE t_id >= {FIRST_RUN_TRADE}") == [(0,)]
        assert brokerage.failed() == []
