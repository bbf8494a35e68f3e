import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine.errors import UserError
from engine.library.change_probe import ChangeProbe
from tests.engine.library.examples import a_finished_record, some_samples


@pytest.fixture
def probe(library) -> Iterator[ChangeProbe]:
    probe = ChangeProbe(library.path)
    yield probe
    probe.close()


def test_change_probe_reports_a_change_once_and_no_reads(library, probe):
    assert [probe.has_changed(), probe.has_changed()] == [True, False]
    record = a_finished_record()
    library.add_imported(record, some_samples(), [])
    assert [probe.has_changed(), probe.has_changed()] == [True, False]
    library.run(record.run_id)
    assert not probe.has_changed()
    library.rename(record.run_id, "another name")
    assert probe.has_changed()


def test_change_probe_detects_changes_of_another_process(library, probe, path):
    record = a_finished_record()
    library.add_imported(record, some_samples(), [])
    probe.has_changed()
    rename = f"""
from pathlib import Path
from engine.library.library import Library
with Library.open(Path({str(path)!r}), notify=print) as library:
    library.rename({record.run_id!r}, "renamed elsewhere")
"""
    subprocess.run([sys.executable, "-c", rename], check=True, timeout=60)
    assert probe.has_changed()
    assert library.run(record.run_id).name == "renamed elsewhere"


def test_change_probe_of_a_missing_library_is_an_error(tmp_path):
    with pytest.raises(UserError, match="can't be opened"):
        ChangeProbe(tmp_path / "nothing.sqlite").has_changed()
