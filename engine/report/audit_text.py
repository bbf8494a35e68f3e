"""The sentences on an audit, for the terminal, the window and documents."""

from engine.analysis.headline import Headline, headline_of
from engine.audit.report import STOP_NOW, AuditReport, StoreAudit, Verdict
from engine.plan.plan import RunPlan

_IDS_IN_A_SENTENCE = 5


def audit_sentences(report: AuditReport, plan: RunPlan) -> list[str]:
    """The report on a run in the words of its workloads; in a mixed run each sentence names its load."""
    if not plan.is_mixed:
        return load_sentences(report, headline_of(plan.workload))
    of_loads = zip(plan.titles, plan.loads, report.loads, strict=True)
    return [
        f"{title}: {sentence}"
        for title, load, of_load in of_loads
        for sentence in load_sentences(of_load, headline_of(load.workload))
    ]


def verdict_sentences(report: AuditReport, plan: RunPlan) -> str:
    """The verdict on a run in a sentence, in a mixed run one for each load."""
    if not plan.is_mixed:
        return load_verdict(report, headline_of(plan.workload))
    of_loads = zip(plan.titles, plan.loads, report.loads, strict=True)
    return " ".join(
        f"{title}: {load_verdict(of_load, headline_of(load.workload))}" for title, load, of_load in of_loads
    )


def load_sentences(report: AuditReport, headline: Headline) -> list[str]:
    """The report on one load in the words of its ``headline``, the verdict first; with several stores, those with
    findings are named."""
    headline = headline.recorded
    sentences = [load_verdict(report, headline)]
    for fault in report.faults:
        if fault.gone:
            sentences.append(
                f"{headline.counted(fault.gone)} lost at the fault '{fault.label}': the oldest had been"
                f" acknowledged {fault.oldest_age_seconds:.2f} s before it."
            )
    for store in report.stores:
        name = f"{store.database}: " if len(report.stores) > 1 else ""
        sentences += [f"{name}{sentence}" for sentence in _store_sentences(store, headline)]
    return sentences


def load_verdict(report: AuditReport, headline: Headline) -> str:
    """The verdict on one load with its figures."""
    headline, counts = headline.recorded, report.counts
    acknowledged = headline.counted(counts.acknowledged, "acknowledged")
    match report.verdict:
        case Verdict.LOST:
            return f"LOST: {counts.gone:,} of {acknowledged}."
        case Verdict.NOT_POSSIBLE:
            return "The audit was not possible."
        case Verdict.INCOMPLETE:
            return f"Incomplete: none of {acknowledged} is missing, but ledgers of clients are."
        case Verdict.SUSPICIOUS if not counts.acknowledged:
            return f"No {headline.one} was acknowledged, but there are irregularities."
        case Verdict.SUSPICIOUS:
            return f"None of {acknowledged} is missing, but there are irregularities."
        case Verdict.NOTHING:
            return headline.wording.unaudited or f"Nothing to audit: no {headline.one} was acknowledged."
        case Verdict.CUT_OFF:
            causes = {cause for store in report.stores for cause in store.cut_off_by}
            how = f"cut off by {STOP_NOW}" if causes == {STOP_NOW} else "but cut off"
            return f"Complete, {how}: the server holds all of {acknowledged}."
        case Verdict.CLEAN:
            return f"No {headline.one} was lost: the server holds all of {acknowledged}."


def _store_sentences(store: StoreAudit, headline: Headline) -> list[str]:
    counts, sentences = store.counts, []
    if counts.lost:
        sentences.append(f"{headline.counted(counts.lost)} acknowledged and missing{_shown(store, 'lost')}.")
    if counts.replaced:
        sentences.append(
            f"{headline.counted(counts.replaced)} acknowledged, whose id now belongs to another {headline.one}"
            f"{_shown(store, 'replaced')}."
        )
    doubtful = counts.in_doubt_present + counts.in_doubt_absent
    if doubtful:
        sentences.append(
            f"{headline.counted_in_doubt(doubtful)} in doubt: {counts.in_doubt_present:,} on the server,"
            f" {counts.in_doubt_absent:,} not."
        )
    for cause, count in store.cut_off_by.items():
        if count:
            were = "was" if count == 1 else "were"
            sentences.append(
                f"{headline.counted(count)} {were} cut off by {cause}: on the server, but no client had the answer any"
                " more."
            )
    if counts.unknown:
        sentences.append(
            f"{headline.counted(counts.unknown)} on the server, not acknowledged to any client"
            f"{_shown(store, 'unknown')}."
        )
    sentences += [f"{each.what}: {each.wrong:,}." for each in store.consistency if each.wrong]
    return sentences + list(store.notes)


def _shown(store: StoreAudit, name: str) -> str:
    ids = [str(example.order) for example in store.examples.get(name, ())[:_IDS_IN_A_SENTENCE]]
    more = " …" if getattr(store.counts, name) > len(ids) else ""
    return f" ({', '.join(ids)}{more})" if ids else ""
