"""The section of a document on the audit of a run. Called by the documents of one run."""

from engine.analysis.headline import Headline, headline_of
from engine.audit.report import AuditReport, OrderCounts
from engine.figure_text import spaced, whole
from engine.record.record import RunRecord
from engine.report.audit_text import load_sentences
from engine.report.document import Block, Column, DataTable, Section, Text
from engine.report.redaction import redactor
from engine.report.result_tables import number_columns

_CLASSES = {
    "acknowledged": ("Acknowledged", "The server acknowledged the {one}."),
    "present": ("Present", "Acknowledged, and on the server as it was placed."),
    "lost": ("Lost", "Acknowledged, but no longer on the server."),
    "replaced": ("Replaced", "Acknowledged, but its number now belongs to another {one}."),
    "in_doubt_present": ("In doubt, present", "No answer arrived; it was placed."),
    "in_doubt_absent": ("In doubt, absent", "No answer arrived; it was not placed."),
    "cut_off": ("Cut off", "The server holds it; its client ended before the answer came."),
    "unknown": ("Unknown", "The server holds it, but it was acknowledged to no client and is in doubt for none."),
}


def audit_section(record: RunRecord) -> Section:
    """Whether what was acknowledged was lost, for each store; or that no audit was done."""
    headline = headline_of(record.plan.workload).recorded
    if not headline.has_users:
        return Section(title="Audit", blocks=(Text(text=headline.wording.unaudited),))
    title = f"Audit of the {headline.many}"
    if record.audit is None:
        text = (
            f"The run's {headline.many} were not compared with the servers, so it is not known whether any were lost."
        )
        return Section(title=title, blocks=(Text(text=text),))
    report, redact = AuditReport.from_dict(record.audit), redactor(record.plan)
    sentences = [spaced(redact(sentence)) for sentence in load_sentences(report, headline)]
    blocks: list[Block] = [Text(text=sentence) for sentence in sentences]
    if report.counts != OrderCounts():
        blocks.append(_table(report, headline))
    return Section(title=title, blocks=tuple(blocks))


def _table(report: AuditReport, headline: Headline) -> DataTable:
    several = len(report.stores) > 1
    counts = [store.counts for store in report.stores] + ([report.counts] if several else [])
    titles = [store.database for store in report.stores] + (["Total"] if several else [])
    return DataTable(
        caption=f"{headline.heading} by what was acknowledged and what the servers hold",
        columns=(Column(title=headline.heading), *number_columns(*titles), Column(title="Meaning")),
        rows=tuple(
            (name, *(whole(getattr(each, key)) for each in counts), meaning.format(one=headline.one))
            for key, (name, meaning) in _CLASSES.items()
        ),
    )
