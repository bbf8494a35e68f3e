"""Printing of reports with the system's print dialog."""

from collections.abc import Callable

from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

_DOTS_PER_INCH = 600


def ask_to_print(title: str, print_on: Callable[[QPrinter], None], parent: QWidget) -> None:
    """Ask for printer, paper and pages; ``print_on`` is called with the printer, unless the user cancels."""
    dialog = QPrintDialog(parent)  # owns a printer, which lives as long as the dialog
    dialog.printer().setResolution(_DOTS_PER_INCH)
    dialog.printer().setDocName(title)
    dialog.setWindowTitle("Print the report")
    dialog.accepted.connect(print_on)
    dialog.finished.connect(dialog.deleteLater)
    QDialog.open(dialog)  # the dialog's own ``open`` needs a slot
