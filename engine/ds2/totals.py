"""A DVD Store driver's last report as a run's totals, with the keys of ``--json``; what DS2 does not report is
``None``.

Called by ``engine.ds2.log``.
"""

import math
from collections.abc import Sequence
from typing import Any

from engine.ds2.log_lines import Report

_PRINTED_TO_SECONDS = 0.0501  # printed to a tenth, with room for the last bit


def totals_of(total: Report, clients: Sequence[tuple[str, str, Report]]) -> dict[str, Any]:
    """The totals from the last report of all targets, and those of the clients: label, target and report.

    In addition to the usual keys, ``rt_last_100_max_ms`` is DS2's ``rt_tot_lastn_max``: the largest of the last 100
    orders, which is not the largest of the run.
    """
    return {
        "measured_seconds": round(total.et),
        **_figures(total),
        "rt_last_100_max_ms": total.values.get("last_100_max_ms"),
        "clients": [client_of(label, target, report) for label, target, report in clients],
    }


def client_of(label: str, target: str, report: Report) -> dict[str, Any]:
    """One client's totals, from its last report."""
    return {"label": label, "target": target, **_figures(report)}


def _figures(report: Report) -> dict[str, Any]:
    value = report.values.get
    rollbacks = value("rollbacks")
    known = rollbacks is not None and report.orders > 0
    return {
        "opm": _opm(report),
        "opm_peak": None,
        "orders": report.orders,
        "new_customers": value("new_customers"),
        "logins": value("logins"),
        "browses": value("browses"),
        "purchases": value("purchases"),
        "rollbacks": rollbacks,
        "retries": None,
        "reconnects": None,
        "in_doubt": None,
        "rollback_pct": round(100 * value("rollbacks", 0) / report.orders, 2) if known else None,
        "rt_ms": {"mean": value("order_ms"), "p50": None, "p95": None, "p99": None, "max": None},
        "rt_login_ms": value("login_ms"),
        "rt_new_customer_ms": value("new_customer_ms"),
        "rt_browse_ms": value("browse_ms"),
        "rt_purchase_ms": value("purchase_ms"),
        "errors": None,
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
