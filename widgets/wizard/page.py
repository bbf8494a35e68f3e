"""Base class of the wizard's pages: a heading, a draft that is edited in place, and the page's own errors."""

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from engine.draft.plan_draft import PlanDraft
from widgets.parts.fonts import scaled
from widgets.parts.look import Look

_TITLE_FACTOR = 1.4


class WizardPage(QWidget):
    """``edited``: the user changed the draft on this page. ``validation_requested``: the user asked for something that
    needs every field; from then on an empty field is shown as an error.

    ``paths`` are the prefixes of the names of this page's fields, as ``PlanDraft.validate`` names them.
    """

    edited = Signal()
    validation_requested = Signal()
    title: ClassVar[str]

    def __init__(self, look: Look, lead: str, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.draft = PlanDraft()
        self._paths = paths
        self.body = QVBoxLayout(self)
        self.body.setSpacing(self.fontMetrics().height())
        self.heading = QLabel(self.title, self)
        self.heading.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        self.lead = QLabel(lead, self)
        self.lead.setWordWrap(True)
        head = QVBoxLayout()
        head.setSpacing(self.fontMetrics().height() // 3)
        head.addWidget(self.heading)
        head.addWidget(self.lead)
        self.body.addLayout(head)

    def load(self, draft: PlanDraft) -> None:
        """Show this draft and edit it from now on."""
        self.draft = draft

    def own(self, errors: Mapping[str, str]) -> dict[str, str]:
        """The errors whose field is on this page."""
        return {path: text for path, text in errors.items() if path.split(".")[0] in self._paths}

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Show each error at its field; called with all errors of the draft after each change."""

    def first_control(self) -> QWidget:
        """The control that gets the keyboard focus when the page is opened."""
        raise NotImplementedError

    def focus_field(self, path: str) -> None:
        """Move the focus to the field of an error."""
        self.first_control().setFocus()


def scrolling(content: QWidget, name: str) -> QScrollArea:
    """A page, or the summary, in an area that scrolls where it is too large."""
    area = QScrollArea()
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    area.setWidget(content)
    return area
