"""Samples of the DVD Store by the words in which tests speak of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.analysis.headline import headline_of
from engine.telemetry.sample import Count, Sample
from engine.workloads.dvdstore.transactions import ORDER, Step

OPM = headline_of("dvdstore")
_WORDS = {
    Step.LOGIN: ("logins", "login_us"),
    Step.NEW_CUSTOMER: ("new_customers", "new_customer_us"),
    Step.BROWSE: ("browses", "browse_us"),
    Step.PURCHASE: ("purchases", "purchase_us"),
}


def dvd_sample(
    *,
    orders: int = 0,
    order_us: int = 0,
    order_us_max: int = 0,
    histogram: bytes = b"",
    steps: Mapping[str, bytes] | None = None,
    **values: Any,
) -> Sample:
    """A sample with these counts of orders, and of steps by their plurals (``logins``) and sums (``login_us``).

    ``steps`` are the histograms of the steps that occurred; ``None``: they were not recorded.
    """
    transactions = {ORDER: Count(orders, order_us, order_us_max, histogram)}
    for step, (n, sum_us) in _WORDS.items():
        recorded = None if steps is None else steps.get(step, b"")
        transactions[step.value] = Count(values.pop(n, 0), values.pop(sum_us, 0), histogram=recorded)
    return Sample(transactions=transactions, **values)


def number(sample: Sample, word: str) -> int:
    """A number of a sample by the same words, or by its name in ``Sample``."""
    words = {"orders": sample.of(ORDER).n, "order_us": sample.of(ORDER).sum_us, "order_us_max": sample.of(ORDER).max_us}
    for step, (n, sum_us) in _WORDS.items():
        words |= {n: sample.of(step).n, sum_us: sample.of(step).sum_us}
    value: int = words[word] if word in words else getattr(sample, word)
    return value


def numbers(sample: Sample, *words: str) -> tuple[int, ...]:
    """Several of them."""
    return tuple(number(sample, word) for word in words)


def with_histogram(sample: Sample, histogram: bytes) -> Sample:
    """The sample with other response times of its orders."""
    served = sample.of(ORDER)._replace(histogram=histogram)
    return replace(sample, transactions={**sample.transactions, ORDER: served})


def without_steps(sample: Sample) -> Sample:
    """The sample of a version that recorded no response times of steps."""
    counts = {step.value: sample.of(step)._replace(histogram=None) for step in Step}
    return replace(sample, transactions={**sample.transactions, **counts})


def with_orders(sample: Sample, orders: int) -> Sample:
    """The sample with another number of orders."""
    return replace(sample, transactions={**sample.transactions, ORDER: sample.of(ORDER)._replace(n=orders)})
