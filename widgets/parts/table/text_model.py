"""A read-only, unsorted table of texts: words on the left, numbers on the right.

Called by the tables of figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_NO_INDEX = QModelIndex()
_NO_TIPS: Mapping[str, str] = MappingProxyType({})
_NO_SIGNS: Mapping[str, QIcon] = MappingProxyType({})


@dataclass(frozen=True)
class Texts:
    """A table: its titles and rows, and how many leading and ``last`` columns are words; the others are numbers."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    last_words: int = 0


class TextModel(QAbstractTableModel):
    """Shows ``Texts``, with a tool tip on each text in ``tips``, and a sign before each in ``signs``."""

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        tips: Mapping[str, str] = _NO_TIPS,
        signs: Mapping[str, QIcon] = _NO_SIGNS,
    ) -> None:
        super().__init__(parent)
        self._texts = Texts((), ())
        self._tips, self._signs = tips, signs

    @property
    def texts(self) -> Texts:
        """The table that is shown."""
        return self._texts

    def show_texts(self, texts: Texts, tips: Mapping[str, str] | None = None) -> None:
        """Show a table, with other ``tips`` if they are given."""
        self.beginResetModel()
        self._texts = texts
        self._tips = self._tips if tips is None else tips
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._texts.rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._texts.titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:  # noqa: N802
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._texts.titles):
            return None
        if role == _Role.DisplayRole:
            return self._texts.titles[section]
        return self._alignment(section) if role == _Role.TextAlignmentRole else None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        text = self._texts.rows[index.row()][index.column()]
        if role == _Role.DisplayRole:
            return text
        if role == _Role.DecorationRole:
            return self._signs.get(text)
        if role == _Role.ToolTipRole:
            return self._tips.get(text)
        return self._alignment(index.column()) if role == _Role.TextAlignmentRole else None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        is_word = column < self._texts.words or column >= len(self._texts.titles) - self._texts.last_words
        side = Qt.AlignmentFlag.AlignLeft if is_word else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter
