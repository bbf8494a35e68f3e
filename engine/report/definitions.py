"""The definitions at the end of documents: the meaning of each figure in a sentence.

Called by the builders of documents; ``engine.analysis`` computes the figures and names their sources.
"""

from collections.abc import Iterable
from enum import Enum

from engine.report.document import Facts, Section


class Term(Enum):
    """A figure's name and definition."""

    OPM = "OPM", "60 × orders ÷ seconds of the measuring phase, rounded down: DVD Store 2's running average at its end."
    OPM_WINDOW = (
        "OPM over 10 s",
        "The same over the 10 seconds before each moment, so that an outage shows; over fewer where the warm-up or the"
        " measuring phase has just begun, as no window reaches back into the phase before.",
    )
    OPM_PEAK = "OPM peak", "The highest OPM of any 10 seconds of the measuring phase."
    ORDERS = (
        "Orders",
        "Purchases that the server answered, also those rolled back because of insufficient stock, as DVD Store 2"
        " counts them.",
    )
    RESPONSE_TIME = (
        "Response time",
        "Of an order: its login or registration, its searches and its purchase, without the price look-up and the"
        " think time; p95 is the time that 95 % of the orders took at most.",
    )
    INTENDED = (
        "As intended",
        "Users are closed-loop: while an order hangs, its user places no other, so that the time of the order (service"
        " time) says nothing about those that it delayed. As intended, every order that its user's schedule (one every"
        " think time + mean response time) had due meanwhile counts with its wait until the end of the stall, or of the"
        " measuring phase if that came first. In a run that was stopped before its time, those that still waited at the"
        " end don't count.",
    )
    VARIABILITY = "Variability", "(Largest − smallest client OPM) ÷ largest, in per cent."
    DIFFERENCE = "Difference", "A figure less that of the first result; in per cent of the first; times is their ratio."
    MEDIAN = (
        "Median run",
        "The run with the median OPM of those that completed; of an even number the lower of the middle two. Its own"
        " figures of every client are the set's.",
    )
    SPREAD = "Spread", "(Best − worst run's OPM) ÷ best, in per cent."
    COST = "Cost per OPM", "The sum of the bill of materials ÷ OPM."
    WATT = "OPM per watt", "OPM ÷ the sum of the active watts of all devices; not known while one of them is not."
    SCALING = "Increase", "OPM less that of the first row, in per cent of it."
    LINEAR = "Of linear", "OPM per unit of the factor in per cent of the first row's; 100 % is linear scaling."
    DENSITY = "Density", "The largest number of targets whose run holds the service level."
    STEADY = (
        "Steady state",
        "The OPM of the measuring phase, window by window, drifts by at most 5 % and varies by at most 10 %, or by"
        " no more than is expected by chance with so few orders.",
    )
    FAILOVER = (
        "Failover",
        "The running OPM is that since measuring began. It stabilised at its lowest, that long after the fault, and was"
        " back at the level before that much later.",
    )
    DELAY = (
        "Delay",
        "How late a thread of the client that wakes every 10 ms runs, because it waits for the interpreter or for a"
        " processor: up to about that much of a response time may be due to the workstation and not the server.",
    )
    HOST_MEAN = (
        "Means of hosts",
        "Weighted by time, over the known part of the measuring phase; each value is valid since the one before, gaps"
        " are left out.",
    )


def definitions_section(terms: Iterable[Term]) -> Section:
    """The definitions of these figures, each once, in the given order."""
    return Section(title="Definitions", blocks=(Facts(rows=tuple(term.value for term in dict.fromkeys(terms))),))
