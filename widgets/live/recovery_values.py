"""The texts of the recovery card: word and shape of the state, clock, and figures.

Called by the card and by the library's list of faults.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Calls, Recovery, RecoveryState
from engine.audit.report import AuditReport, Verdict
from engine.figure_text import UNKNOWN, duration, percent, whole
from engine.report.audit_text import load_sentences
from engine.report.recovery_rows import of_users_lost, users_back
from engine.report.recovery_text import recovery_remarks, relapse_cell
from widgets.parts.shapes import Shape, Tone

SIGNS: dict[RecoveryState, tuple[Shape, Tone]] = {
    RecoveryState.STEADY: (Shape.RING, "accent"),
    RecoveryState.DOWN: (Shape.CROSS, "bad"),
    RecoveryState.DEGRADED: (Shape.TRIANGLE, "warning"),
    RecoveryState.RECOVERED: (Shape.TICK, "good"),
    RecoveryState.RELAPSED: (Shape.DIAMOND, "warning"),
    RecoveryState.NOT_RECOVERED: (Shape.SQUARE, "bad"),
    RecoveryState.NOT_JUDGED: (Shape.BAR, "muted"),
}
WITH_CLOCK = (
    RecoveryState.STEADY,
    RecoveryState.DOWN,
    RecoveryState.DEGRADED,
    RecoveryState.RECOVERED,
    RecoveryState.RELAPSED,
)
WIDEST_CLOCK = duration(88 * 60 + 28)


@dataclass(frozen=True, kw_only=True)
class CardFigure:
    """One figure of the card, with its tool tip. ``short`` is what a caption without the room for it gives way to."""

    caption: str
    value: str
    tool_tip: str = ""
    short: str = ""


@dataclass(frozen=True, kw_only=True)
class LostOrders:
    """What is known of the orders that were lost at a fault, as a text."""

    value: str = UNKNOWN
    tool_tip: str = ""


WIDEST_VALUES = (
    "888.8 s",
    "8 888 s",
    "888 888  −88.88 %",
    "8 888 888",
    "88 888 888",
    "888.8 s",
    "8 888 of 8 888",
    "not possible",
)
"""A wide value of each of ``figures_of``."""


def word_of(state: RecoveryState) -> str:
    return state.value.upper()


def clock_text(recovery: Recovery) -> str:
    """The time since the fault, until the recovery or in a relapse; empty when no clock is running any more.

    A running clock shows whole seconds: its tenths would not change between updates.
    """
    if recovery.state not in WITH_CLOCK:
        return ""
    clocks = recovery.total.clocks
    if recovery.state is RecoveryState.RECOVERED:
        return duration(clocks.recovered_after_seconds)
    is_relapsed = recovery.state is RecoveryState.RELAPSED
    return duration(round(clocks.in_state_seconds if is_relapsed else clocks.elapsed_seconds))


def clock_caption(recovery: Recovery) -> str:
    captions = {RecoveryState.RECOVERED: "after", RecoveryState.RELAPSED: "for"}
    return captions.get(recovery.state, "so far") if recovery.state in WITH_CLOCK else ""


def outcome_text(recovery: Recovery) -> str:
    """The state with the recovery time, and a line for the relapses: for a list of faults."""
    total = recovery.total
    if total.felt.recovered_seconds is None:
        return recovery.state.value
    recovered = f"recovered after {duration(total.felt.recovered_seconds)}"
    if not total.felt.relapses:
        return recovered
    which = "relapse" if total.felt.relapses == 1 else "relapses:"
    return f"{recovered}\n{which} {relapse_cell(total, recovery.clock)}"


def figures_of(recovery: Recovery, lost: LostOrders) -> tuple[CardFigure, ...]:
    """The eight figures, with the words of the run's headline."""
    total, headline = recovery.total, recovery.headline
    felt, published, calls = total.felt, total.published, total.calls
    one, many, metric = headline.one, headline.many, headline.label
    by = "by the probe, to a tenth of a second" if felt.probe_blackout is not None else "in whole seconds"
    values = (
        ("black-out", duration(felt.blackout_seconds), f"The longest time without any {one}, {by}"),
        ("brown-out", duration(felt.brownout_seconds), f"Seconds with {many}, but under the threshold"),
        (
            "lowest running",
            _lowest_running(recovery),
            f"Running {metric}; it was {headline.text(published.headline_rate_before)} at the fault",
        ),
        (f"lowest {metric}", _lowest_second(recovery), f"The lowest second as {metric}"),
        (
            headline.missed,
            whole(felt.transactions_not_taken),
            f"{headline.heading} that would have been counted at the baseline rate",
        ),
        (
            "detection lag",
            duration(felt.detection_lag_seconds, with_tenths=True),
            f"Until its first sign: {'the probe, a failed call' if headline.has_users else 'an error'} or a low second",
        ),
        (f"{headline.users} back", users_back(headline, calls), of_users_lost(headline).removesuffix(".")),
    )
    figures = (CardFigure(caption=caption, value=value, tool_tip=tool_tip) for caption, value, tool_tip in values)
    return *figures, _lost_figure(headline, lost) if headline.has_users else _errors(calls)


