import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.garbage_collections import GarbageCollections
from engine.driver.gc_settings import no_full_collections


@pytest.fixture
def collections(qtbot: QtBot) -> Iterator[GarbageCollections]:
    """With automatic garbage collection, as in every process at first.

    Objects that earlier tests have left are frozen, so that these tests need not allocate in proportion to them.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    owner = QObject()
    yield GarbageCollections(owner)
    owner.deleteLater()
    gc.disable()


def allocate(kept: list[list[int]]) -> None:
    """Allocate so many lasting objects that Python would collect both generations."""
    kept.extend([number] for number in range(len(gc.get_objects()) // 2 + 100_000))


def widget_in_a_circle(freed_by: list[int]) -> "weakref.ref[QWidget]":
    """A widget that only a collection can free; the threads on which that happens are noted."""
    widget = QWidget()
    widget.itself = widget  # type: ignore[attr-defined]
    return weakref.ref(widget, lambda _: freed_by.append(threading.get_ident()))


def test_widgets_are_freed_only_on_the_gui_thread(collections: GarbageCollections, qtbot: QtBot) -> None:
    freed_by: list[int] = []
    kept: list[list[int]] = []
    widget = widget_in_a_circle(freed_by)
    thread = threading.Thread(target=allocate, args=(kept,))
    thread.start()
    thread.join()
    allocate(kept)
    assert widget() is not None

    qtbot.waitUntil(lambda: bool(freed_by), timeout=60_000)
    assert freed_by == [threading.get_ident()]


def test_old_generation_is_collected_after_enough_growth(collections: GarbageCollections) -> None:
    gc.collect()
    kept = []
    full = full_collections()
    for _ in range(3):
        kept.append([[number] for number in range(len(gc.get_objects()) + 100_000)])
        make_all_due(collections)
    assert full_collections() == full + 3, "each time, half of all was new"
    make_all_due(collections)
    assert full_collections() == full + 3, "nothing has come"
    assert kept


def test_disabled_garbage_collector_stays_disabled(collections: GarbageCollections) -> None:
    with no_full_collections():
        before = full_collections()
        kept = [[number] for number in range(2 * len(gc.get_objects()))]
        make_all_due(collections)
        assert full_collections() == before
    make_all_due(collections)
    assert full_collections() > before
    assert kept


def full_collections() -> int:
    return int(gc.get_stats()[2]["collections"])


def make_all_due(collections: GarbageCollections) -> None:
    """Make enough for as many young collections as call for one of every generation by Python's usual thresholds."""
    young, middle, _ = gc.get_threshold()
    kept = []
    for _ in range((middle + 2) * 13):
        kept.append([[number] for number in range(young + 100)])
        collections.collect()
    assert kept
