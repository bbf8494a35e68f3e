"""An audit report as the terminal prints it, and its exit code: for `spindle audit` and `spindle run`."""

from rich.table import Table

from app.cli.problems import COMPLETED, FAILED, ORDERS_LOST
from app.cli.text_page import TextPage, plain_table
from engine.analysis.headline import Headline
from engine.audit.report import AuditReport, OrderCounts, Verdict
from engine.figure_text import spaced, whole
from engine.report.audit_text import load_sentences

_CLASSES = {
    "acknowledged": "acknowledged",
    "present": "present",
    "lost": "lost",
    "replaced": "replaced",
    "in_doubt_present": "in doubt, present",
    "in_doubt_absent": "in doubt, absent",
    "cut_off": "cut off",
    "unknown": "unknown",
}
_EXIT_CODES = {Verdict.CLEAN: COMPLETED, Verdict.CUT_OFF: COMPLETED, Verdict.LOST: ORDERS_LOST}


def audit_exit_code(report: AuditReport) -> int:
    """0 when every acknowledged order is there, 3 when orders were lost, 1 when that is not known, when there was
    nothing to audit, or when there are irregularities."""
    return _EXIT_CODES.get(report.worst_verdict, FAILED)


def audit_text(report: AuditReport, headline: Headline, width: int | None = None) -> str:
    """The verdict in the words of the run's ``headline`` and a table by class, without a trailing newline."""
    page = TextPage(width)
    for sentence in load_sentences(report, headline):
        page.sentence(spaced(sentence))
    if report.counts != OrderCounts():
        page.line()
        page.table(_table(report, headline.recorded.many))
    checks = [check for store in report.stores for check in store.consistency]
    if checks:
        page.line()
        page.sentence(f"consistency: {sum(not each.wrong for each in checks)} of {len(checks)} checks hold")
    return page.text()


def _table(report: AuditReport, counted: str) -> Table:
    table = plain_table([counted])
    for store in report.stores:
        table.add_column(store.database, justify="right", overflow="fold")
    several = len(report.stores) > 1
    if several:
        table.add_column("total", justify="right")
    counts = [store.counts for store in report.stores] + ([report.counts] if several else [])
    for name, words in _CLASSES.items():
        table.add_row(words, *(whole(getattr(each, name)) for each in counts))
    return table
