"""What is said of runs of storage is true for them: they have no users, connections, orders and audits."""

import html
import re
from dataclasses import replace

from engine.analysis.recovery.judging import DEFAULTS, recovery_of
from engine.report.comparison_report import comparison_report
from engine.report.document import Document, KeyFigures, Notes
from engine.report.html import html_of
from engine.report.one_run import one_run_report
from engine.report.recovery_evidence import recovery_evidence
from engine.report.results import ReportedRun, result_of_run
from tests.doubles.storage_samples import a_storage_plan, an_outage, storage_sample
from tests.engine.analysis.faulted import fault
from tests.engine.report.reported import (
    MADE_AT,
    MEASURED_SECONDS,
    WARM_SECONDS,
    a_reported_run,
    blocks_of,
    rows_of,
    table_of,
    titles,
)

_UNTRUE = re.compile(
    r"\b(?:users?|orders?|lost|connections?|purchases?|think|rollbacks?|retries|reconnects?|transactions?|committed"
    r"|acknowledged|in doubt|service time|databases?)\b",
    re.IGNORECASE,
)


def a_storage_run(name: str, reads: int = 100, *, queue_depth: int = 8) -> ReportedRun:
    samples = [storage_sample(1, second, reads) for second in range(WARM_SECONDS + MEASURED_SECONDS)]
    plan = a_storage_plan(name, queue_depth=queue_depth)
    return a_reported_run(run_id=f"run-{name}", plan=plan, samples=samples)


def _any_of(words: tuple[str, ...], text: str) -> bool:
    return any(each in text for each in words)


def untrue_words(document: Document) -> list[str]:
    """What a document says of what storage does not have; the definitions that it cites are those of any run, and it
    says what of these is different."""
    cited = ("DVD Store", "no probe, no call and no audit")
    own = (
        replace(each, blocks=tuple(b for b in each.blocks if not isinstance(b, Notes) and not _any_of(cited, str(b))))
        for each in document.sections
    )
    text = re.sub(r"(?s)<(style|script)\b.*?</\1>", " ", html_of(replace(document, sections=tuple(own))))
    said = html.unescape(re.sub(r"<[^>]+>", " ", text))
    return [said[max(0, found.start() - 40) : found.end() + 20] for found in _UNTRUE.finditer(said)]


def test_the_evidence_of_an_outage_tells_ios_that_were_not_done_and_that_nothing_is_audited() -> None:
    run = an_outage()
    reported = replace(a_storage_run("outage"), data=run)
    evidence = recovery_evidence(reported, [recovery_of(run, fault(60.0))], DEFAULTS, made_at=MADE_AT)
    assert untrue_words(evidence) == []
    (key,) = (each for each in blocks_of(evidence.sections) if isinstance(each, KeyFigures))
    assert {"I/Os not done": "400", "Errors": "4"}.items() <= {each.name: each.value for each in key.figures}.items()
    (audit,) = (each for each in evidence.sections if each.title == "Audit")
    assert "no record of single I/Os" in str(audit.blocks)


def test_a_run_of_storage_has_no_words_of_databases() -> None:
    assert untrue_words(one_run_report(a_storage_run("a"), made_at=MADE_AT)) == []


def test_results_of_storage_are_compared_by_queue_depth() -> None:
    results = [result_of_run(a_storage_run(f"depth {n}", 100 * n, queue_depth=n)) for n in (1, 2, 4)]
    document = comparison_report(results, made_at=MADE_AT)
    assert untrue_words(document) == []
    assert "Scaling with queue depth" in titles(document.sections)
    assert [row[0] for row in rows_of(table_of(blocks_of(document.sections), "IOPS by queue depth"))] == ["1", "2", "4"]
