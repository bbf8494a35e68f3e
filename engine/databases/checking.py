"""Verifying a built store, shared by all DBMSs: the sequence of checks, their form, and the row counts."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from engine.databases.database import Check, IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled


def check_all(
    checks: Mapping[str, Callable[[], list[Check]]],
    cancelling: Callable[[], AbstractContextManager[None]],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> list[Check]:
    """Run groups of checks, keyed by what they check, within ``cancelling``; raises ``Cancelled``.

    The first group checks that all objects exist; if one is missing, the other groups are left out.
    """
    found: list[Check] = []
    for number, (what, check) in enumerate(checks.items()):
        if cancelled():
            raise Cancelled
        report_progress(Progress(doing=f"checking {what}", share=number / len(checks)))
        with cancelling():
            found += check()
        if number == 0 and not all(each.ok for each in found):
            break
    report_progress(Progress(doing="checked", share=1.0))
    return found


def equal(what: str, expected: int, found: int) -> Check:
    """A check that two numbers are the same."""
    return Check(what=what, expected=f"{expected:,}", found=f"{found:,}", ok=expected == found)
