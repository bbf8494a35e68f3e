"""How well what a window paints can be seen: WCAG 2.1 contrast, measured on its pixels. For the tests of every page.

A window is rendered at three times its size, where the stems of small letters have pixels of their full colour. The
ground of a text is the most frequent colour where it stands, its ink the one that is furthest from it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QTreeView,
    QWidget,
)

from widgets.parts.elided_label import ElidedLabel
from widgets.parts.shapes import ShapeSign

READABLE, LARGE, VISIBLE = 4.5, 3.0, 3.0
_SCALE = 3
_LARGE_POINTS, _LARGE_BOLD_POINTS = 18.0, 14.0
_FRAME = 2  # pixels of a control's edge, which is no part of its text
_MOST_CELLS = 60
_Pixels = npt.NDArray[np.uint32]
"""Colours as 0xFFRRGGBB."""


@dataclass(frozen=True)
class Weak:
    """Something that is seen too badly: what and where it is, its contrast, and the contrast that it needs."""

    what: str
    contrast: float
    needed: float

    def __str__(self) -> str:
        return f"{self.what}: {self.contrast:.2f}, {self.needed:g} is needed"


@dataclass(frozen=True)
class _Text:
    """A text or a sign in a rectangle of the window."""

    what: str
    box: QRect
    needed: float


def weak_parts(window: QWidget, kinds: tuple[type[QWidget], ...] = (QWidget,)) -> list[Weak]:
    """All visible texts, signs and frames of controls in a window whose contrast is too low; of these ``kinds`` of
    widgets."""
    image = _rendered(window)
    pixels = _pixels(image)
    looked_at = [each for each in _visible(window) if isinstance(each, kinds)]
    found = [_weak_text(pixels, text) for text in _texts(window, looked_at)]
    found += [_weak_frame(pixels, window, control) for control in looked_at if _has_frame(control)]
    return [weak for weak in found if weak is not None]


def colours_of(widget: QWidget) -> list[str]:
    """The colours of a widget as ``#rrggbb``, the most frequent first."""
    colours, counts = _colours(_pixels(_rendered(widget)))
    return [f"#{int(colours[place]) & 0xFFFFFF:06x}" for place in np.argsort(-counts)]


def contrast_of(one: npt.NDArray[np.float64], other: "npt.NDArray[np.float64] | np.float64") -> npt.NDArray[np.float64]:
    """The contrast of relative luminances."""
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


@lru_cache(maxsize=1)
def _empty_image(width: int, height: int) -> QImage:
    """Kept, since new memory for 40 MB of pixels takes longer than to paint them."""
    return QImage(width, height, QImage.Format.Format_RGB32)


def _rendered(window: QWidget) -> QImage:
    size = window.size() * _SCALE
    image = _empty_image(size.width(), size.height())
    image.setDevicePixelRatio(_SCALE)
    image.fill(Qt.GlobalColor.magenta)
    painter = QPainter(image)
    window.render(painter, QPoint())
    painter.end()
    return image


def _pixels(image: QImage) -> _Pixels:
    """The pixels of an image where it has them; the highest byte of each is 0xFF."""
    whole = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return whole[:, : image.width()]


def _colours(part: _Pixels) -> tuple[_Pixels, npt.NDArray[Any]]:
    """The colours in a part of an image, and how often each is there; neighbours of one colour are counted at once."""
    flat = part.ravel()
    begins = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
    colours, places = np.unique(flat[begins], return_inverse=True)
    return colours, np.bincount(places, weights=np.diff(begins, append=len(flat)))


def _luminance(colours: _Pixels) -> npt.NDArray[np.float64]:
    parts = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1) / 255
    parts = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    luminance: npt.NDArray[np.float64] = parts @ np.array([0.2126, 0.7152, 0.0722])
    return luminance


def _weak_text(pixels: _Pixels, text: _Text) -> Weak | None:
    box = text.box
    part = pixels[box.top() * _SCALE : (box.bottom() + 1) * _SCALE, box.left() * _SCALE : (box.right() + 1) * _SCALE]
    if not part.size:
        return None
    colours, counts = _colours(part)
    if len(colours) == 1:
        return None  # nothing is painted there: an empty cell, a text that is scrolled away
    luminances = _luminance(colours)
    contrast = float(contrast_of(luminances, luminances[counts.argmax()]).max())
    return Weak(text.what, contrast, text.needed) if contrast < text.needed else None


def _weak_frame(pixels: _Pixels, window: QWidget, control: QWidget) -> Weak | None:
    """A control is known by its frame or its fill: at one of its sides it has to stand off from what is around it."""
    box = QRect(control.mapTo(window, QPoint()), control.size())
    across, down = box.center().x() * _SCALE, box.center().y() * _SCALE
    inside, outside = _FRAME * _SCALE, _SCALE
    left, top, bottom = box.left() * _SCALE, box.top() * _SCALE, (box.bottom() + 1) * _SCALE
    sides = (
        pixels[down : down + 1, max(0, left - outside) : left + inside].ravel(),
        pixels[max(0, top - outside) : top + inside, across : across + 1].ravel(),
        pixels[bottom - inside : bottom + outside, across : across + 1].ravel()[::-1],
    )
    contrasts = [contrast_of(_luminance(side)[1:], _luminance(side)[:1]).max() for side in sides if len(side) > 1]
    contrast = float(max(contrasts, default=VISIBLE))
    return Weak(f"frame of {_name(control)}", contrast, VISIBLE) if contrast < VISIBLE else None


