"""A collection's length is not looked at, but what it has to look at; a real run beside it is in ``test_run``."""

import gc
import weakref

from engine.driver.frozen_heap import frozen_heap


class _Node:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


def test_a_collection_looks_only_at_what_was_made_meanwhile() -> None:
    gc.collect()
    before = len(gc.get_objects())
    old = weakref.ref(_Node())
    with frozen_heap():
        looked_at = len(gc.get_objects())
        young = weakref.ref(_Node())
        gc.collect()
        assert (old() is None, young() is None) == (False, True)
    assert looked_at < before / 10
    gc.collect()
    assert old() is None
