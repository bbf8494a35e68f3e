"""Brokerage beside pgbench: the same ten functions and procedures on the same server, in turn.

Both drive the specified mix without think time, among it the Trade-Results and Market-Feeds that the market owes, with
server and drivers on the same processors; each client of pgbench keeps its own orders until they are completed. Each
measurement begins on a store that was just reset, with a warm-up that counts for nobody. What counts are transactions
of all types; that both complete the same share of trades is shown by the Trade-Results of the counted seconds, which
are counted in the store. Spindle is a whole run with ledgers, probe and library, whose Trade-Orders and Trade-Results
are counted three times and audited, the three consistency conditions included.
"""

from collections.abc import Mapping

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.workload.registry import BROKERAGE
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE, Size
from engine.workloads.brokerage.transactions import TRANSACTIONS
from tests.benchmarks import pgbench_brokerage
from tests.benchmarks.beside_pgbench import Contest, compare_with_pgbench
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure
from tests.benchmarks.section import Choices, Section

# A Market-Feed is one transaction in a hundred: until 128 users have planned theirs, more than ten thousand go by.
_WARMUP_SECONDS = 15
_SCALE, _QUICK_SCALE = Size(1_000, 10), Size(1_000, 1)
_COMPLETED = (
    f"SELECT count(*) FROM trade WHERE t_id >= {FIRST_RUN_TRADE} AND t_st_id = 'CMPT'"
    " AND t_dts BETWEEN to_timestamp(%s) AND to_timestamp(%s)"
)


def run(chosen: Choices) -> list[Figure]:
    scale = _QUICK_SCALE if chosen.quick else _SCALE
    contest = Contest(
        workload=BROKERAGE,
        scale=scale,
        unit="transaction",
        warmup_seconds=5 if chosen.quick else _WARMUP_SECONDS,
        counted=[each.id for each in TRANSACTIONS],
        script=pgbench_brokerage.script(scale),
        variables=pgbench_brokerage.VARIABLES,
        look=_trades,
    )
    return compare_with_pgbench(contest, chosen)


def _trades(server: EmbeddedServer, database: str, driven: Driven) -> Mapping[tuple[str, str], float]:
    """The Trade-Results of the counted seconds, by the moments that the server gave them."""
    with opened(server.target(database), server.secret, Timeouts()) as connection:
        ended_at = driven.began_at + driven.seconds
        row = connection.execute(_COMPLETED, [driven.began_at, ended_at]).fetchone()
    trades = int(str(row[0])) if row is not None else 0
    return {
        ("Trade-Results per second", "1/s"): trades / driven.seconds,
        ("Trade-Results in 100 transactions", ""): 100 * trades / driven.orders,
    }


SECTION = Section("brokerage", "Transactions of Brokerage beside pgbench", run)
