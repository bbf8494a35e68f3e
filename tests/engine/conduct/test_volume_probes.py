"""A database run whose volume is measured before and after it, by a real fio on the disk of the repository.

The volume is that of a machine of the inventory, which is reached over a real SSH server: this machine's.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine.analysis.host.volumes import volumes_of
from engine.conduct.conductor import Conductor
from engine.conduct.targets import Targets
from engine.conduct.volume_probes import VolumeProbes
from engine.errors import UserError
from engine.library.library import Library
from engine.machines.inventory import change_inventory
from engine.machines.machine import Machine
from engine.machines.storage_probes import StorageProbe
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.report.result import result
from engine.report.volumes import volume_sentences
from engine.services.storage.volume import ProbeSize
from engine.telemetry.event import EventCode
from tests.doubles.ssh_server import SshServer
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS


@pytest.fixture
def folder() -> Iterator[Path]:
    with TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield Path(folder)


@pytest.fixture
def conductor(
    tmp_path: Path, built_store: BuiltStore, folder: Path, monkeypatch: pytest.MonkeyPatch, local_sshd: SshServer
) -> Iterator[Conductor]:
    monkeypatch.setattr(VolumeProbes, "size", ProbeSize(file_mb=4, warmup_seconds=0, seconds=1))
    store, places = built_store.target, find_places(tmp_path)
    db1 = Machine(name="db1", accesses=(local_sshd.access,))
    change_inventory(places.machines, lambda inventory: inventory.put(db1))
    plan = RunPlan(
        targets=(store,),
        threads=2,
        think_time_ms=20,
        ramp_rate=20,
        warmup_minutes=0,
        minutes=2 / 60,
        machines=("db1",),
        storage_probes=(StorageProbe(folder=str(folder), machine="db1", load="mixed"),),
    )
    said: list[str] = []
    targets = Targets(
        places,
        secrets={store.secret_name: built_store.secret},
        find=lambda _: None,
        notify=said.append,
    )
    with Library.open(tmp_path / "library.sqlite", notify=said.append) as library, targets:
        conductor = Conductor(plan, library=library, targets=targets, notify=said.append)
        yield conductor
        conductor.close()


def test_a_volume_is_measured_before_and_after_a_run_and_its_file_is_removed(
    conductor: Conductor, folder: Path
) -> None:
    conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
    assert (folder / "spindle-probe").stat().st_size == 4 * 1024 * 1024
    conductor.start([])
    assert conductor.run.wait(OVER_SECONDS)
    record = conductor.finish()
    assert record.state is RunState.COMPLETED
    assert list(folder.iterdir()) == []
    library = conductor.kept_in
    events, host = list(library.events(record.run_id)), library.host.of_run(record.run_id)
    measured = [event for event in events if event.code is EventCode.VOLUME_MEASURED]
    assert [event.data["when"] for event in measured] == ["before", "after"]
    assert len({event.number for event in events}) == len(events)
    (volume,) = volumes_of(record, events, host)
    assert volume.before is not None
    assert volume.before.iops > 0
    assert volume.before.mean_ms > 0
    assert volume.before.p99_ms > 0
    assert result(record, events, measurements=host)["volumes"] == [volume.to_dict()]
    (sentence,) = volume_sentences(record, events, host)
    assert sentence.startswith(f"The volume of {folder} on db1")
    assert "alone, by random 8K I/Os, 70 % reads, it did" in sentence
    assert "before the run" in sentence
    assert "after it" in sentence
    (without,) = volume_sentences(record, events, ())
    assert "what its disk did in the run is not known; --machine db1 reads it" in without
    after = [replace(event, data={**event.data, "disk": "none"}) for event in measured[:1]]
    assert "after it" not in volume_sentences(record, after, host)[0]


def test_a_folder_that_must_not_be_written_keeps_the_run_from_beginning(conductor: Conductor, folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(UserError, match="does not exist; give the path of a file in one that does"):
        conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
    folder.mkdir()