def _has_frame(widget: QWidget) -> bool:
    """Whether it is a control with an edge of its own; those that are disabled need none."""
    if not widget.isEnabled() or _is_icon_in_field(widget):
        return False
    if isinstance(widget.parentWidget(), QComboBox | QAbstractSpinBox | QAbstractItemView):
        return False
    if isinstance(widget, QToolButton) and widget.autoRaise():
        return False
    if isinstance(widget, QComboBox):
        return widget.hasFrame()
    if isinstance(widget, QLineEdit):
        return widget.hasFrame() and not widget.isReadOnly()
    return isinstance(widget, QPushButton | QToolButton | QAbstractSpinBox | QCheckBox | QRadioButton)


def _is_icon_in_field(widget: QWidget) -> bool:
    """Whether it is a button that a field draws as an icon alone, such as the one that clears it."""
    return isinstance(widget, QToolButton) and isinstance(widget.parentWidget(), QLineEdit)


def _texts(window: QWidget, widgets: list[QWidget]) -> Iterator[_Text]:
    for widget in widgets:
        for what, inside, needed in _texts_of(widget):
            box = QRect(widget.mapTo(window, inside.topLeft()), inside.size())
            if _shown_part(widget, window).contains(box):
                yield _Text(what, box, needed)


def _shown_part(widget: QWidget, window: QWidget) -> QRect:
    """What no widget around it cuts off, such as a scroll area, in the window's coordinates."""
    part, around = QRect(widget.mapTo(window, QPoint()), widget.size()), widget.parentWidget()
    while around is not None and widget is not window:
        part &= QRect(around.mapTo(window, QPoint()), around.size())
        around = None if around is window else around.parentWidget()
    return part


def _texts_of(widget: QWidget) -> Iterator[tuple[str, QRect, float]]:
    """What a widget writes or draws itself: a name for it, its place in the widget, and the contrast it needs."""
    needed = _needed(widget.font()) if widget.isEnabled() else VISIBLE
    inside = widget.rect().adjusted(_FRAME, _FRAME, -_FRAME, -_FRAME)
    match widget:
        case QTabBar():
            yield from _tabs(widget, needed)
        case QHeaderView():
            yield from _sections(widget, needed)
        case QAbstractItemView():
            yield from _cells(widget)
        case QMenu():
            yield from _actions(widget)
        case QToolButton() if _is_icon_in_field(widget):
            yield f"icon {_name(widget)}", widget.rect(), VISIBLE
        case QLabel() | QAbstractButton() if widget.text().strip():
            yield f"{type(widget).__name__} {widget.text()!r}", inside, needed
        case QLineEdit() | QComboBox() | QAbstractSpinBox() | ElidedLabel():
            yield f"text of {_name(widget)}", inside, needed
        case QAbstractButton() | ShapeSign() if widget.isEnabled():
            yield f"sign of {_name(widget)}", inside, VISIBLE


def _tabs(bar: QTabBar, needed: float) -> Iterator[tuple[str, QRect, float]]:
    for place in range(bar.count()):
        yield f"tab {bar.tabText(place)}", bar.tabRect(place).adjusted(3, 3, -3, -3), needed


def _actions(menu: QMenu) -> Iterator[tuple[str, QRect, float]]:
    for action in menu.actions():
        if not action.isSeparator():
            needed = READABLE if action.isEnabled() and menu.isEnabled() else VISIBLE
            yield f"action {action.text()}", menu.actionGeometry(action).adjusted(2, 2, -2, -2), needed


def _sections(header: QHeaderView, needed: float) -> Iterator[tuple[str, QRect, float]]:
    if header.orientation() is not Qt.Orientation.Horizontal:
        return
    for section in range(header.count()):
        left, width = header.sectionViewportPosition(section), header.sectionSize(section)
        title = header.model().headerData(section, header.orientation())
        if title and width > 0:
            yield f"header {title}", QRect(left, 1, width - 2, header.height() - 3), needed


def _cells(view: QAbstractItemView) -> Iterator[tuple[str, QRect, float]]:
    count = 0
    for index in _indexes(view):
        shown = view.viewport().rect()
        box = view.visualRect(index).intersected(
            QRect(shown.left(), -shown.height(), shown.width(), 3 * shown.height())
        )
        text = index.data(Qt.ItemDataRole.DisplayRole)
        if count < _MOST_CELLS and text and str(text).strip() and not box.isEmpty() and shown.contains(box):
            count += 1
            needed = READABLE if index.flags() & Qt.ItemFlag.ItemIsEnabled else VISIBLE
            yield f"cell {text!r} of {_name(view)}", box.translated(view.viewport().pos()), needed


def _indexes(view: QAbstractItemView) -> Iterator[QModelIndex]:
    model, root = view.model(), view.rootIndex()
    if model is None:
        return
    if isinstance(view, QTreeView):
        index = model.index(0, 0)
        while index.isValid():
            yield from (index.siblingAtColumn(column) for column in range(model.columnCount()))
            index = view.indexBelow(index)
    else:
        columns = [view.modelColumn()] if isinstance(view, QListView) else range(model.columnCount())
        for row in range(model.rowCount(root)):
            yield from (model.index(row, column, root) for column in columns)


def _needed(font: QFont) -> float:
    points = font.pointSizeF()
    return LARGE if points >= (_LARGE_BOLD_POINTS if font.bold() else _LARGE_POINTS) else READABLE


def _visible(window: QWidget) -> list[QWidget]:
    return [
        each
        for each in (window, *window.findChildren(QWidget))
        if each is window or (each.isVisibleTo(window) and not each.isWindow())
    ]


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()!r}"
