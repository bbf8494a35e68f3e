"""The choices of a comparison: whose headline metric, over time or over the load of stages, its reading, the alignment,
and the baseline."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from engine.analysis.comparing.comparison import Align, Moment
from engine.analysis.figures import WINDOW_SECONDS, WINDOWS_SECONDS
from engine.analysis.series.headline_curves import Reading
from widgets.parts.elided_combo_box import ElidedComboBox

_LEAST_CHARACTERS = 6


class CompareChoices(QWidget):
    """Emits ``changed``; the properties are the choices.

    Over the load, which is offered for runs by stages, the curves are those of all clients, and have neither a reading
    nor an alignment. ``load_chosen`` carries what another load of mixed runs is called.
    """

    changed = Signal()
    load_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: dict[QComboBox, QLabel] = {}
        first, second = QHBoxLayout(), QHBoxLayout()
        rows = QVBoxLayout(self)  # all in one row would be wider than a small screen
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addLayout(first)
        rows.addLayout(second)
        self.load = self._combo("L&oad", first)
        self.over = self._combo("O&ver", first)
        first.addStretch(1)
        self.shown = self._combo("&Show", second)
        self.read_as = self._combo("&Read as", second)
        self.read_as.setMinimumContentsLength(0)  # its texts are short, and never elided
        self.aligned_at = self._combo("&Align at", second)
        self.against = self._combo("Base&line", second)
        _fill(
            self.read_as,
            [
                ("running", (Reading.RUNNING, WINDOW_SECONDS)),
                ("each second", (Reading.SECOND, WINDOW_SECONDS)),
                *((f"window of {seconds} s", (Reading.WINDOW, seconds)) for seconds in WINDOWS_SECONDS),
            ],
        )
        self.read_as.setCurrentIndex(2)
        for combo in (self.over, self.shown, self.read_as, self.aligned_at, self.against):
            combo.currentIndexChanged.connect(self._on_changed)
        self.load.activated.connect(lambda _: self.load_chosen.emit(self.load.currentText()))
        self.offer_loads((), "")

    def offer(
        self,
        names: Sequence[str],
        clients: Sequence[str],
        marks: Mapping[Moment, int],
        *,
        all_measured: bool,
        faulted: int = 0,
        load: str = "",
    ) -> None:
        """Offer these runs, their clients and the marks to align at, and select the defaults. ``faulted`` is the number
        of runs with a fault, ``load`` what the curves of stages are over, such as users; empty without such curves."""
        _fill(self.over, [("time", False), *([(load, True)] if load else [])])
        with QSignalBlocker(self.over):
            self.over.setCurrentIndex(self.over.count() - 1)
        for widget in (self.over, self._labels[self.over]):
            widget.setVisible(bool(load))
        _fill(self.shown, [("total", None), *((text, number) for number, text in enumerate(clients, start=1))])
        _fill(self.against, [(name, place) for place, name in enumerate(names)])
        moments = [("start", Moment(Align.START)), ("start of measuring", Moment(Align.MEASURING))]
        if faulted:
            moments.append((f"first fault{_share_text(faulted, len(names))}", Moment(Align.FAULT)))
        moments += [(_mark_text(moment, count, len(names)), moment) for moment, count in marks.items()]
        _fill(self.aligned_at, moments)
        with QSignalBlocker(self.aligned_at):
            self.aligned_at.setCurrentIndex(1 if all_measured else 0)
        self._enable()

    def offer_loads(self, titles: Sequence[str], shown: str) -> None:
        """Offer the loads of mixed runs, of which one is shown; nothing is offered where there is no choice."""
        _fill(self.load, [(title, title) for title in titles])
        self.load.setCurrentText(shown)
        for widget in (self.load, self._labels[self.load]):
            widget.setVisible(len(titles) > 1)

    @property
    def is_over_load(self) -> bool:
        """Whether the curves are over the load of stages, and not over time."""
        return bool(self.over.currentData())

    @property
    def client(self) -> int | None:
        """The client, from 1, whose headline metric is shown; ``None`` for the total."""
        client: int | None = None if self.is_over_load else self.shown.currentData()
        return client

    @property
    def reading(self) -> tuple[Reading, int]:
        """The reading, and the length of its window [s]."""
        reading, seconds = self.read_as.currentData()
        return Reading(reading), int(seconds)

    @property
    def moment(self) -> Moment:
        moment: Moment = self.aligned_at.currentData()
        return moment

    @property
    def baseline(self) -> int:
        """The index of the run that the others are compared with."""
        return max(0, self.against.currentIndex())

    def _combo(self, name: str, row: QHBoxLayout) -> QComboBox:
        combo = ElidedComboBox(self)
        combo.setAccessibleName(name.replace("&", ""))
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMinimumContentsLength(_LEAST_CHARACTERS)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)  # and not the labels
        label = QLabel(name, self)
        label.setBuddy(combo)
        self._labels[combo] = label
        row.addWidget(label)
        row.addWidget(combo)  # without a stretch: each gets what its texts need, while there is room
        return combo

    def _enable(self) -> None:
        for combo in (self.shown, self.read_as, self.aligned_at):
            combo.setEnabled(not self.is_over_load)

    def _on_changed(self, _: int) -> None:
        self._enable()
        self.changed.emit()


def _fill(combo: QComboBox, entries: Iterable[tuple[str, Any]]) -> None:
    with QSignalBlocker(combo):
        combo.clear()
        for text, value in entries:
            combo.addItem(text, value)
            combo.setItemData(combo.count() - 1, text, Qt.ItemDataRole.ToolTipRole)  # the list elides it as well


def _mark_text(moment: Moment, count: int, runs: int) -> str:
    which = f", {moment.occurrence}." if moment.occurrence > 1 else ""
    return f"mark “{moment.label}”{which}{_share_text(count, runs)}"


def _share_text(count: int, runs: int) -> str:
    """How many of the runs have it, unless all do."""
    return "" if count == runs else f" ({count} of {runs} runs)"
