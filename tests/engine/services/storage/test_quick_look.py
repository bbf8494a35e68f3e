from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.new_run.jobs import probe_target
from engine.conduct.endpoint import Endpoint
from engine.errors import BadInput
from engine.services.storage import quick_look as module
from engine.services.storage.quick_look import quick_look
from engine.target.target import Target
from engine.workload.registry import STORAGE


def test_a_quick_look_reads_and_writes_leaves_nothing_and_says_that_it_is_no_measurement() -> None:
    with TemporaryDirectory(dir=Path(__file__).parent) as folder:
        look = quick_look(folder, seconds=0.1, file_mb=1)
        assert list(Path(folder).iterdir()) == []
    assert look.reads_per_second > 0
    assert look.read_ms == pytest.approx(1000 / look.reads_per_second)
    assert look.write_ms == pytest.approx(1000 / look.writes_per_second)
    assert "which is no measurement (one thread, one 8K I/O at a time, 0.1 s each, a file of 1 MB" in look.sentence


def test_what_is_no_folder_is_refused_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("none", "file"):
        with pytest.raises(BadInput, match=f"^{tmp_path}/{name} is no folder on this machine; name one"):
            quick_look(f"{tmp_path}/{name}")


def test_without_fio_the_test_of_a_target_says_how_to_get_it_and_takes_a_quick_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.services.storage.fio.engines.PROGRAM", "no-such-fio")
    monkeypatch.setattr(module, "quick_look", lambda folder: quick_look(folder, seconds=0.05, file_mb=1))
    target = Target(kind="storage", database=f"{tmp_path}/file")
    result = probe_target(lambda planned: Endpoint(planned, None), target, STORAGE)
    assert not result.ok
    assert result.sentence.startswith("Fio is not installed on this machine; install it (Debian: apt install fio")
    assert f"A quick look at {tmp_path}, which is no measurement" in result.sentence
