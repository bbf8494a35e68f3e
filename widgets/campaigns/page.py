"""The Campaigns place: the list of campaigns, the chosen one beside it, and the editor of a new one."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from engine.campaign.journal import CampaignRecord, EntryState
from resources import read_text
from widgets.campaigns.campaign_view import CampaignView
from widgets.campaigns.editor import TEMPLATES, CampaignEditor
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_NOTHING = (
    "A campaign carries out many runs by itself: the published cycle of reset, restart, wait, idle and run, three"
    " times with the median; sweeps over stores, users or think times; the search for how many. It can be stopped, and"
    " resumed where it was."
)
_TITLES = ("Campaign", "State", "Began", "Runs")
_WIDEST = ("Stores and think times", "interrupted", "2026-11-21", "888")
_LEAST_NAME = "Stores"
_SHARES = (373, 767)


class CampaignsPage(QWidget):
    """``chosen`` carries the name of the campaign to show; the other signals are those of ``view`` and ``editor``."""

    chosen = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = TableView("Campaigns", self)
        self.new_button = QPushButton("New campaign", self)
        self.help_button = QPushButton("Help", self)
        self.first_button = QPushButton("Write a campaign", self)
        self.view = CampaignView(self)
        self.editor = CampaignEditor(look, self)
        self._help: HelpPage | None = None
        self._names: list[str] = []
        self._model = TextModel(self)
        self._pages = QStackedWidget(self)
        self._nothing = QWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._build()

    def show_campaigns(self, campaigns: Sequence[CampaignRecord]) -> None:
        """Show the campaigns, the newest first; the chosen one stays chosen."""
        before = self.current
        self._names = [each.name for each in campaigns]
        texts = Texts(_TITLES, tuple(map(_row, campaigns)), words=3)
        if texts != self._model.texts:
            is_first = not self._model.columnCount()
            self._model.show_texts(texts)
            if is_first:
                self.list.fit_columns(_WIDEST)
        if self._names:
            self.choose(before if before in self._names else self._names[0])
        if self._pages.currentWidget() is not self.editor:
            self.show_list()

    @property
    def current(self) -> str:
        """The name of the chosen campaign; empty without one."""
        row = self.list.currentIndex().row()
        return self._names[row] if 0 <= row < len(self._names) else ""

    def choose(self, name: str) -> None:
        """Choose the campaign with that name, if it is there."""
        if name in self._names and name != self.current:
            self.list.selectRow(self._names.index(name))

    def show_list(self) -> None:
        """Show the list, or how to begin while there is none."""
        self._pages.setCurrentWidget(self._splitter if self._names else self._nothing)

    def show_editor(self, text: str | None = None) -> None:
        """Show the editor, with this text if one is given; an empty one begins with the first template."""
        if text is not None:
            self.editor.put(text)
        elif not self.editor.text.toPlainText().strip():
            self.editor.put_template(TEMPLATES[0][1])
        self._pages.setCurrentWidget(self.editor)
        self.editor.text.setFocus()

    def show_help(self) -> HelpPage:
        """Explain campaigns, in a separate window."""
        if self._help is None:
            self._help = HelpPage("Campaigns", read_text("help", "campaigns.md"), self)
        self._help.show()
        self._help.raise_()
        return self._help

    def _build(self) -> None:
        self.list.setModel(self._model)
        self.list.setAlternatingRowColors(True)
        self.list.columns.let_yield([(_TITLES.index("Campaign"), _LEAST_NAME)])
        self.list.columns.let_leave([_TITLES.index("Began")])
        self.list.setSelectionMode(self.list.SelectionMode.SingleSelection)
        listing = QWidget(self)
        column = QVBoxLayout(listing)
        column.setContentsMargins(0, 0, 0, 0)
        head = QHBoxLayout()
        head.addWidget(self.new_button)
        head.addStretch(1)
        head.addWidget(self.help_button)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        for widget, share in zip((listing, self.view), _SHARES, strict=True):
            self._splitter.addWidget(widget)
            self._splitter.setStretchFactor(self._splitter.count() - 1, share)
        self._splitter.setSizes(list(_SHARES))
        self._splitter.setChildrenCollapsible(False)
        text = QLabel(_NOTHING, self._nothing)
        text.setWordWrap(True)
        text.setFixedWidth(60 * self.fontMetrics().averageCharWidth())
        centred = QHBoxLayout()  # aligned instead, the text would have the height that it needs in the page's width
        centred.addStretch(1)
        centred.addWidget(text)
        centred.addStretch(1)
        empty = QVBoxLayout(self._nothing)
        empty.addStretch(1)
        empty.addLayout(centred)
        empty.addWidget(self.first_button, alignment=Qt.AlignmentFlag.AlignHCenter)
        empty.addStretch(2)
        for page in (self._nothing, self._splitter, self.editor):
            self._pages.addWidget(page)
        QVBoxLayout(self).addWidget(self._pages)
        for button in (self.new_button, self.first_button):
            button.clicked.connect(self._on_new)
        self.help_button.clicked.connect(self.show_help)
        self.editor.back_requested.connect(self.show_list)
        self.list.selectionModel().currentRowChanged.connect(self._on_current)

    def _on_new(self) -> None:
        self.show_editor()

    def _on_current(self) -> None:
        if self.current:
            self.chosen.emit(self.current)


def _row(campaign: CampaignRecord) -> tuple[str, ...]:
    return (
        campaign.name,
        campaign.state.value,
        campaign.made_at.astimezone().strftime("%Y-%m-%d"),
        str(len({entry.run_id for entry in campaign.entries if entry.run_id and entry.state is EntryState.DONE})),
    )
