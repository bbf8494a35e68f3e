"""Files dropped on the window: what each is, and what is done with it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from app.window.dropped_files import FileKind, look_at
from engine.plan.file import write_plan_file
from engine.plan.plan import RunPlan
from tests.app.test_host_in_the_window import meter_csv
from tests.app.window_parts import OpenDesktop
from tests.engine.workloads.dvdstore import ds2_logs
from tests.engine.workloads.storage.outputs import SQLIO

DS2 = ds2_logs.log(
    ds2_logs.echo("db1", threads_together=8),
    ds2_logs.report(10.0, 100),
    ds2_logs.report(20.0, 220),
    ds2_logs.final(20.0, 220),
)
COPY, LEFT, NONE = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library()
    return shared_window


def drop(opened: OpenDesktop, *paths: Path) -> bool:
    """Drag files over the window and let them go; whether the window took them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    window = opened.desktop.window
    entering = QDragEnterEvent(window.rect().center(), COPY, data, LEFT, NONE)
    QApplication.sendEvent(window, entering)
    if entering.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(window.rect().center()), COPY, data, LEFT, NONE))
    return entering.isAccepted()


def a_plan_file(path: Path) -> Path:
    write_plan_file(path, RunPlan(name="Acceptance", threads=77))
    return path


def test_dropped_file_kind_is_detected_from_content(tmp_path: Path) -> None:
    texts = {
        "ds2.txt": (DS2, FileKind.DS2),
        "sqlio.txt": (SQLIO, FileKind.STORAGE),
        "bill.csv": ("name,count,price\nserver,1,10994.88\n", FileKind.CONFIGURATION),
        "own.toml": ('name = "R630"\n[[watts]]\ndevice = "server"\nactive = 390\n', FileKind.CONFIGURATION),
        "published.csv": ("name,source,opm\nR630,a paper,20736\n", FileKind.REFERENCES),
        "broken.csv": ('"(PDH-CSV 4.0) (UTC)(0)","\\\\A\\Nothing"\n', FileKind.HOST),
        "report.html": ("<html></html>", FileKind.REPORT),
        "report.PDF": ("%PDF", FileKind.REPORT),
        "letter.txt": ("Dear all,", FileKind.UNKNOWN),
        "wrong.toml": ("threads = many", FileKind.UNKNOWN),
        "empty.csv": ("", FileKind.UNKNOWN),
    }
    for name, (text, kind) in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert (name, look_at(tmp_path / name).kind) == (name, kind)
    assert look_at(meter_csv(tmp_path / "meter.csv")).kind is FileKind.HOST
    assert look_at(a_plan_file(tmp_path / "plan.toml")).plan == RunPlan(name="Acceptance", threads=77)


def test_unknown_file_kind_has_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all,")
    (tmp_path / "image.bin").write_bytes(b"\0\1\2")
    for path in (tmp_path, tmp_path / "letter.txt", tmp_path / "image.bin", tmp_path / "missing.csv"):
        checked = look_at(path)
        assert checked.kind is FileKind.UNKNOWN
        assert checked.problem.endswith(".")


def test_a_dropped_plan_fills_the_wizard(opened: OpenDesktop, tmp_path: Path) -> None:
    opened.desktop.window.show_place(2)
    assert drop(opened, a_plan_file(tmp_path / "plan.toml"))
    opened.wait_for(lambda: opened.desktop.window.place == 0)
    assert opened.desktop.new_run.widget.draft.typed["threads"] == "77"
    assert opened.desktop.new_run.recent_plans == [str(tmp_path / "plan.toml")]
    assert opened.desktop.window.bar.text == "Opened plan.toml."


def test_dropped_ds2_output_becomes_a_run(opened: OpenDesktop, tmp_path: Path) -> None:
    (tmp_path / "ds2.txt").write_text(DS2, encoding="utf-8")
    assert drop(opened, tmp_path / "ds2.txt")
    opened.wait_for(lambda: "Imported: 1" in opened.desktop.window.bar.text)
    opened.wait_for(lambda: opened.desktop.library.page.table.shown == 1)
    assert opened.desktop.window.place == 2


def test_a_dropped_report_is_opened_outside(
    opened: OpenDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", urls.append)
    (tmp_path / "report.html").write_text("<html></html>")
    assert drop(opened, tmp_path / "report.html")
    opened.wait_for(lambda: "with another program" in opened.desktop.window.bar.text)
    opened.desktop.window.bar.action_button.click()
    assert [url.toLocalFile() for url in urls] == [str(tmp_path / "report.html")]


def test_dropped_non_file_is_ignored(opened: OpenDesktop) -> None:
    data = QMimeData()
    data.setText("a text")
    data.setUrls([QUrl("https://example.com/meter.csv")])
    entering = QDragEnterEvent(opened.desktop.window.rect().center(), COPY, data, LEFT, NONE)
    entering.ignore()
    QApplication.sendEvent(opened.desktop.window, entering)
    assert not entering.isAccepted()
    assert drop(opened) is False


def test_dropped_unknown_file_is_reported(opened: OpenDesktop, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all,")
    assert drop(opened, tmp_path / "letter.txt")
    opened.wait_for(lambda: "nothing that Spindle can import in letter.txt" in opened.desktop.window.bar.text)
