"""Wholesale beside pgbench: the same five procedures on the same server, in turn.

Both drive the specified mix without think time, each user at its home warehouse, with server and drivers on the same
processors. Each measurement begins on a store that was just reset, with a warm-up that counts for nobody. An order is a
New-Order, committed or rolled back on purpose; of pgbench, which counts all transactions together, 45 in 100 of these,
as its script draws them. Processor time is that of all transactions, for each order. Spindle is a whole run with
ledgers, probe and library, whose orders are counted three times and audited.
"""

from engine.workload.registry import WHOLESALE
from engine.workloads.wholesale.picks import MIXES
from engine.workloads.wholesale.sizing import Warehouses
from engine.workloads.wholesale.transactions import NEW_ORDER, ROLLED_BACK
from tests.benchmarks import pgbench_wholesale
from tests.benchmarks.beside_pgbench import Contest, compare_with_pgbench
from tests.benchmarks.figures import Figure
from tests.benchmarks.section import Choices, Section

_SCALE, _QUICK_SCALE = Warehouses(10), Warehouses(2)
_MIX = "specified"


def run(chosen: Choices) -> list[Figure]:
    scale = _QUICK_SCALE if chosen.quick else _SCALE
    contest = Contest(
        workload=WHOLESALE,
        scale=scale,
        parameters={"mix": _MIX},
        counted=(NEW_ORDER, ROLLED_BACK),
        share=MIXES[_MIX][NEW_ORDER] / 100,
        script=pgbench_wholesale.script(scale.count, _MIX),
        variables=pgbench_wholesale.VARIABLES,
    )
    return compare_with_pgbench(contest, chosen)


SECTION = Section("wholesale", "New-Orders of Wholesale beside pgbench", run)
