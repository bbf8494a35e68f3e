"""The recovery from a fault as text: sentences, and rows of figures, for the terminal, the window and reports alike.

Each row has a figure's name, its value with its unit, and what it means in one line for a tool tip. What is not known,
or not yet, is –.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.analysis.recovery_figures import Recovery, RecoveryState, SubjectRecovery
from engine.analysis.recovery_spread import FigureSpread, RecoverySpread
from engine.analysis.recovery_times import ResponseTimes
from engine.faults.injector import without_round
from engine.figure_text import UNKNOWN, clock, percent, seconds, shortest, whole

BASELINE, PUBLISHED, FELT, TPC_E, TIMES, CALLS = (
    "Baseline",
    "As published",
    "As felt",
    "As TPC-E defines it",
    "Response times",
    "Calls and users",
)


@dataclass(frozen=True, kw_only=True)
class RecoveryRow:
    """One line of a table of figures; ``group`` is the heading that it stands under."""

    group: str
    figure: str
    value: str
    meaning: str = ""


def recovery_sentences(recovery: Recovery) -> list[str]:
    """What there is to say of a fault, the weightiest first: the state, the outage, what it cost, what limits it."""
    sentences = [recovery.sentence, _outage(recovery), _cost(recovery), _published(recovery), _slowest(recovery)]
    return [sentence for sentence in (*sentences, *recovery.notes) if sentence]


def recovery_remarks(recovery: Recovery) -> list[str]:
    """What there is to say beside the state and the figures of the outage: limits, the running OPM, the slowest."""
    return [sentence for sentence in (*recovery.notes, _published(recovery), _slowest(recovery)) if sentence]


def recovery_rows(subject: SubjectRecovery) -> list[RecoveryRow]:
    """Every figure of all clients together, or of one."""
    parts = (_baseline_rows, _felt_rows, _published_rows, _tpc_rows, _times_rows, _calls_rows)
    return [row for part in parts for row in part(subject)]


def recovery_table(recoveries: Sequence[Recovery]) -> list[tuple[str, ...]]:
    """A line for each fault: when, what, state, recovered, black-out, orders missed, drop of the running OPM."""
    return [
        (
            clock(int(each.fault.at_seconds)),
            each.fault.label,
            each.state.value,
            seconds(each.total.felt.recovered_seconds),
            seconds(each.total.felt.blackout_seconds),
            whole(each.total.felt.orders_not_taken),
            percent(each.total.published.drop_pct, 2),
        )
        for each in recoveries
    ]


def repeated_faults(recoveries: Sequence[Recovery]) -> dict[str, list[Recovery]]:
    """The rounds of each fault that was repeated, in their order, under what it is called without its round."""
    rounds: dict[str, list[Recovery]] = {}
    for recovery in recoveries:
        rounds.setdefault(without_round(recovery.fault.label), []).append(recovery)
    return {label: group for label, group in rounds.items() if len(group) > 1}


def spread_rows(spread: RecoverySpread) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """The figure, its median, its worst and each of its values, for repetitions of a fault."""
    known = [figure for figure in spread.figures if any(value is not None for value in figure.each)]
    return [(_TITLES[figure.name], *_spread_values(figure)) for figure in known]


def _outage(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.blackout_seconds and not felt.brownout_seconds:
        return ""
    by = " by the probe" if felt.probe_blackout is not None else ""
    parts = [f"Black-out {seconds(felt.blackout_seconds)}{by}" if felt.blackout_seconds else "No black-out"]
    if felt.brownout_seconds is not None:
        parts.append(f"brown-out {seconds(felt.brownout_seconds)}")
    if felt.detection_lag_seconds is not None:
        parts.append(f"first sign {seconds(felt.detection_lag_seconds)} after the fault")
    return ", ".join(parts) + "."


def _cost(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.orders_not_taken or felt.orders_not_taken < 0:
        return ""
    so_far = " so far" if recovery.account_is_open and recovery.state is not RecoveryState.NOT_RECOVERED else ""
    return (
        f"{whole(felt.orders_not_taken)} orders were missed{so_far}, "
        f"as many as in {seconds(felt.orders_not_taken_baseline_seconds)} of the baseline."
    )


def _published(recovery: Recovery) -> str:
    published = recovery.total.published
    if published.drop_pct is None or published.opm_lowest is None or published.stabilised_seconds is None:
        return ""
    if published.drop_pct == 0:
        return f"The running OPM stayed at {whole(published.opm_before)} or more."
    back = (
        "it is not back at the level before."
        if published.back_seconds is None
        else f"it was back at the level before {seconds(published.back_seconds)} later."
    )
    return (
        f"The running OPM fell from {whole(published.opm_before)} to {whole(published.opm_lowest)} "
        f"({percent(published.drop_pct, 2)}) in {seconds(published.stabilised_seconds)}; {back}"
    )


def _slowest(recovery: Recovery) -> str:
    if recovery.slowest_client is None:
        return ""
    slowest = recovery.clients[recovery.slowest_client - 1]
    after = slowest.felt.recovered_seconds
    how = "has not recovered" if after is None else f"recovered after {seconds(after)}"
    return f"The slowest client, {slowest.label}, {how}."


def _baseline_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    baseline = subject.baseline
    window = f"{baseline.end_second - baseline.first_second} s before the fault"
    yield _row(BASELINE, "OPM before", whole(baseline.opm), f"Mean over the {window}.")
    yield _row(
        BASELINE, "Spread", percent(baseline.spread_pct, 1), "Standard deviation of its seconds over their mean."
    )
    yield _row(BASELINE, "Drift", percent(baseline.drift_pct, 1), "Its second half against its first.")
    if baseline.refusal:
        yield _row(BASELINE, "Refused", baseline.refusal)


def _felt_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    felt = subject.felt
    yield _row(FELT, "Recovered after", seconds(felt.recovered_seconds), "Until the threshold was held for good.")
    for share, after in felt.time_to_seconds.items():
        yield _row(FELT, f"{share} % held after", seconds(after), f"Until {share} % of the baseline was held again.")
    yield _row(FELT, "First sign after", seconds(felt.detection_lag_seconds), "By the probe, else by calls or orders.")
    yield _row(FELT, "First failed call after", seconds(felt.first_failed_call_seconds), "To the second; no deadlocks.")
    probe = felt.probe_blackout
    if probe is not None:
        yield _row(FELT, "Black-out by the probe", seconds(probe.longest_seconds), "No committed write, to a tenth.")
        yield _row(FELT, "Black-outs by the probe, total", seconds(probe.total_seconds))
    yield _row(FELT, "Black-out", seconds(felt.blackout.longest_seconds), "Longest, in whole seconds without an order.")
    yield _row(FELT, "Black-outs, total", seconds(felt.blackout.total_seconds))
    yield _row(FELT, "Last order before at", clock(felt.blackout.last_order_second), "On the run's clock.")
    yield _row(FELT, "First order after at", clock(felt.blackout.first_order_second), "On the run's clock.")
    yield _row(FELT, "Brown-out", seconds(felt.brownout_seconds), "Seconds with orders, but under the threshold.")
    yield _row(FELT, "Lowest second", _level(felt.lowest_second_pct, felt.lowest_second_opm), "Of the baseline.")
    yield _row(FELT, "Lowest window", _level(felt.lowest_window_pct, felt.lowest_window_opm), "Of the baseline.")
    yield _row(FELT, "Orders missed", whole(felt.orders_not_taken), "The area under the baseline.")
    yield _row(FELT, "… in baseline time", seconds(felt.orders_not_taken_baseline_seconds))
    yield _row(FELT, "Level after", percent(felt.level_after_pct, 1), "Mean after the recovery, of the baseline.")
    if felt.relapses:
        yield _row(FELT, "Fell back", f"{felt.relapses} ×", "The threshold was held and lost again.")
    if felt.unknown_seconds:
        yield _row(FELT, "Unknown", seconds(felt.unknown_seconds), "Seconds of clients that nothing is known of.")


def _published_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    published = subject.published
    yield _row(PUBLISHED, "Running OPM before", whole(published.opm_before), "Since measuring began, at the fault.")
    yield _row(PUBLISHED, "Lowest running OPM", whole(published.opm_lowest))
    yield _row(PUBLISHED, "Drop", percent(published.drop_pct, 2))
    yield _row(PUBLISHED, "Stabilised after", seconds(published.stabilised_seconds), "From the fault to the lowest.")
    yield _row(PUBLISHED, "Back after another", seconds(published.back_seconds), "At the running OPM before.")


def _tpc_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    text = seconds(subject.tpc_e.recovered_seconds)
    provisional = f"{text} (provisional)" if subject.tpc_e.is_provisional else text
    yield _row(TPC_E, "Business recovery", provisional, "The minute and the 20 minutes from then on are at 95 %.")


def _times_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    spans = (("before", subject.times_before), ("during", subject.times_during), ("after", subject.times_after))
    for name, times in spans:
        yield _row(TIMES, name.capitalize(), _times(times), f"p50, p95 and p99 of the orders {name} the dip.")


def _calls_rows(subject: SubjectRecovery) -> Iterator[RecoveryRow]:
    calls = subject.calls
    for error_class, count in calls.errors.items():
        yield _row(CALLS, f"Errors, {error_class.replace('_', ' ')}", whole(count))
    if not calls.errors:
        yield _row(CALLS, "Errors", "0")
    yield _row(CALLS, "Purchases in doubt", whole(calls.in_doubt), "Not known whether they were committed.")
    yield _row(CALLS, "Connections made again", whole(calls.reconnects))
    back = UNKNOWN if calls.users_lost is None else f"{whole(calls.users_back)} of {whole(calls.users_lost)}"
    yield _row(CALLS, "Users back", back, "Of those that had lost their connection.")
    yield _row(CALLS, "All users back after", seconds(calls.all_users_back_seconds))


def _row(group: str, figure: str, value: str, meaning: str = "") -> RecoveryRow:
    return RecoveryRow(group=group, figure=figure, value=value, meaning=meaning)


_UNITS = (("_seconds", "s", 1), ("_pct", "%", 2), ("_opm", "OPM", 0))
_TITLES = {
    "detection_lag_seconds": "First sign after",
    "blackout_longest_seconds": "Black-out, longest",
    "blackout_total_seconds": "Black-outs, total",
    "brownout_seconds": "Brown-out",
    "recovered_seconds": "Recovered after",
    "all_users_back_seconds": "All users back after",
    "orders_not_taken": "Orders missed",
    "orders_not_taken_baseline_seconds": "Orders missed, in baseline time",
    "drop_pct": "Drop of the running OPM",
    "stabilised_seconds": "Lowest running OPM after",
    "back_seconds": "Back at the level before after",
    "tpc_e_recovered_seconds": "TPC-E business recovery",
    "baseline_opm": "OPM before",
    "lowest_second_pct": "Lowest second",
    "level_after_pct": "Level after",
}


def _spread_values(figure: FigureSpread) -> tuple[str, str, tuple[str, ...]]:
    missing = "not recovered" if figure.not_reached else UNKNOWN

    def text(value: float | None) -> str:
        return missing if value is None else _with_unit(figure.name, value)

    return text(figure.median), text(figure.worst), tuple(map(text, figure.each))


def _with_unit(name: str, value: float) -> str:
    for ending, unit, digits in _UNITS:
        if name.endswith(ending):
            return f"{shortest(value, digits)}\u202f{unit}"
    return whole(value)


def _times(times: ResponseTimes) -> str:
    each = (times.p50_ms, times.p95_ms, times.p99_ms)
    if None in each:
        return UNKNOWN
    return " / ".join(f"{time:.3g}" if time < 100 else whole(time) for time in each if time is not None) + "\u202fms"


def _level(level_pct: float | None, opm: float | None) -> str:
    text = percent(level_pct)
    return text if opm is None else f"{text} ({whole(opm)} OPM)"
