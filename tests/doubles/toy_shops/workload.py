"""The toy as a workload."""

from collections.abc import Mapping
from random import Random
from typing import Any

from engine.parameters.parameter import Parameter, Part, Whole
from engine.workload.rows.columns import integer, money, text
from engine.workload.rows.estimate import StoreEstimate, estimate_of
from engine.workload.tally import Tally
from engine.workload.transaction import Metric, TransactionType
from engine.workload.workload import Workload

from .user import VISIT, Visitor


def _user(values: Mapping[str, Any], *, think_time_ms: float, number: int, random: Random, tally: Tally) -> Visitor:
    return Visitor(values["shops"], think_time_ms, random, tally)


def _estimate(shops: int) -> StoreEstimate:
    columns = {
        "shops": (integer("shop"), text("name", 10)),
        "visits": (integer("visit"), integer("shop"), money("paid")),
    }
    return estimate_of(
        str(shops), columns, {"shops": shops, "visits": 3 * shops}, {"shops": (("shop",),), "visits": (("visit",),)}
    )


WORKLOAD = Workload(
    id="toy",
    title="Toy",
    scale_key="shops",
    small_scale=10,
    usual_scale=10,
    estimate=_estimate,
    transactions=(TransactionType(id=VISIT, label="Visit", plural="visits"),),
    headline=Metric(id="vpm", label="VPM", unit="visits/min", counts=VISIT),
    user=_user,
    bindings=f"{__package__}.bindings",
    parameters=(
        Parameter(
            key="shops",
            label="Shops",
            type=Whole(1, 10_000),
            default=None,
            part=Part.DATABASE,
            help="How many shops there are.",
            default_help="the shops already built",
            noun=("shop", "shops"),
        ),
    ),
)