def baseline_sentence(recovery: Recovery) -> str:
    """The baseline of a fault, or why there is none."""
    baseline = recovery.total.baseline
    if baseline.refusal:
        return baseline.refusal
    over = duration(baseline.end_second - baseline.first_second)
    rate = f"{recovery.headline.text(baseline.headline_rate)} {recovery.headline.label}"
    return f"Baseline {rate} over {over}, spread {percent(baseline.spread_pct)}."


def remarks_of(recovery: Recovery) -> list[str]:
    """The remarks beside the state's sentence and the figures; a refusal that is already that sentence is not
    repeated."""
    remarks = [baseline_sentence(recovery), *recovery_remarks(recovery)]
    return [each for each in remarks if each != recovery.sentence]


def lost_at(recovery: Recovery, audit: Mapping[str, Any] | None, *, is_over: bool) -> LostOrders:
    """What was lost at a recovery's fault according to an audit, from the run's record."""
    if audit is None:
        text = "not audited" if is_over else "at the end"
        return LostOrders(value=text, tool_tip="The audit compares the clients' ledgers with the server after the run")
    report = AuditReport.from_dict(audit)
    tool_tip = "\n".join(load_sentences(report, recovery.headline))
    if report.verdict in (Verdict.INCOMPLETE, Verdict.NOT_POSSIBLE):
        return LostOrders(value=report.verdict.value, tool_tip=tool_tip)
    if report.verdict is Verdict.NOTHING:
        return LostOrders(value=f"no {recovery.headline.recorded.many}", tool_tip=tool_tip)
    fault = recovery.fault
    gone = [each.gone for each in report.faults if (each.at_seconds, each.label) == (fault.at_seconds, fault.label)]
    return LostOrders(value=whole(sum(gone)) if gone else whole(report.counts.gone), tool_tip=tool_tip)


def _lost_figure(headline: Headline, lost: LostOrders) -> CardFigure:
    caption = f"lost {headline.recorded.many}"
    return CardFigure(caption=caption, value=lost.value, tool_tip=lost.tool_tip, short="lost transactions")


def _errors(calls: Calls) -> CardFigure:
    """In the place of what was lost, of a load of which no audit can tell."""
    by_class = ", ".join(f"{name.replace('_', ' ')} {whole(count)}" for name, count in calls.errors.items())
    return CardFigure(caption="errors", value=whole(sum(calls.errors.values())), tool_tip=by_class)


def _lowest_running(recovery: Recovery) -> str:
    published = recovery.total.published
    if published.headline_rate_lowest is None or published.drop_pct is None:
        return UNKNOWN
    drop = percent(-published.drop_pct, 2) if published.drop_pct else "no drop"
    return f"{recovery.headline.text(published.headline_rate_lowest)}  {drop}"


def _lowest_second(recovery: Recovery) -> str:
    """In per cent where some client's counts are unknown: a rate would be a guess."""
    felt = recovery.total.felt
    rate = felt.lowest_second_headline_rate
    return percent(felt.lowest_second_pct) if rate is None else recovery.headline.text(rate)
