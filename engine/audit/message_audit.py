"""Compares the mailboxes with the ledgers: every copy of a message that a server acknowledged is looked for.

A record's key is the sender, its check the run, and its number that of the copy among the sender's. Called by
``engine.conduct.auditing``.
"""

from collections.abc import Callable, Sequence

import numpy as np

from engine.audit.comparing import STORED_TYPE, Comparison, EarlyEnd, Findings
from engine.audit.keyed_audit import joined
from engine.audit.ledger_reading import LedgerContent, Records
from engine.audit.report import Consistency
from engine.audit.store_audit import NotPossible, StoreBefore, StoreFindings

_MOST_NUMBER = 2**32 - 1


def runs_of(ledgers: Sequence[LedgerContent]) -> frozenset[int]:
    """The runs' numbers in the messages that the ledgers know of."""
    found = np.concatenate([part["check"] for ledger in ledgers for part in (ledger.acknowledged, ledger.in_doubt)])
    return frozenset(np.unique(found).tolist())


def require_same_mailboxes(as_built_at: str, before: StoreBefore) -> None:
    """Raises ``NotPossible`` unless the mailboxes are those that the run began with."""
    if not as_built_at:
        raise NotPossible("the mail domain no longer holds a complete store")
    if as_built_at != before.as_built_at:
        raise NotPossible("the mailboxes were reset or filled anew after the run began, so its messages are gone")


def compare_messages(
    copies: Records, ledgers: Sequence[LedgerContent], ends: Sequence[EarlyEnd], place_of: Callable[[int], str]
) -> StoreFindings:
    """Compare the copies that were found, which have a number, a key and a check, with the ledgers of all clients.

    ``place_of`` names a sender by its key. A copy that is found twice was delivered twice.
    """
    stored = np.empty(len(copies), STORED_TYPE)
    for name in ("number", "key", "check"):
        stored[name] = copies[name]
    once = np.unique(stored)
    acknowledged = np.concatenate([ledger.acknowledged for ledger in ledgers])
    in_doubt = np.concatenate([ledger.in_doubt for ledger in ledgers])
    parts = [
        _compared(*(_by_number(each[each["key"] == key]) for each in (acknowledged, once, in_doubt)))
        for key in np.unique(np.concatenate([acknowledged["key"], once["key"], in_doubt["key"]]))
    ]
    twice = Consistency(what="copies of messages that were delivered twice", wrong=len(stored) - len(once))
    findings = joined(parts)
    return StoreFindings(
        findings=findings.cut_off_at(ends, by_moment=findings.present > 0), consistency=(twice,), place_of=place_of
    )


def _compared(acknowledged: Records, stored: Records, in_doubt: Records) -> Findings:
    """The findings of one sender."""
    comparison = Comparison(unknown_above=0, unknown_to=_MOST_NUMBER)
    comparison.add(acknowledged, stored)
    return comparison.findings(in_doubt)


def _by_number(records: Records) -> Records:
    return records[np.argsort(records["number"], kind="stable")]
