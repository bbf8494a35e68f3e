"""The preview of the current run."""

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.record.record import RunState
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from tests.texts import lacks
from tests.widgets.library.runs import a_listing, a_stored_run
from tests.widgets.parts.charts import drawn_points
from widgets.library.run_preview import RunPreview, set_text
from widgets.parts.look import Look


@pytest.fixture
def preview(look: Look, qtbot: QtBot) -> RunPreview:
    preview = RunPreview(look)
    qtbot.addWidget(preview)
    preview.resize(1_000, 300)
    preview.show()
    return preview


def texts(preview: RunPreview) -> set[str]:
    return {label.text() for label in preview.findChildren(QLabel) if label.isVisible()}


def test_preview_without_a_run_has_a_text(preview: RunPreview) -> None:
    assert texts(preview) == {"Select a run to see its chart."}


def test_preview_shows_the_line_first_and_the_chart_after_reading(preview: RunPreview) -> None:
    record, run = a_stored_run((30.5, "Enclosure pulled"))
    preview.show_listing(RunListing.of(record, faults=1))
    ending = "Completed: measured 50\u202fs, 9\u202fs in all."
    assert {"evening load", ending, "18\u202f000", "Reading the run …"} <= texts(preview)
    preview.show_run(run)
    assert preview.chart.isVisible()
    seconds, opm = drawn_points(preview.chart, "total")
    assert seconds[0] == 0.5
    assert np.nanmax(opm) == 18_000


def test_the_same_run_again_keeps_its_chart(preview: RunPreview) -> None:
    record, run = a_stored_run()
    preview.show_listing(RunListing.of(record))
    preview.show_run(run)
    preview.show_listing(RunListing.of(record, faults=4))
    assert preview.chart.isVisible()
    preview.show_listing(a_listing(7))
    assert not preview.chart.isVisible()


def test_a_run_that_can_not_be_read_has_no_chart(preview: RunPreview) -> None:
    preview.show_listing(a_listing(state=RunState.FAILED))
    preview.show_run(None)
    assert "The run's samples can't be read." in texts(preview)


def test_empty_tags_and_note_take_no_space(preview: RunPreview) -> None:
    preview.show_listing(a_listing(tags=("nightly", "raid"), note="after the patch"))
    assert {"Tags: nightly, raid", "after the patch"} <= texts(preview)
    preview.show_listing(a_listing(2))
    assert not any(text.startswith("Tags") for text in texts(preview))


def test_preview_shows_set_with_median_and_warnings() -> None:
    run_set = SetListing(
        name="SSD",
        note="",
        run_ids=("a",),
        configuration="R630",
        median_id="a",
        sentence="Only run 1 counts; it represents the set.",
        warning="the runs of this set differ in threads.",
    )
    assert lacks(set_text(run_set), "“SSD”", run_set.sentence, run_set.warning, "R630") == []
