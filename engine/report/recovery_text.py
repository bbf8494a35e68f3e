"""The recovery from a fault as text: its sentences, and a row for each fault, for the terminal, the window and reports.

Unknown values, or those not known yet, are –.
"""

from collections.abc import Sequence

from engine.analysis.headline import Headline
from engine.analysis.recovery.figures import Recovery, RecoveryState, SubjectRecovery
from engine.figure_text import UNKNOWN, capitalised, duration, percent, whole
from engine.record.clock import RunClock


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
    return capitalised(headline.missed)


def drop_title(headline: Headline) -> str:
    """``Drop of the running OPM``."""
    return f"Drop of the running {headline.label}"


def recovery_sentences(recovery: Recovery) -> list[str]:
    """The sentences on a fault, the most important first: the state, the outage, its cost, the limitations."""
    sentences = [recovery.sentence, _outage(recovery), _cost(recovery), _published(recovery), _slowest(recovery)]
    return [sentence for sentence in (*sentences, *recovery.notes) if sentence]


def recovery_remarks(recovery: Recovery) -> list[str]:
    """The sentences that are not in the state and the figures of the outage: limitations, the running rate, the slowest
    client."""
    return [sentence for sentence in (*recovery.notes, _published(recovery), _slowest(recovery)) if sentence]


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


def _outage(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.blackout_seconds and not felt.brownout_seconds:
        return ""
    by = " by the probe" if felt.probe_blackout is not None else ""
    parts = [f"Black-out {duration(felt.blackout_seconds)}{by}" if felt.blackout_seconds else "No black-out"]
    if felt.brownout_seconds is not None:
        parts.append(f"brown-out {duration(felt.brownout_seconds)}")
    if felt.detection_lag_seconds is not None:
        parts.append(f"detection lag {duration(felt.detection_lag_seconds, with_tenths=True)}")
    return ", ".join(parts) + "."


def _cost(recovery: Recovery) -> str:
    felt = recovery.total.felt
    if not felt.transactions_not_taken or felt.transactions_not_taken < 0:
        return ""
    so_far = " so far" if recovery.account_is_open and recovery.state is not RecoveryState.NOT_RECOVERED else ""
    headline = recovery.headline
    return (
        f"{whole(felt.transactions_not_taken)} {headline.many} were {headline.wording.missed}{so_far}, "
        f"as many as in {duration(felt.transactions_not_taken_baseline_seconds)} of the baseline."
    )


def _published(recovery: Recovery) -> str:
    published, headline = recovery.total.published, recovery.headline
    if published.drop_pct is None or published.headline_rate_lowest is None or published.stabilised_seconds is None:
        return ""
    if published.drop_pct == 0:
        before = headline.text(published.headline_rate_before)
        return f"The running {headline.label} did not fall below the {before} before the fault."
    back = (
        "it is not back at the level before."
        if published.back_seconds is None
        else f"it was back at the level before {duration(published.back_seconds)} later."
    )
    before, lowest = map(headline.text, (published.headline_rate_before, published.headline_rate_lowest))
    return (
        f"The running {headline.label} fell from {before} to {lowest} "
        f"({percent(published.drop_pct, 2)}) in {duration(published.stabilised_seconds)}; {back}"
    )


def _slowest(recovery: Recovery) -> str:
    if recovery.slowest_client is None:
        return ""
    slowest = recovery.clients[recovery.slowest_client - 1]
    after = slowest.felt.recovered_seconds
    how = "has not recovered" if after is None else f"recovered after {duration(after)}"
    return f"The slowest client, {slowest.label}, {how}."
