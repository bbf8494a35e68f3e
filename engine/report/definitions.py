"""The definitions at the end of documents: the meaning of each figure in a sentence.

Called by the builders of documents; ``engine.analysis`` computes the figures and names their sources.
"""

from collections.abc import Iterable
from enum import Enum

from engine.analysis.headline import Headline
from engine.report.document import Facts, Section


class Term(Enum):
    """A figure's name and definition, with places for the words of the workload's headline."""

    RATE = "{label}", "{per_seconds} × {many} ÷ seconds of the measuring phase, rounded down: {running}."
    RATE_WINDOW = (
        "{label} over 10 s",
        "The same over the 10 seconds before each moment, so that an outage shows; over fewer where the warm-up or the"
        " measuring phase has just begun, as no window reaches back into the phase before.",
    )
    RATE_PEAK = "{label} peak", "The highest {label} of any 10 seconds of the measuring phase."
    COUNT = "{heading}", "{counted}"
    RESPONSE_TIME = "Response time", "{timed}; p95 is the time that 95 % of the {units} took at most."
    LIMIT = (
        "Limit",
        "The time that 90 % of the transactions of a type may take at most; it is met if their p90 is not longer.",
    )
    INTENDED = (
        "As intended",
        "Users are closed-loop: while {a_unit} hangs, its user places no other, so that the time of the {unit} (service"
        " time) says nothing about those that it delayed. As intended, every {unit} that its user's schedule (one every"
        " think time + mean response time) had due meanwhile counts with its wait until the end of the stall, or of the"
        " measuring phase if that came first. In a run that was stopped before its time, those that still waited at the"
        " end don't count.{of_all_types}",
    )
    VARIABILITY = "Variability", "(Largest − smallest client {label}) ÷ largest, in per cent."
    DIFFERENCE = "Difference", "A figure less that of the first result; in per cent of the first; times is their ratio."
    MEDIAN = (
        "Median run",
        "The run with the median {label} of those that completed; of an even number the lower of the middle two. Its"
        " own figures of every client are the set's.",
    )
    SPREAD = "Spread", "(Best − worst run's {label}) ÷ best, in per cent."
    COST = "Cost per {label}", "The sum of the bill of materials ÷ {label}."
    WATT = (
        "{label} per watt",
        "{label} ÷ the sum of the active watts of all devices; not known while one of them is not.",
    )
    SCALING = "Increase", "{label} less that of the first row, in per cent of it."
    LINEAR = "Of linear", "{label} per unit of the factor in per cent of the first row's; 100 % is linear scaling."
    DENSITY = "Density", "The largest number of targets whose run holds the service level."
    STEADY = (
        "Steady state",
        "The {label} of the measuring phase, window by window, drifts by at most 5 % and varies by at most 10 %, or by"
        " no more than is expected by chance with so few {many}.",
    )
    FAILOVER = (
        "Failover",
        "The running {label} is that since measuring began. It stabilised at its lowest, that long after the fault, and"
        " was back at the level before that much later.",
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

    def define(self, headline: Headline) -> tuple[str, str]:
        """The figure's name and definition for a run with this headline."""
        words = {
            "label": headline.label,
            "per_seconds": headline.metric.per_seconds,
            "many": headline.many,
            "heading": headline.heading,
            "unit": headline.unit,
            "a_unit": headline.a_unit,
            "units": headline.units,
            "running": headline.wording.running,
            "counted": headline.wording.counted,
            "timed": headline.wording.timed,
            "of_all_types": _OF_ALL_TYPES if headline.is_mixed else "",
        }
        name, meaning = self.value
        return name.format_map(words), meaning.format_map(words)


_OF_ALL_TYPES = (
    " These times are of the transactions of all types together: a user draws the type of the next one when it begins"
    " its pause, so that those that became due meanwhile have none."
)


def definitions_section(headline: Headline, terms: Iterable[Term]) -> Section:
    """The definitions of these figures, each once, in the given order."""
    return Section(
        title="Definitions", blocks=(Facts(rows=tuple(term.define(headline) for term in dict.fromkeys(terms))),)
    )
