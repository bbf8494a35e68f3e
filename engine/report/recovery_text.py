"""The recovery from a fault as text: sentences, and rows of figures, for the terminal, the window and reports.

Each row has a figure's name, its value with its unit, and its meaning in one line for a tool tip. Unknown values, or
those not known yet, are –.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Calls, Recovery, RecoveryState, SubjectRecovery
from engine.analysis.recovery.spread import FigureSpread, RecoverySpread
from engine.analysis.recovery.times import ResponseTimes
from engine.faults.injector import without_round
from engine.figure_text import UNKNOWN, capitalised, duration, percent, shortest, whole, with_unit
from engine.record.clock import RunClock

BASELINE, PUBLISHED, FELT, RELAPSES, TPC_E, TIMES, CALLS = (
    "Baseline",
    "As published",
    "As felt",
    "Relapses",
    "As TPC-E defines it",
    "Response times",
    "Calls and users",
)


def recovery_titles(headline: Headline) -> tuple[str, ...]:
    """The titles of ``recovery_table``."""
    return (
        "At",
        "Fault",
        "State",
        "Recovered after",
        "Relapses",
        "Black-out",
        missed_title(headline),
        drop_title(headline),
    )


def missed_title(headline: Headline) -> str:
    """``Orders missed``."""
    return f"{headline.heading} missed"


def drop_title(headline: Headline) -> str:
    """``Drop of the running OPM``."""
    return f"Drop of the running {headline.label}"


@dataclass(frozen=True, kw_only=True)
class RecoveryRow:
    """One row of a table of figures; ``group`` is its heading."""

    group: str
    figure: str
    value: str
    meaning: str = ""


def recovery_sentences(recovery: Recovery) -> list[str]:
    """The sentences on a fault, the most important first: the state, the outage, its cost, the limitations."""
    sentences = [recovery.sentence, _outage(recovery), _cost(recovery), _published(recovery), _slowest(recovery)]
    return [sentence for sentence in (*sentences, *recovery.notes) if sentence]


def recovery_remarks(recovery: Recovery) -> list[str]:
    """The sentences that are not in the state and the figures of the outage: limitations, the running rate, the slowest
    client."""
    return [sentence for sentence in (*recovery.notes, _published(recovery), _slowest(recovery)) if sentence]


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


def recovery_table(recoveries: Sequence[Recovery]) -> list[tuple[str, ...]]:
    """A row for each fault, with a cell for each of ``recovery_titles``."""
    return [
        (
            each.clock.moment(each.fault.at_seconds),
            each.fault.label,
            each.state.value,
            duration(each.total.felt.recovered_seconds),
            relapse_cell(each.total, each.clock),
            duration(each.total.felt.blackout_seconds),
            whole(each.total.felt.transactions_not_taken),
            percent(each.total.published.drop_pct, 2),
        )
        for each in recoveries
    ]


def relapse_cell(subject: SubjectRecovery, clock: RunClock) -> str:
    """The relapses in a table's cell: ``at 2:27 for 28 s``; of several their number and the last one."""
    felt = subject.felt
    if felt.recovered_seconds is None:
        return UNKNOWN
    if not felt.relapse_spans:
        return "none"
    last = felt.relapse_spans[-1]
    when = f"at {clock.second(last.begins_at_seconds)} for {duration(last.lasts_seconds)}"
    not_over = "" if last.is_over else ", not over"
    return f"{when}{not_over}" if felt.relapses == 1 else f"{felt.relapses}, the last {when}{not_over}"


def repeated_faults(recoveries: Sequence[Recovery]) -> dict[str, list[Recovery]]:
    """The rounds of each repeated fault, in order, by its label without the round."""
    rounds: dict[str, list[Recovery]] = {}
    for recovery in recoveries:
        rounds.setdefault(without_round(recovery.fault.label), []).append(recovery)
    return {label: group for label, group in rounds.items() if len(group) > 1}


def spread_rows(headline: Headline, spread: RecoverySpread) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """The figure, its median, its worst and each value, for repetitions of a fault."""
    titles = _titles(headline)
    known = [figure for figure in spread.figures if any(value is not None for value in figure.each)]
    return [(titles[figure.name], *_spread_values(headline, figure)) for figure in known]


