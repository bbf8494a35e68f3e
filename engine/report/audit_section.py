"""The verdict on a run's orders as a document tells it. Called by the documents of one run."""

from engine.audit.report import AuditReport, OrderCounts
from engine.figure_text import spaced, whole
from engine.record import RunRecord
from engine.report.discreet import discreet
from engine.report.document import Block, Column, DataTable, Section, Text
from engine.report.result_tables import number_columns

_CLASSES = {
    "acknowledged": ("Acknowledged", "The server had said that the order is placed."),
    "present": ("Present", "Acknowledged, and the server holds it as it was placed."),
    "lost": ("Lost", "Acknowledged, and the server does not hold it any more."),
    "replaced": ("Replaced", "Acknowledged, and its number is another order's now."),
    "in_doubt_present": ("In doubt, present", "Nobody was told whether it is placed; it is."),
    "in_doubt_absent": ("In doubt, absent", "Nobody was told whether it is placed; it is not."),
    "cut_off": ("Cut off", "The server holds it; its client ended before the answer came."),
    "unknown": ("Unknown", "The server holds it, and no client was told of it or is in doubt about it."),
}


def audit_section(record: RunRecord) -> Section:
    """Whether acknowledged orders were lost, store by store; or that nobody has looked."""
    if record.audit is None:
        text = "The run's orders were not held against the servers, so that whether any was lost is not known."
        return Section(title="Audit of the orders", blocks=(Text(text=text),))
    report, hide = AuditReport.from_dict(record.audit), discreet(record.plan)
    sentences = [spaced(hide(sentence)) for sentence in report.sentences()]
    blocks: list[Block] = [Text(text=sentence) for sentence in sentences]
    if report.counts != OrderCounts():
        blocks.append(_table(report))
    return Section(title="Audit of the orders", blocks=tuple(blocks))


def _table(report: AuditReport) -> DataTable:
    several = len(report.stores) > 1
    counts = [store.counts for store in report.stores] + ([report.counts] if several else [])
    titles = [store.database for store in report.stores] + (["Total"] if several else [])
    return DataTable(
        caption="Orders by what the clients were told and what the servers hold",
        columns=(Column(title="Orders"), *number_columns(*titles), Column(title="Meaning")),
        rows=tuple(
            (name, *(whole(getattr(each, key)) for each in counts), meaning)
            for key, (name, meaning) in _CLASSES.items()
        ),
    )
