from contextlib import nullcontext

import pytest

from engine.databases.checking import check_all, equal
from engine.databases.definition import Check
from engine.databases.progress import Progress
from engine.errors import Cancelled


def _checked(tables_ok: bool, told: list[Progress]) -> list[Check]:
    checks = {
        "tables": lambda: [equal("table customers", 1, int(tables_ok)), equal("table orders", 1, 1)],
        "orders": lambda: [equal("orders", 12_000, 11_999)],
    }
    return check_all(checks, nullcontext, told.append, lambda: False)


def test_every_check_is_made_where_everything_is_there() -> None:
    told: list[Progress] = []
    checks = _checked(True, told)
    assert [(check.what, check.ok) for check in checks] == [
        ("table customers", True), ("table orders", True), ("orders", False)
    ]  # fmt: skip
    assert (checks[-1].expected, checks[-1].found) == ("12\u202f000", "11\u202f999")
    assert [progress.share for progress in told] == [0, 0.5, 1]


def test_missing_object_ends_the_checks() -> None:
    assert [check.what for check in _checked(False, [])] == ["table customers", "table orders"]


def test_checks_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        check_all({"tables": list}, nullcontext, lambda _: None, lambda: True)
