"""What Brokerage fulfils on MariaDB and MySQL besides: each transaction has the isolation level that is asked of it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from engine.workloads.brokerage import names
from tests.engine.workloads.brokerage.contract import BrokerageStore
from tests.waiting import wait_until

_REPEATABLE, _SERIALIZABLE = "REPEATABLE READ", "SERIALIZABLE"
_LEVELS = "SELECT trx_isolation_level FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
_ORDER = (1, names.tax_id(1), names.symbol(1), "", "", "TMB", 100, 100, 0, 0, 0)
_LATE = "2100-01-01 00:00:00"


class IsolationContract:
    """A transaction that waits for a row that another one has locked says which level it has."""

    @pytest.mark.parametrize(
        ("call", "arguments", "locked", "level"),
        [
            ("trade_order", _ORDER, f"security WHERE s_symb = '{names.symbol(1)}'", _REPEATABLE),
            (
                "market_feed",
                (names.symbol(2), [25_00], [100]),
                f"last_trade WHERE lt_s_symb = '{names.symbol(2)}'",
                _REPEATABLE,
            ),
            ("trade_update", (1, [7], 0, "", _LATE, _LATE), "trade WHERE t_id = 7", _REPEATABLE),
            ("trade_result", (7, 25_00), "trade WHERE t_id = 7", _SERIALIZABLE),
        ],
    )
    def test_transactions_that_write_have_their_level(
        self, brokerage: BrokerageStore, call: str, arguments: tuple[Any, ...], locked: str, level: str
    ) -> None:
        session = brokerage.open()
        try:
            with ThreadPoolExecutor(1) as background:
                with brokerage.transaction() as run:
                    run(f"SELECT 1 FROM {locked} FOR UPDATE")
                    waiting = background.submit(session.call, call, arguments)
                    wait_until(lambda: brokerage.run(_LEVELS) == [(level,)], f"{call} waits, and has its level")
                waiting.result(20)
        finally:
            session.close()
        brokerage.reset()
