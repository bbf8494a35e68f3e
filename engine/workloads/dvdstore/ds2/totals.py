"""A DVD Store driver's last report as a run's totals; what DS2 does not report is ``None``.

Called by ``engine.workloads.dvdstore.ds2.log``.
"""

import math
from collections.abc import Sequence
from typing import Any

from engine.record.totals import ClientTotals, ResponseTimes, Totals, TransactionTotals
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.ds2.log_lines import Report
from engine.workloads.dvdstore.transactions import ORDER, TRANSACTIONS

_PRINTED_TO_SECONDS = 0.0501  # printed to a tenth, with room for the last bit


def totals_of(
    total: Report, clients: Sequence[tuple[str, str, Report]], targets: Sequence[tuple[str, Report]] = ()
) -> Totals:
    """The totals from the last report of all targets, and those of the clients: label, target and report.

    ``targets`` are the last reports of targets that are not distinguished as clients, each with its name.
    """
    return Totals(
        **_figures(total),
        workload=DVD_STORE,
        measured_seconds=round(total.et),
        last_100_max_ms=total.values.get("last_100_max_ms"),
        clients=tuple(ClientTotals(**_figures(report), label=label, target=url) for label, url, report in clients),
        targets=tuple(ClientTotals(**_figures(report), label=name, target=name) for name, report in targets),
    )


def _figures(report: Report) -> dict[str, Any]:
    value = report.values.get
    rollbacks = value("rollbacks")
    known = rollbacks is not None and report.orders > 0
    return {
        "headline_rate": _opm(report),
        "counted": ORDER,
        "transactions": {
            each.id: TransactionTotals(count=value(each.plural), times=ResponseTimes(mean=value(f"{each.id}_ms")))
            for each in TRANSACTIONS
        },
        "counts": {"rollbacks": rollbacks},
        "rollback_pct": round(100 * value("rollbacks", 0) / report.orders, 2) if known else None,
    }


def inconsistencies_of(reports: Sequence[tuple[Report, Sequence[Report]]]) -> list[str]:
    """Inconsistencies in the measured reports: each of all targets, with those of each target if reported
    separately."""
    if not reports:
        return []
    last, targets = reports[-1]
    doubts = []
    most = max(report.orders for report, _ in reports)
    if most > last.orders:
        doubts.append(f"the last report counts {last.orders} orders, an earlier one {most}")
    if not _agrees(last):
        doubts.append(f"opm={last.values['opm']} is not {last.orders} orders in {last.et:g} s")
    together = sum(report.orders for report in targets)
    if targets and together != last.orders:
        doubts.append(f"the targets' orders add up to {together}, their total is {last.orders}")
    return doubts


def _opm(report: Report) -> int | None:
    """Orders per minute as DS2 printed it, else by its formula: floor(60 × orders ÷ seconds since the reset)."""
    if "opm" in report.values:
        return report.values["opm"]
    return math.floor(60 * report.orders / report.et) if report.et > 0 else None


def _agrees(report: Report) -> bool:
    """Whether the printed opm matches the orders, for some time that is printed as the report's."""
    if "opm" not in report.values or report.et <= _PRINTED_TO_SECONDS:
        return True
    least = math.floor(60 * report.orders / (report.et + _PRINTED_TO_SECONDS))
    most = math.floor(60 * report.orders / (report.et - _PRINTED_TO_SECONDS))
    return least <= report.values["opm"] <= most
