"""A report before it is written: options on the left, preview on the right.

Called by the window: ``begin`` with the kinds of reports, ``show_loading`` while one is made, then ``show_report``;
``show_writing`` while it is written.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.figure_text import capitalised
from engine.report.document import Document, DocumentKind, Logo
from engine.report.document_format import DocumentFormat
from widgets.live.waiting_panel import PreparingPanel
from widgets.parts.fonts import scaled
from widgets.report.document_view import DocumentView
from widgets.report.report_form import ReportForm

_FORM_LINES = 19.5  # its width in heights of a line: names of published results are not elided
_BAR_STEPS = 1_000


class ReportPage(QWidget):
    """``build_requested`` carries a ``DocumentKind`` and the names of published results; ``export_requested`` the
    document as shown and a ``DocumentFormat``. ``cancel_requested`` cancels what is being made or written."""

    back_requested = Signal()
    cancel_requested = Signal()
    build_requested = Signal(object, list)
    logo_requested = Signal()
    export_requested = Signal(object, object)
    print_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._built: Document | None = None
        self._drawings: Sequence[bytes] = ()
        self.back_button = QPushButton("← Library", self)
        self.html_button = QPushButton("Export HTML…", self)
        self.pdf_button = QPushButton("Export PDF…", self)
        self.print_button = QPushButton("Print…", self)
        self.form = ReportForm()
        self.view = DocumentView()
        self.loading = PreparingPanel()
        self._title = QLabel("Report", self)
        self._trouble = QLabel()
        self._doing = QLabel(self)
        self._bar = QProgressBar(self)
        self.stop_button = QPushButton("Cancel", self)
        self._pages = QStackedWidget()
        self._build()
        self._connect()
        self.show_writing(None)

    @property
    def trouble(self) -> str:
        """Why nothing is shown; empty when a report is shown, or is being made."""
        return self._trouble.text() if self._pages.currentWidget() is self._trouble else ""

    @property
    def document(self) -> Document | None:
        """The document as displayed; ``None`` before there is one."""
        return None if self._built is None else self.form.applied_to(self._built)

    def begin(self, kinds: Sequence[DocumentKind], references: Sequence[tuple[str, str]]) -> None:
        """Another report: the kinds that can be made, the first of which is made, and published results by name and
        source."""
        self.form.offer(kinds, references)
        self._start_over()

    def show_loading(self, doing: str, share: float | None) -> None:
        """The document is being made; ``share`` is the share done, from 0 to 1, ``None`` if unknown."""
        self.loading.show_doing(doing or "Making the report", share)
        self._show(self.loading)

    def show_report(self, document: Document, drawings: Sequence[bytes]) -> None:
        """Show the document, with its charts as SVG in order."""
        self._built, self._drawings = document, drawings
        self.form.show_own_title(document.title)
        self._show(self.view)
        self._redraw()

    def show_trouble(self, sentence: str) -> None:
        """Show why this report can't be made; another kind may be possible."""
        self._built = None
        self._trouble.setText(capitalised(sentence))
        self._show(self._trouble)

    def show_writing(self, doing: str | None, share: float | None = None) -> None:
        """The document is being written; ``None``: no longer."""
        for widget in (self._doing, self._bar, self.stop_button):
            widget.setVisible(doing is not None)
        self.stop_button.setEnabled(True)
        self._doing.setText(doing or "")
        self._bar.setRange(0, 0 if share is None else _BAR_STEPS)
        if share is not None:
            self._bar.setValue(round(_BAR_STEPS * share))
        self._allow_export(doing is None and self._pages.currentWidget() is self.view)

    def set_logo(self, logo: Logo) -> None:
        """Put this logo at the head."""
        self.form.set_logo(logo)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc goes back, unless a child widget handles it."""
        if event.key() == Qt.Key.Key_Escape:
            self._on_back()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._title.setFont(scaled(self.font(), 1.15, bold=True))
        self.back_button.setToolTip("Back to the library (Esc, Alt+Left)")
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of writing")
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * 20)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self._title, 1)
        in_head = (self._doing, self._bar, self.stop_button, self.html_button, self.pdf_button, self.print_button)
        for widget in in_head:
            head.addWidget(widget)
        self.print_button.setShortcut(QKeySequence(QKeySequence.StandardKey.Print))
        self.print_button.setToolTip("Print the report (Ctrl+P)")
        splitter = QSplitter(Qt.Orientation.Horizontal)
        self._trouble.setWordWrap(True)
        self._trouble.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._trouble.setMargin(self.fontMetrics().height())
        for page in (self.loading, self.view, self._trouble):
            self._pages.addWidget(page)
        for place, part in enumerate((self.form, self._pages)):
            splitter.addWidget(part)
            splitter.setStretchFactor(place, place)
        form_width = round(_FORM_LINES * self.fontMetrics().height())
        splitter.setSizes([form_width, 3 * form_width])
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(splitter, 1)

    def _connect(self) -> None:
        back = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        back.setWhatsThis("Back to the table")
        back.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        back.activated.connect(self._on_back)
        self.back_button.clicked.connect(self._on_back)
        self.form.kind_changed.connect(self._start_over)
        self.form.references_changed.connect(self._request)
        self.form.words_changed.connect(self._redraw)
        self.form.logo_requested.connect(self.logo_requested)
        self.loading.cancel_requested.connect(self._on_back)
        self.stop_button.clicked.connect(self._on_stop)
        self.html_button.clicked.connect(self._on_html)
        self.pdf_button.clicked.connect(self._on_pdf)
        self.print_button.clicked.connect(self.print_requested)

    def _start_over(self) -> None:
        """Scroll another document to its top."""
        self.view.clear()
        self._request()

    def _request(self) -> None:
        self._built = None
        self.loading.begin()
        self.show_loading("", None)
        self.build_requested.emit(self.form.kind, self.form.chosen_references)

    def _redraw(self) -> None:
        document = self.document
        if document is not None:
            self.view.show_document(document, self._drawings)

    def _show(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self._allow_export(page is self.view and self.stop_button.isHidden())

    def _allow_export(self, allowed: bool) -> None:
        for button in (self.html_button, self.pdf_button, self.print_button):
            button.setEnabled(allowed)

    def _on_html(self) -> None:
        self.export_requested.emit(self.document, DocumentFormat.HTML)

    def _on_pdf(self) -> None:
        self.export_requested.emit(self.document, DocumentFormat.PDF)

    def _on_stop(self) -> None:
        self.stop_button.setEnabled(False)
        self.cancel_requested.emit()

    def _on_back(self) -> None:
        """Leaving cancels making a document; writing goes on."""
        if self._pages.currentWidget() is self.loading:
            self.cancel_requested.emit()
        self.back_requested.emit()
