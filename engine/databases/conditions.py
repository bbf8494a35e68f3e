"""Consistency conditions of a specification, as checks of a store and of an audit."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from engine.databases.checking import equal
from engine.databases.definition import Check, Checks
from engine.databases.snapshot import Reader


class Condition(NamedTuple):
    """A condition: its number in the specification, what the rows are that violate it, and a FROM clause of them.

    The clause is SQL that all DBMSs understand; the condition holds when it has no rows.
    """

    number: int
    violators: str
    violations: str

    @property
    def title(self) -> str:
        return f"condition {self.number}: {self.violators}"


def condition_checks(conditions: Sequence[Condition]) -> dict[str, Checks]:
    """The groups of checks of ``StoreDefinition.checks``, one for each condition."""
    return {f"condition {each.number} of {len(conditions)}": partial(_check, each) for each in conditions}


def consistency(conditions: Sequence[Condition]) -> dict[str, str]:
    """The conditions as ``StoreDefinition.consistency``."""
    return {each.title: each.violations for each in conditions}


def _check(condition: Condition, store: Reader, _counts: Mapping[str, int]) -> list[Check]:
    return [equal(condition.title, 0, store.count(condition.violations))]
