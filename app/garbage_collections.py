"""Runs Python's garbage collections in a process with a window between two events of the main thread, and nowhere else.

By default Python collects cyclic garbage whenever enough was allocated: on any thread, and also inside a call from Qt
that looks up a method in Python. Widgets that are part of such garbage are then destroyed on the wrong thread, or while
Qt holds the lock that their destruction needs: a crash or a deadlock. Qt's documentation of
``QObject.disconnectNotify`` warns of that lock.
"""

import gc

from PySide6.QtCore import QObject, QTimer

from engine.driver.gc_settings import disable_automatic_collections

_EVERY_MS = 1_000
# As in CPython: a full collection is due when the objects that survived since the last one are a quarter of all.
_GROWTH = 1.25
_FULL = 2


class GarbageCollections(QObject):
    """Takes over Python's collections for the rest of the process; ``owner`` lives on the main thread.

    Python's thresholds stay in force: a generation whose threshold is out of reach is never collected.
    """

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner)
        disable_automatic_collections()
        self._stayed = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is due, if any is."""
        counted = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [number for number, (count, threshold) in enumerate(counted) if count > threshold]
        if _FULL in due and self._has_grown():
            gc.collect(_FULL)
            self._stayed = len(gc.get_objects(_FULL))
        elif due:
            gc.collect(min(due[-1], _FULL - 1))

    def _has_grown(self) -> bool:
        return len(gc.get_objects(_FULL)) > _GROWTH * self._stayed
