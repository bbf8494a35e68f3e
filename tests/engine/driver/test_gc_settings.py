"""How long a collection takes is not looked at, but which there are; a real run beside it is in ``test_run``."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from engine.driver.gc_settings import no_full_collections


@pytest.fixture(autouse=True)
def automatic_collections() -> Iterator[None]:
    gc.enable()
    yield
    gc.disable()


class _Node:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


def _full_collections() -> int:
    """How many there are while a process's objects become half as many more, which calls for one."""
    before = gc.get_stats()[2]["collections"]
    kept = [[number] for number in range(len(gc.get_objects()) // 2 + 100_000)]
    assert kept
    return int(gc.get_stats()[2]["collections"] - before)


def test_no_full_collection_runs_during_the_load() -> None:
    with no_full_collections():
        assert _full_collections() == 0
    assert _full_collections() > 0


def test_young_objects_are_still_collected() -> None:
    with no_full_collections():
        young = weakref.ref(_Node())
        kept = [[number] for number in range(100_000)]
        assert kept
        assert young() is None
