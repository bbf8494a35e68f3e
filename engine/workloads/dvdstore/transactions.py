"""What the DVD Store counts: orders, and the steps that an order consists of."""

from enum import StrEnum

from engine.workload.transaction import Metric, TransactionType

ORDER = "order"


class Step(StrEnum):
    """The timed steps of an order."""

    LOGIN = "login"
    NEW_CUSTOMER = "new_customer"
    BROWSE = "browse"
    PURCHASE = "purchase"


TRANSACTIONS = (
    TransactionType(id=ORDER, label="order", plural="orders"),
    TransactionType(id=Step.LOGIN, label="login", plural="logins", step_of=ORDER),
    TransactionType(id=Step.NEW_CUSTOMER, label="registration", plural="new_customers", step_of=ORDER),
    TransactionType(id=Step.BROWSE, label="search", labels="searches", plural="browses", step_of=ORDER),
    TransactionType(id=Step.PURCHASE, label="purchase", plural="purchases", step_of=ORDER),
)
COLUMNS = (ORDER, Step.NEW_CUSTOMER, Step.LOGIN, Step.BROWSE, Step.PURCHASE)
OPM = Metric(id="opm", label="OPM", unit="orders/min", counts=ORDER)