def _outage(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.blackout_seconds and not felt.brownout_seconds:
        return ""
    by = " by the probe" if felt.probe_blackout is not None else ""
    parts = [f"Black-out {duration(felt.blackout_seconds)}{by}" if felt.blackout_seconds else "No black-out"]
    if felt.brownout_seconds is not None:
        parts.append(f"brown-out {duration(felt.brownout_seconds)}")
    if felt.detection_lag_seconds is not None:
        parts.append(f"first sign {duration(felt.detection_lag_seconds)} after the fault")
    return ", ".join(parts) + "."


def _cost(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.transactions_not_taken or felt.transactions_not_taken < 0:
        return ""
    so_far = " so far" if recovery.account_is_open and recovery.state is not RecoveryState.NOT_RECOVERED else ""
    return (
        f"{whole(felt.transactions_not_taken)} {recovery.headline.many} were missed{so_far}, "
        f"as many as in {duration(felt.transactions_not_taken_baseline_seconds)} of the baseline."
    )


def _published(recovery: Recovery) -> str:
    published, label = recovery.total.published, recovery.headline.label
    if published.drop_pct is None or published.headline_rate_lowest is None or published.stabilised_seconds is None:
        return ""
    if published.drop_pct == 0:
        return f"The running {label} did not fall below the {whole(published.headline_rate_before)} before the fault."
    back = (
        "it is not back at the level before."
        if published.back_seconds is None
        else f"it was back at the level before {duration(published.back_seconds)} later."
    )
    before, lowest = whole(published.headline_rate_before), whole(published.headline_rate_lowest)
    return (
        f"The running {label} fell from {before} to {lowest} "
        f"({percent(published.drop_pct, 2)}) in {duration(published.stabilised_seconds)}; {back}"
    )


def _slowest(recovery: Recovery) -> str:
    if recovery.slowest_client is None:
        return ""
    slowest = recovery.clients[recovery.slowest_client - 1]
    after = slowest.felt.recovered_seconds
    how = "has not recovered" if after is None else f"recovered after {duration(after)}"
    return f"The slowest client, {slowest.label}, {how}."


def _baseline_rows(headline: Headline, subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    baseline = subject.baseline
    window = f"{duration(baseline.end_second - baseline.first_second)} before the fault"
    yield _row(BASELINE, f"{headline.label} before", whole(baseline.headline_rate), f"Mean over the {window}.")
    yield _row(
        BASELINE, "Spread", percent(baseline.spread_pct, 1), "Standard deviation of its seconds over their mean."
    )
    yield _row(BASELINE, "Drift", percent(baseline.drift_pct, 1), "Its second half against its first.")
    if baseline.refusal:
        yield _row(BASELINE, "Refused", baseline.refusal)


def _felt_rows(headline: Headline, subject: SubjectRecovery, clock: RunClock) -> Iterator[RecoveryRow]:
    felt, one, many, label = subject.felt, headline.one, headline.many, headline.label
    yield _row(FELT, "Recovered after", duration(felt.recovered_seconds), "Until the threshold was first held.")
    for share, after in felt.time_to_seconds.items():
        yield _row(FELT, f"{share} % held after", duration(after), f"Until {share} % of the baseline was held again.")
    yield _row(
        FELT, "First sign after", duration(felt.detection_lag_seconds), f"By the probe, else by calls or {many}."
    )
    failed = duration(felt.first_failed_call_seconds)
    yield _row(FELT, "First failed call after", failed, "To the second; no deadlocks.")
    probe = felt.probe_blackout
    if probe is not None:
        yield _row(FELT, "Black-out by the probe", duration(probe.longest_seconds), "No committed write, to a tenth.")
        yield _row(FELT, "Black-outs by the probe, total", duration(probe.total_seconds))
    longest = duration(felt.blackout.longest_seconds)
    yield _row(FELT, "Black-out", longest, f"Longest, in whole seconds without {headline.a_one}.")
    yield _row(FELT, "Black-outs, total", duration(felt.blackout.total_seconds))
    last, first = felt.blackout.last_transaction_second, felt.blackout.first_transaction_second
    yield _row(FELT, f"Last {one} before at", clock.second(last), f"Time {clock.since}.")
    yield _row(FELT, f"First {one} after at", clock.second(first), f"Time {clock.since}.")
    yield _row(FELT, "Brown-out", duration(felt.brownout_seconds), f"Seconds with {many}, but under the threshold.")
    yield _row(
        FELT,
        "Lowest second",
        _level(felt.lowest_second_pct, felt.lowest_second_headline_rate, label),
        "Of the baseline.",
    )
    yield _row(
        FELT,
        "Lowest window",
        _level(felt.lowest_window_pct, felt.lowest_window_headline_rate, label),
        "Of the baseline.",
    )
    yield _row(FELT, missed_title(headline), whole(felt.transactions_not_taken), "The area under the baseline.")
    yield _row(FELT, "… in baseline time", duration(felt.transactions_not_taken_baseline_seconds))
    yield _row(FELT, "Level after", percent(felt.level_after_pct, 1), "Mean after the recovery, of the baseline.")
    if felt.unknown_seconds:
        yield _row(FELT, "Unknown", duration(felt.unknown_seconds), "Seconds of clients that nothing is known of.")


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
        yield _row(RELAPSES, f"… {number}: {headline.many} missed", missed, "The area under the baseline.")
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
        whole(published.headline_rate_before),
        "Since measuring began, at the fault.",
    )
    yield _row(PUBLISHED, f"Lowest {running}", whole(published.headline_rate_lowest))
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
    calls = subject.calls
    for error_class, count in calls.errors.items():
        yield _row(CALLS, f"Errors, {error_class.replace('_', ' ')}", whole(count))
    if not calls.errors:
        yield _row(CALLS, "Errors", "0")
    in_doubt = f"{capitalised(headline.in_doubt)} in doubt"
    yield _row(CALLS, in_doubt, whole(calls.in_doubt), "Not known whether they were committed.")
    yield _row(CALLS, "Connections made again", whole(calls.reconnects))
    yield _row(CALLS, "Users back", users_back(calls), "Of those that had lost their connection.")
    yield _row(CALLS, "All users back after", duration(calls.all_users_back_seconds))


def users_back(calls: Calls) -> str:
    """How many of the users that lost their connection have reconnected."""
    if not calls.users_lost:
        return UNKNOWN if calls.users_lost is None else "no user lost"
    return f"{whole(calls.users_back)} of {whole(calls.users_lost)}"


def _row(group: str, figure: str, value: str, meaning: str = "") -> RecoveryRow:
    return RecoveryRow(group=group, figure=figure, value=value, meaning=meaning)


def _titles(headline: Headline) -> dict[str, str]:
    return _TITLES | {
        "transactions_not_taken": missed_title(headline),
        "transactions_not_taken_baseline_seconds": f"{missed_title(headline)}, in baseline time",
        "drop_pct": drop_title(headline),
        "stabilised_seconds": f"Lowest running {headline.label} after",
        "baseline_headline_rate": f"{headline.label} before",
    }


_TITLES = {
    "detection_lag_seconds": "First sign after",
    "blackout_longest_seconds": "Black-out, longest",
    "blackout_total_seconds": "Black-outs, total",
    "brownout_seconds": "Brown-out",
    "recovered_seconds": "Recovered after",
    "relapses": "Relapses",
    "settled_seconds": "Last relapse over after",
    "all_users_back_seconds": "All users back after",
    "back_seconds": "Back at the level before after",
    "tpc_e_recovered_seconds": "TPC-E business recovery",
    "lowest_second_pct": "Lowest second",
    "level_after_pct": "Level after",
}


def _spread_values(headline: Headline, figure: FigureSpread) -> tuple[str, str, tuple[str, ...]]:
    missing = "not recovered" if figure.not_reached else UNKNOWN

    def text(value: float | None) -> str:
        return missing if value is None else _with_unit(headline, figure.name, value)

    return text(figure.median), text(figure.worst), tuple(map(text, figure.each))


def _with_unit(headline: Headline, name: str, value: float) -> str:
    if name.endswith("_seconds"):
        return duration(value)
    if name.endswith("_pct"):
        return with_unit(shortest(value, 2), "%")
    return with_unit(shortest(value, 0), headline.label) if name.endswith("_headline_rate") else whole(value)


def _times(times: ResponseTimes) -> str:
    each = (times.p50_ms, times.p95_ms, times.p99_ms)
    if None in each:
        return UNKNOWN
    return " / ".join(f"{time:.3g}" if time < 100 else whole(time) for time in each if time is not None) + "\u202fms"


def _level(level_pct: float | None, rate: float | None, label: str) -> str:
    text = percent(level_pct)
    return text if rate is None else f"{text} ({whole(rate)} {label})"
