"""All figures of the recovery from a fault, as rows of a table: for the window and the evidence of a recovery.

Each row has a figure's name, its value with its unit, and its meaning in one line for a tool tip. Unknown values, or
those not known yet, are –.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Calls, Felt, Recovery, SubjectRecovery
from engine.analysis.recovery.times import ResponseTimes
from engine.figure_text import UNKNOWN, capitalised, duration, percent, whole
from engine.record.clock import RunClock
from engine.report.recovery_text import missed_title

BASELINE, PUBLISHED, FELT, RELAPSES, TPC_E, TIMES, CALLS, PROGRAMS = (
    "Baseline",
    "As published",
    "As felt",
    "Relapses",
    "As TPC-E defines it",
    "Response times",
    "Calls and users",
    "Programs and threads",
)
REFUSED = "Refused"
"""The figure whose value is a sentence: why there is no baseline."""


@dataclass(frozen=True, kw_only=True)
class RecoveryRow:
    """One row of a table of figures; ``group`` is its heading."""

    group: str
    figure: str
    value: str
    meaning: str = ""


def recovery_rows(recovery: Recovery, subject: SubjectRecovery) -> list[RecoveryRow]:
    """All figures of a recovery, of all clients together or of one; moments are on the run's clock."""
    headline, clock = recovery.headline, recovery.clock
    return [
        *_baseline_rows(headline, subject),
        *_felt_rows(headline, subject, clock),
        *_relapse_rows(headline, subject, clock),
        *_published_rows(headline, subject),
        *_tpc_rows(subject),
        *_times_rows(headline, subject),
        *_calls_rows(headline, subject),
    ]


