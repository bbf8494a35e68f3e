"""Pictures of every page and dialog: ``python -m tests.pictures FOLDER [--size 1440x900] [--theme dark] [--page run]``.

Every page is drawn for runs of each workload, or with ``--workload`` of one.

Off the screen unless QT_QPA_PLATFORM says otherwise; QT_SCALE_FACTOR works as it does in the window.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.settings import Settings, SettingsFile
from app.start import open_desktop
from app.window.theme import Theme
from engine.analysis.host.measurement import HostMeasurement
from engine.library.library import Library
from engine.places import find_places
from engine.workload.registry import BROKERAGE, DVD_STORE, MAIL, STORAGE, WHOLESALE
from tests.app.dialogs import dialogs
from tests.app.pages import DIALOGS, Pages
from tests.conftest import SCREEN
from tests.pictures.measured_runs import a_host_measurement, a_record, a_running_run, measure
from tests.pictures.states import leave_state, states

_WORKLOADS = [DVD_STORE, WHOLESALE, BROKERAGE, MAIL, STORAGE]
_SECONDS = 330
_NAMES = ("R630 SSD, kill primary", "R630 SSD, 20 ms", "R630 NVMe, kill primary", "ftServer, CRU pulled")
_LIVE_SECONDS = 205
_WAIT_SECONDS = 60.0
_SETTLE_SECONDS = 0.4
_SETTLE_ROUNDS = 10


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.pictures")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--size", default="1440x900", help="of the window, without the screen's scale")
    arguments.add_argument("--theme", choices=["light", "dark"], action="append")
    arguments.add_argument("--workload", choices=_WORKLOADS, action="append")
    arguments.add_argument("--page", action="append", default=[], help="only these pages, by their names")
    arguments.add_argument("--dialog", action="append", default=[], help="only these dialogs, by their names")
    arguments.add_argument("--text-size", type=int, default=100, help="in per cent, as in the settings")
    chosen = arguments.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={SCREEN}")
    application = QApplication(["spindle"])
    for workload in chosen.workload or _WORKLOADS:
        with tempfile.TemporaryDirectory(prefix="spindle-pictures-") as home:
            _take(application, Path(home), workload, chosen)
    application.shutdown()  # here, and not whenever the interpreter happens to destroy what Qt's objects need


def _take(application: QApplication, home: Path, workload: str, chosen: argparse.Namespace) -> None:
    run_ids, host = _fill_library(home, workload)
    places = find_places(home)
    SettingsFile(places.settings).snapshot(Settings(text_size_pct=chosen.text_size))()
    desktop = open_desktop(application, places)
    width, height = (int(part) for part in chosen.size.split("x"))
    desktop.window.resize(width, height)
    desktop.show()
    _until(application, lambda: desktop.has_settled)
    pages = Pages(
        desktop=desktop,
        wait_for=lambda condition: _until(application, condition),
        run_ids=run_ids,
        live_run=a_running_run(measure(seconds=_LIVE_SECONDS, workload=workload)),
        host=host,
        workload=workload,
    )
    prefix = "" if workload == DVD_STORE else f"{workload}-"
    is_all = not chosen.page and not chosen.dialog
    for theme in chosen.theme or ["light", "dark"]:
        desktop.themer.choose(Theme(theme))
        special = states(pages)
        for name in (*pages.names, *special, *DIALOGS) if is_all else chosen.page:
            page: QWidget = desktop.window
            if name in special:
                special[name]()
            else:
                page = pages.show(name)
            _settle(application)
            file = f"{prefix}{name.replace(' ', '-')}-{theme}-{chosen.size}.png"
            page.window().grab().save(str(chosen.folder / file))
            leave_state(pages)
        for name, make in dialogs(desktop).items():
            if not is_all and name not in chosen.dialog:
                continue
            dialog = make()
            dialog.show()
            _settle(application)
            dialog.grab().save(str(chosen.folder / f"{prefix}dialog-{name.replace(' ', '-')}-{theme}.png"))
            dialog.close()
            dialog.deleteLater()
    _until(application, lambda: desktop.background.is_idle)
    desktop.window.close()
    desktop.close()
    desktop.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # nobody returns to an event loop


def _fill_library(home: Path, workload: str) -> tuple[list[str], HostMeasurement]:
    """Runs of some minutes with a failover each: their ids, the newest first, and the newest one's host figures."""
    records = []
    with Library.open(home / "library.sqlite", notify=print) as library:
        for number, name in enumerate(_NAMES):
            measured = measure(name=name, seconds=_SECONDS, seed=number + 1, workload=workload)
            record = a_record(measured, minutes_later=-60 * number, tags=("baseline",) if number == 1 else ())
            library.add_imported(record, measured.samples, measured.events)
            records.append(record)
        deleted = a_record(
            measure(name="Trial", seconds=_SECONDS, seed=9, workload=workload), minutes_later=-600, tags=()
        )
        library.add_imported(deleted, (), ())
        library.delete(deleted.run_id)
    return [record.run_id for record in records], a_host_measurement(records[0], _SECONDS)


def _until(application: QApplication, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the window did not get there")
        application.processEvents()
        time.sleep(0.005)


def _settle(application: QApplication) -> None:
    """Let timers of the page pass that draw a moment later, and on a busy machine the layouts that follow."""
    until = time.monotonic() + _SETTLE_SECONDS
    _until(application, lambda: time.monotonic() > until)
    for _ in range(_SETTLE_ROUNDS):
        application.processEvents()


if __name__ == "__main__":
    main()
