"""What the wizard's pages have in common: a heading, a draft that they edit in place, and their own errors."""

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from engine.draft import PlanDraft
from widgets.parts.fonts import scaled
from widgets.parts.look import Look

_TITLE_FACTOR = 1.4


class WizardPage(QWidget):
    """One page. ``edited`` tells that somebody changed the draft here, ``tried`` that something was asked of it that
    needs every field: from then on, an empty one is shown as wrong.

    ``paths`` begin the names of the fields that are this page's, as ``PlanDraft.validate`` names them.
    """

    edited = Signal()
    tried = Signal()
    title: ClassVar[str]

    def __init__(self, look: Look, lead: str, paths: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.draft = PlanDraft()
        self._paths = paths
        self.body = QVBoxLayout(self)
        self.body.setSpacing(self.fontMetrics().height())
        heading = QLabel(self.title, self)
        heading.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        lead_label = QLabel(lead, self)
        lead_label.setWordWrap(True)
        head = QVBoxLayout()
        head.setSpacing(self.fontMetrics().height() // 3)
        head.addWidget(heading)
        head.addWidget(lead_label)
        self.body.addLayout(head)

    def load(self, draft: PlanDraft) -> None:
        """Show this draft and edit it from now on."""
        self.draft = draft

    def own(self, errors: Mapping[str, str]) -> dict[str, str]:
        """Those of the errors whose field is on this page."""
        return {path: text for path, text in errors.items() if path.split(".")[0] in self._paths}

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Show each sentence at its field; called with all of the draft's errors after each change."""

    def first_control(self) -> QWidget:
        """Where typing begins when the page is entered."""
        raise NotImplementedError

    def focus_field(self, path: str) -> None:
        """Go to the field that an error is about."""
        self.first_control().setFocus()
