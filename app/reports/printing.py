"""Reports on paper: the one place that opens the system's print dialog."""

from collections.abc import Callable

from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

_DOTS_PER_INCH = 600


def ask_to_print(title: str, print_on: Callable[[QPrinter], None], parent: QWidget) -> None:
    """Ask for printer, paper and pages; ``print_on`` is called with what was chosen, unless nothing was."""
    dialog = QPrintDialog(parent)  # with a printer of its own, which lives as long as it does
    dialog.printer().setResolution(_DOTS_PER_INCH)
    dialog.printer().setDocName(title)
    dialog.setWindowTitle("Print the report")
    dialog.accepted.connect(print_on)
    dialog.finished.connect(dialog.deleteLater)
    QDialog.open(dialog)  # its own ``open`` wants a slot to call
