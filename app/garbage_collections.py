"""Python's garbage collections in a process with a window: between two events of the window's thread, nowhere else.

Left to itself, Python collects garbage that refers to itself whenever enough was allocated: on any thread, and also
inside a call of Qt's that looks for a method in Python. Widgets that are part of such garbage are then destroyed on a
thread that is not theirs, or while Qt holds the lock that their destruction needs: a crash, or a window that hangs for
good. Qt's documentation of ``QObject.disconnectNotify`` warns of that lock.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1_000
# As Python itself has it: a full collection is worth its time when a quarter more has come to stay since the last.
_GROWTH = 1.25
_FULL = 2


class GarbageCollections(QObject):
    """Takes the collections over from Python for the rest of the process; ``owner`` lives on the window's thread.

    Python's thresholds stay in force: who sets that of a generation out of reach has none of it.
    """

    def __init__(self, owner: QObject) -> None:
        super().__init__(owner)
        gc.disable()
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
