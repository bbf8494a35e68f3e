"""A file on another machine: written, read and removed by fio over a real SSH server, which is this machine's."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engine.databases.database import StoreState
from engine.machines.access import access_to_dict
from engine.services.storage.access import Access
from engine.services.storage.fio.engines import engine_for
from engine.services.storage.fio.program import FioProgram
from engine.services.storage.store import FileStore, StorageDefinition
from engine.services.storage.system import place_of
from engine.target.target import StorageOptions, Target
from tests.doubles.ssh_server import SshServer


@pytest.fixture
def target(local_sshd: SshServer) -> Iterator[Target]:
    reached = tuple(access_to_dict(local_sshd.access).items())
    with TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield Target(
            kind="storage", database=f"{folder}/a file", storage=StorageOptions(machine="db1", reached=reached)
        )


def test_a_file_is_written_read_and_removed_over_ssh(target: Target) -> None:
    place = place_of(target)
    store = FileStore(target, place, StorageDefinition(workload="storage"))
    shares: list[float] = []
    store.build(
        "4MB", 1, replace=False, report_progress=lambda step: shares.append(step.share), cancelled=lambda: False
    )
    state = store.state()
    assert isinstance(state, StoreState)
    assert (state.scale, state.complete) == ("4MB", True)
    access = Access(path=target.database, file_mb=4, queue_depth=2)
    program = FioProgram(place, access, engine=engine_for(place, access), both="io")
    program.start()
    reports = program.reports()
    first = next(reports)
    assert first["io"].n == first["read"].n > 0
    program.end()
    assert all(each["write"].n == 0 for each in reports)
    assert program.wait(60) == ""
    assert "a file" in store.drop()
    assert list(Path(target.database).parent.iterdir()) == []
