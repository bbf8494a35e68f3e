"""The kinds of documents that can be made of selected runs, as the window offers them."""

from collections.abc import Sequence

from engine.report.document import DocumentKind
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing

TAKES_REFERENCES = frozenset((DocumentKind.COMPARISON, DocumentKind.SET))


def report_choices(runs: Sequence[RunListing], sets: Sequence[SetListing]) -> dict[DocumentKind, tuple[str, ...]]:
    """The kinds, the most likely first, each with the value of ``making.ReportRequest.named``.

    Runs that are all of a set's are represented by the set; sets are compared by their median runs.
    """
    run_ids = tuple(run.run_id for run in runs)
    if len(runs) == 1:
        return _of_one(runs[0])
    whole = [each for each in sets if each.run_ids and set(each.run_ids) <= set(run_ids)]
    covered = {run_id for each in whole for run_id in each.run_ids}
    if len(whole) == 1 and covered == set(run_ids):
        return {DocumentKind.SET: (whole[0].name,), DocumentKind.COMPARISON: run_ids}
    if len(whole) > 1:
        loose = tuple(run_id for run_id in run_ids if run_id not in covered)
        return {DocumentKind.COMPARISON: (*(each.name for each in whole), *loose)}
    return {DocumentKind.COMPARISON: run_ids, DocumentKind.SET: run_ids}


def _of_one(run: RunListing) -> dict[DocumentKind, tuple[str, ...]]:
    kinds = [DocumentKind.RUN]
    if run.faults:
        kinds.append(DocumentKind.RECOVERY)
    named: tuple[str, ...] = (run.run_id,)
    choices = dict.fromkeys((*kinds, DocumentKind.COMPARISON), named)
    return choices | ({DocumentKind.SET: (run.run_set,)} if run.run_set else {})