def _baseline_rows(headline: Headline, subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    baseline = subject.baseline
    window = f"{duration(baseline.end_second - baseline.first_second)} before the fault"
    yield _row(BASELINE, f"{headline.label} before", headline.text(baseline.headline_rate), f"Mean over the {window}.")
    yield _row(
        BASELINE, "Spread", percent(baseline.spread_pct, 1), "Standard deviation of its seconds over their mean."
    )
    yield _row(BASELINE, "Drift", percent(baseline.drift_pct, 1), "Its second half against its first.")
    if baseline.refusal:
        yield _row(BASELINE, REFUSED, baseline.refusal)


def _felt_rows(headline: Headline, subject: SubjectRecovery, clock: RunClock) -> Iterator[RecoveryRow]:
    felt, one, many = subject.felt, headline.one, headline.many
    yield _row(FELT, "Recovered after", duration(felt.recovered_seconds), "Until the threshold was first held.")
    for share, after in felt.time_to_seconds.items():
        yield _row(FELT, f"{share} % held after", duration(after), f"Until {share} % of the baseline was held again.")
    signs = (
        f"First sign by the probe, to a tenth; else by calls or {many}, to the second."
        if headline.has_users
        else f"First sign by an error or by {many}, to the second."
    )
    yield _row(FELT, "Detection lag", duration(felt.detection_lag_seconds, with_tenths=True), signs)
    yield _first_failure(headline, felt)
    probe = felt.probe_blackout
    if probe is not None:
        no_write = f"No {'committed' if headline.is_transactional else 'acknowledged'} write, to a tenth."
        yield _row(FELT, "Black-out by the probe", duration(probe.longest_seconds), no_write)
        yield _row(FELT, "Black-outs by the probe, total", duration(probe.total_seconds))
    longest = duration(felt.blackout.longest_seconds)
    yield _row(FELT, "Black-out", longest, f"Longest, in whole seconds without {headline.a_one}.")
    yield _row(FELT, "Black-outs, total", duration(felt.blackout.total_seconds))
    last, first = felt.blackout.last_transaction_second, felt.blackout.first_transaction_second
    yield _row(FELT, f"Last {one} before at", clock.second(last), f"Time {clock.since}.")
    yield _row(FELT, f"First {one} after at", clock.second(first), f"Time {clock.since}.")
    yield _row(FELT, "Brown-out", duration(felt.brownout_seconds), f"Seconds with {many}, but under the threshold.")
    lowest_second = _level(felt.lowest_second_pct, felt.lowest_second_headline_rate, headline)
    yield _row(FELT, f"Lowest second ({headline.label})", lowest_second, "Of the baseline.")
    lowest_window = _level(felt.lowest_window_pct, felt.lowest_window_headline_rate, headline)
    yield _row(FELT, f"Lowest window ({headline.label})", lowest_window, "Of the baseline.")
    yield _row(FELT, missed_title(headline), whole(felt.transactions_not_taken), "The area under the baseline.")
    yield _row(FELT, "… in baseline time", duration(felt.transactions_not_taken_baseline_seconds))
    yield _row(FELT, "Level after", percent(felt.level_after_pct, 1), "Mean after the recovery, of the baseline.")
    if felt.unknown_seconds:
        yield _row(FELT, "Unknown", duration(felt.unknown_seconds), "Seconds of clients that nothing is known of.")


def _first_failure(headline: Headline, felt: Felt) -> RecoveryRow:
    after = duration(felt.first_failed_call_seconds)
    if not headline.has_users:
        return _row(FELT, "First error after", after, "To the second.")
    no_deadlocks = "; no deadlocks" if headline.is_transactional else ""
    return _row(FELT, "First failed call after", after, f"To the second{no_deadlocks}.")


def _relapse_rows(headline: Headline, subject: SubjectRecovery, clock: RunClock) -> Iterator[RecoveryRow]:
    felt = subject.felt
    for number, relapse in enumerate(felt.relapse_spans, start=1):
        not_over = "" if relapse.is_over else ", not over"
        when = f"at {clock.second(relapse.begins_at_seconds)} for {duration(relapse.lasts_seconds)}{not_over}"
        yield _row(RELAPSES, f"Relapse {number}", when, "From the first low second until the threshold was held again.")
        lowest = percent(relapse.lowest_second_pct)
        without = f", {duration(relapse.blackout_seconds)} without {headline.a_one}" if relapse.blackout_seconds else ""
        yield _row(RELAPSES, f"… {number}: lowest second", f"{lowest}{without}", "Of the baseline.")
        missed = whole(relapse.transactions_not_taken)
        yield _row(RELAPSES, f"… {number}: {headline.missed}", missed, "The area under the baseline.")
        limits = "; ".join(relapse.limits) or "nothing known"
        yield _row(RELAPSES, f"… {number}: limited by", limits, "The workstation, lost clients; never the servers.")
    if felt.relapse_spans:
        meaning = "From the fault until the threshold was held without a relapse."
        yield _row(RELAPSES, "Last relapse over after", duration(felt.settled_seconds), meaning)


def _published_rows(headline: Headline, subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    published, running = subject.published, f"running {headline.label}"
    yield _row(
        PUBLISHED,
        f"R{running[1:]} before",
        headline.text(published.headline_rate_before),
        "Since measuring began, at the fault.",
    )
    yield _row(PUBLISHED, f"Lowest {running}", headline.text(published.headline_rate_lowest))
    yield _row(PUBLISHED, "Drop", percent(published.drop_pct, 2))
    yield _row(PUBLISHED, "Stabilised after", duration(published.stabilised_seconds), "From the fault to the lowest.")
    yield _row(PUBLISHED, "Back after another", duration(published.back_seconds), f"At the {running} before.")


def _tpc_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    text = duration(subject.tpc_e.recovered_seconds)
    provisional = f"{text} (provisional)" if subject.tpc_e.is_provisional else text
    yield _row(TPC_E, "Business recovery", provisional, "The minute and the 20 minutes from then on are at 95 %.")


def _times_rows(headline: Headline, subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    spans = (("before", subject.times_before), ("during", subject.times_during), ("after", subject.times_after))
    for name, times in spans:
        yield _row(TIMES, name.capitalize(), _times(times), f"p50, p95 and p99 of the {headline.many} {name} the dip.")


def _calls_rows(headline: Headline, subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    calls, group = subject.calls, CALLS if headline.has_users else PROGRAMS
    for error_class, count in calls.errors.items():
        yield _row(group, f"Errors, {error_class.replace('_', ' ')}", whole(count))
    if not calls.errors:
        yield _row(group, "Errors", "0")
    if headline.has_users:
        unknown = "committed" if headline.is_transactional else "carried out"
        in_doubt = f"{capitalised(headline.in_doubt)} in doubt"
        yield _row(group, in_doubt, whole(calls.in_doubt), f"Not known whether they were {unknown}.")
        yield _row(group, "Connections made again", whole(calls.reconnects))
    yield _row(group, f"{capitalised(headline.users)} back", users_back(headline, calls), of_users_lost(headline))
    whole_second = f"Until the first whole second in which all {'had a connection' if headline.has_users else 'ran'}."
    yield _row(group, f"All {headline.users} back after", duration(calls.all_users_back_seconds), whole_second)


def users_back(headline: Headline, calls: Calls) -> str:
    """How many of the users that were lost are back."""
    if not calls.users_lost:
        return UNKNOWN if calls.users_lost is None else f"no {headline.user} lost"
    return f"{whole(calls.users_back)} of {whole(calls.users_lost)}"


def of_users_lost(headline: Headline) -> str:
    """Which users are said to be back, as a sentence."""
    return "Of those that had lost their connection." if headline.has_users else "Of those whose program had ended."


def _row(group: str, figure: str, value: str, meaning: str = "") -> RecoveryRow:
    return RecoveryRow(group=group, figure=figure, value=value, meaning=meaning)


def _times(times: ResponseTimes) -> str:
    each = (times.p50_ms, times.p95_ms, times.p99_ms)
    if None in each:
        return UNKNOWN
    return " / ".join(f"{time:.3g}" if time < 100 else whole(time) for time in each if time is not None) + "\u202fms"


def _level(level_pct: float | None, rate: float | None, headline: Headline) -> str:
    text = percent(level_pct)
    return text if rate is None else f"{text} ({headline.text(rate)})"
