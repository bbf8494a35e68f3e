"""What Brokerage fulfils on MariaDB and MySQL besides: each transaction has the isolation level that is asked of it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from engine.workloads.brokerage import names
from tests.engine.workloads.brokerage.contract import BrokerageStore
from tests.waiting import wait_until

_LATE = "2100-01-01 00:00:00"
_CALLS = (
    ("trade_order", (1, names.tax_id(1), names.symbol(1), "", "", "TMB", 100, 100, 0, 0, 0)),
    ("market_feed", (names.symbol(2), [25_00], [100])),
    ("trade_update", (1, [7], 0, "", _LATE, _LATE)),
    ("trade_result", (8, 25_00)),
)
_LOCKS = (
    f"SELECT 1 FROM security WHERE s_symb = '{names.symbol(1)}' FOR UPDATE",
    f"SELECT 1 FROM last_trade WHERE lt_s_symb = '{names.symbol(2)}' FOR UPDATE",
    "SELECT 1 FROM trade WHERE t_id IN (7, 8) FOR UPDATE",
)
_WAITING = "SELECT trx_query, trx_isolation_level FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


class IsolationContract:
    """Transactions that wait for rows that another one has locked say which levels they have."""

    def test_a_trade_result_is_serializable_and_other_writes_are_repeatable(self, brokerage: BrokerageStore) -> None:
        with ThreadPoolExecutor(len(_CALLS)) as background, ExitStack() as opened:
            sessions = [opened.enter_context(closing(brokerage.open())) for _ in _CALLS]
            with brokerage.transaction() as run:
                for lock in _LOCKS:
                    run(lock)
                waiting = [
                    background.submit(session.call, *call) for session, call in zip(sessions, _CALLS, strict=True)
                ]
                # The list of transactions is made anew only when nobody has read it for a tenth of a second.
                wait_until(lambda: brokerage.waiting() == len(_CALLS), "all wait for a lock")
                levels = {" ".join(query.split()[:2]): level for query, level in brokerage.run(_WAITING)}
            for each in waiting:
                each.result(60)
        assert levels == {
            "INSERT INTO": "REPEATABLE READ",
            "UPDATE last_trade": "REPEATABLE READ",
            "UPDATE trade": "REPEATABLE READ",
            "SELECT t_st_id,": "SERIALIZABLE",
        }
        brokerage.reset()
