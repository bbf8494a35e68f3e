"""The library's page in the whole window: reading that can be cancelled, and a run that has just ended."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.library import jobs as library_jobs
from app.library.place import LibraryPlace
from engine.errors import Cancelled, UserError
from engine.library.live_measurements import LIVE
from engine.report.document import DocumentKind
from tests.app.runs import a_run, keep
from tests.app.window_parts import WHILE_MS, OpenDesktop
from tests.doubles.wholesale_runs import a_wholesale_record, keep_wholesale
from tests.widgets.library.host import a_series
from tests.widgets.library.runs import a_stored_mixed_run
from widgets.library.library_actions import RunAction
from widgets.live.waiting_panel import PreparingPanel

RUNS = [a_run(minutes_later=minutes, name=f"run {minutes}") for minutes in (1, 2)]
IDS = [run.run_id for run in RUNS]
JUST_ENDED = a_run(minutes_later=9, name="just ended")


@pytest.fixture
def opened(shared_window: OpenDesktop) -> OpenDesktop:
    shared_window.show_library(*RUNS)
    return shared_window


def home_of(opened: OpenDesktop) -> Path:
    return opened.desktop.workbench.places.home


def open_one(place: LibraryPlace) -> PreparingPanel:
    place.page.open_requested.emit(IDS[0])
    return place.run_page.loading


def compare(place: LibraryPlace) -> PreparingPanel:
    place.page.compare_requested.emit(IDS)
    return place.compare_page.loading


def report(place: LibraryPlace) -> PreparingPanel:
    place.page.select_runs(IDS)
    place.page.actions_of[RunAction.REPORT].trigger()
    return place.report_page.loading


@pytest.mark.parametrize("begin", [open_one, compare, report])
def test_second_reading_can_be_cancelled_after_a_first_one(
    opened: OpenDesktop, begin: Callable[[LibraryPlace], PreparingPanel]
) -> None:
    place = opened.desktop.library
    for _ in range(2):
        loading = begin(place)
        assert loading.isVisible()
        assert loading.cancel.isEnabled()
        loading.cancel.click()
        assert place.widget.currentWidget() is place.page


def test_abandoned_comparison_does_not_reopen_its_page(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def fails_late(*_: object, **__: object) -> None:
        assert gate.wait(WHILE_MS / 1000)
        raise UserError("the disk is gone.")

    monkeypatch.setattr(library_jobs, "open_runs", fails_late)
    place = opened.desktop.library
    place.page.compare_requested.emit(IDS)
    place.open_run(IDS[0])
    gate.set()
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    assert place.widget.currentWidget() is place.run_page
    assert opened.desktop.window.bar.text == ""


def test_newer_comparison_replaces_the_older_one(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, open_runs = threading.Event(), library_jobs.open_runs

    def first_is_slow(library: object, run_ids: list[str], **more: object) -> object:
        if run_ids == IDS and not gate.is_set():
            assert gate.wait(WHILE_MS / 1000)
            raise UserError("too late to be told.")
        return open_runs(library, run_ids, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(library_jobs, "open_runs", first_is_slow)
    place = opened.desktop.library
    place.page.compare_requested.emit(IDS)
    place.page.compare_requested.emit(IDS[::-1])
    opened.wait_for(lambda: not place.compare_page.loading.isVisible())
    gate.set()
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    assert place.widget.currentWidget() is place.compare_page
    assert opened.desktop.window.bar.text == ""


def test_another_load_of_mixed_runs_is_compared(opened: OpenDesktop) -> None:
    record, _ = a_stored_mixed_run()
    both = [replace(record, run_id=f"{record.run_id}{letter}", name=f"both {letter}") for letter in "ab"]
    opened.show_library(*both)
    place = opened.desktop.library
    place.page.compare_requested.emit([each.run_id for each in both])
    opened.wait_for(lambda: place.compare_page.choices.load.isVisible())
    assert place.compare_page.choices.against.currentText() == "both a, DVD Store 2"
    assert place.compare_page.choices.load.currentText() == "DVD Store 2"
    place.compare_page.load_chosen.emit("Mail")
    opened.wait_for(lambda: place.compare_page.choices.against.currentText() == "both a, Mail")
    assert place.compare_page.choices.load.currentText() == "Mail"


def test_undone_removal_of_what_a_collector_has_read_is_whole(opened: OpenDesktop) -> None:
    desktop, run_id = opened.desktop, IDS[0]
    host = desktop.workbench.library().host
    host.add(run_id, (a_series("CPU", "%"),), kind=LIVE, file_name="db1", shift_seconds=2.5, note="n", collector=1)
    desktop.library.open_run(run_id)
    tab = desktop.library.run_page.host
    opened.wait_for(lambda: len(tab.measurements) == 1)
    tab.remove_button.click()
    opened.wait_for(lambda: not tab.measurements)
    desktop.window.bar.action_button.click()
    opened.wait_for(lambda: len(tab.measurements) == 1)
    (again,) = tab.measurements
    assert (again.kind, again.file_name, again.shift_seconds, again.note, again.collector) == (LIVE, "db1", 2.5, "n", 1)


def open_just_ended(opened: OpenDesktop) -> None:
    """While the page of a run is open another run ends, and is opened from the live page."""
    place = opened.desktop.library
    place.page.open_requested.emit(IDS[0])
    opened.wait_for(lambda: place.run_page.run_id == IDS[0])
    keep(home_of(opened), JUST_ENDED)
    place.mark_stale()
    opened.desktop.open_run(JUST_ENDED.run_id)
    opened.wait_for(lambda: place.run_page.run_id == JUST_ENDED.run_id)


def test_a_run_that_has_just_ended_is_reported_on(opened: OpenDesktop) -> None:
    open_just_ended(opened)
    place = opened.desktop.library
    place.run_page.report_button.click()
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    opened.wait_for(lambda: bool(place.report_page.document or place.report_page.trouble))
    assert place.report_page.trouble == ""
    assert place.report_page.form.kind is DocumentKind.RUN
    assert "just ended" in place.report_page.view.toPlainText()


def test_the_run_that_was_opened_from_elsewhere_is_selected(opened: OpenDesktop) -> None:
    library = opened.desktop.library
    other = a_run(minutes_later=50, name="second")
    library.page.select_runs([RUNS[0].run_id])
    opened.desktop.open_run(RUNS[1].run_id)
    assert library.page.table.selected_ids() == [RUNS[1].run_id]
    keep(home_of(opened), other)
    opened.desktop.open_run(other.run_id)  # the list doesn't have it yet
    opened.wait_for(lambda: library.page.table.selected_ids() == [other.run_id])


def test_a_run_that_is_chosen_before_an_opened_one_is_listed_stays_selected(opened: OpenDesktop) -> None:
    library = opened.desktop.library
    library.page.select_runs([IDS[0]])
    keep(home_of(opened), JUST_ENDED)
    opened.desktop.open_run(JUST_ENDED.run_id)  # the list doesn't have it yet
    library.page.select_runs([IDS[1]])
    opened.wait_for(lambda: library.page.table.shown == len(RUNS) + 1)
    assert library.page.table.selected_ids() == [IDS[1]]


def test_report_of_a_missing_run_is_an_error(opened: OpenDesktop) -> None:
    place = opened.desktop.library
    place.page.open_requested.emit(IDS[0])
    opened.wait_for(lambda: place.run_page.run_id == IDS[0])
    opened.desktop.workbench.library().delete(IDS[0])
    place.run_page.report_button.click()
    opened.wait_for(lambda: place.report_page.trouble != "")
    assert f"un {IDS[0]} is no longer in the library" in place.report_page.trouble


def test_finished_run_is_shown_by_name(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    def audit(*_: object, **__: object) -> None:
        raise Cancelled

    monkeypatch.setattr("engine.conduct.after_run.audit_after_run", audit)
    open_just_ended(opened)
    desktop = opened.desktop
    opened.wait_for(lambda: desktop.library.page.table.shown == len(RUNS) + 1)
    desktop.library.run_page.audit.audit.click()
    opened.wait_for(lambda: desktop.window.bar.text.startswith("The audit of just ended was cancelled"))


def test_runs_of_two_workloads_are_not_compared(opened: OpenDesktop) -> None:
    wholesale = a_wholesale_record()
    keep_wholesale(home_of(opened), wholesale)
    place = opened.desktop.library
    place.page.compare_requested.emit([IDS[0], wholesale.run_id])
    opened.wait_for(lambda: opened.desktop.window.bar.text != "")
    assert opened.desktop.window.bar.text == (
        "These results are of different workloads, DVD Store 2 and Wholesale, whose figures can't be compared; choose"
        " results of one workload."
    )
    assert place.widget.currentWidget() is place.page
