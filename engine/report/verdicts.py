"""The report of a check as plain values for JSON and as JUnit XML, which build servers show; and a history as plain
values."""

from typing import Any
from xml.etree import ElementTree

from engine.analysis.verdicts.check import CheckReport, Judged, Outcome
from engine.analysis.verdicts.history import History
from engine.figure_text import plain_spaces

_SUITE = "spindle check"


def check_result(report: CheckReport) -> dict[str, Any]:
    """A check under the names of ``spindle check --json``; figures that are unknown or not compared are null."""
    return {
        "checked": report.title,
        "against": report.against or None,
        "passed": report.has_passed,
        "conditions": [_condition(each) for each in report.judged],
        "warnings": [plain_spaces(warning) for warning in report.warnings],
    }


def junit_xml(report: CheckReport) -> str:
    """A check as a JUnit test suite with a test case for each condition.

    A condition that failed is a failure; one whose figure is not known is an error. Warnings are the suite's output.
    """
    suite = ElementTree.Element(
        "testsuite",
        name=_SUITE,
        tests=str(len(report.judged)),
        failures=str(_count(report, Outcome.FAILED)),
        errors=str(_count(report, Outcome.UNKNOWN)),
    )
    for each in report.judged:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_clean(report.title), name=_clean(each.condition.text)
        )
        if each.outcome is not Outcome.PASSED:
            kind = "failure" if each.outcome is Outcome.FAILED else "error"
            ElementTree.SubElement(case, kind, message=_clean(each.sentence))
    if report.warnings:
        ElementTree.SubElement(suite, "system-out").text = _clean("\n".join(report.warnings))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def history_result(history: History) -> dict[str, Any]:
    """A history under the names of ``spindle library history --json``."""
    return {
        "figure": history.figure.name,
        "unit": history.figure.unit,
        "runs": [
            {
                "run_id": run.run_id,
                "name": run.name,
                "started_at": run.started_at.isoformat(),
                "configuration": run.configuration,
                "value": run.value,
            }
            for run in history.runs
        ],
        "changes": [
            {
                "run_id": history.runs[change.index].run_id,
                "before": change.before,
                "after": change.after,
                "change_pct": change.change_pct,
                "p_value": change.p_value,
            }
            for change in history.changes
        ],
        "left_out": history.left_out,
    }


def _condition(judged: Judged) -> dict[str, Any]:
    return {
        "fail_if": judged.condition.text,
        "figure": judged.condition.figure.name,
        "unit": judged.condition.figure.unit,
        "outcome": judged.outcome.value,
        "value": judged.value,
        "baseline": judged.baseline,
        "change": judged.change,
        "change_pct": judged.change_pct,
        "noise_pct": judged.noise_pct,
        "sentence": plain_spaces(judged.sentence),
    }


def _count(report: CheckReport, outcome: Outcome) -> int:
    return sum(each.outcome is outcome for each in report.judged)


def _clean(text: str) -> str:
    """The text without characters that XML can't contain."""
    return "".join(each for each in plain_spaces(text) if each in "\t\n" or each.isprintable())
