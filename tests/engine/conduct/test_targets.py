"""The targets of runs: their passwords, and the nodes of the embedded server."""

import shutil
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from engine.conduct.targets import Targets
from engine.databases.database import Timeouts
from engine.errors import UserError
from engine.faults.lab_actions import LabAction
from engine.lab.events import LabEventKind
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import lab_target
from engine.places import Places, find_places
from engine.secrets import Secret
from engine.target.target import POSTGRESQL, Host, Target
from engine.workload.registry import DVD_STORE
from tests.engine.driver.runs import OVER_SECONDS

AT_ONCE_SECONDS = 60.0


def test_unknown_password_is_looked_up_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def find(name: str) -> Secret:
        asked.append(name)
        return Secret("found")

    known, unknown = (
        Target(kind=POSTGRESQL, hosts=(Host(host, 5432),), database="ds2", user="me") for host in ("one", "other")
    )
    with Targets(
        find_places(tmp_path), secrets={known.secret_name: Secret("given")}, find=find, notify=print
    ) as targets:
        assert targets.resolve(known).secret == Secret("given")
        assert targets.resolve(unknown).secret == Secret("found")
        assert targets.resolve(unknown.with_database("ds2_2")).secret == Secret("found")

    assert asked == [unknown.secret_name]


def test_password_set_during_a_slow_keyring_lookup_is_kept(tmp_path: Path) -> None:
    waits, answers = threading.Event(), threading.Event()

    def find(_name: str) -> Secret:
        waits.set()
        assert answers.wait(OVER_SECONDS)
        return Secret("kept")

    target = Target(kind=POSTGRESQL, hosts=(Host("one", 5432),), database="ds2", user="me")
    targets = Targets(find_places(tmp_path), secrets={}, find=find, notify=print)
    with ThreadPoolExecutor() as threads:
        resolving = threads.submit(targets.resolve, target)
        assert waits.wait(OVER_SECONDS)
        try:
            threads.submit(targets.remember, {target.secret_name: Secret("typed")}).result(AT_ONCE_SECONDS)
            assert targets.secrets() == (Secret("typed"),)
        finally:
            answers.set()
        assert resolving.result().secret == Secret("typed")


def test_password_set_while_the_embedded_server_starts_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts, refuses = threading.Event(), threading.Event()

    def attach(*_: object, **__: object) -> EmbeddedServer:
        starts.set()
        assert refuses.wait(OVER_SECONDS)
        raise UserError("no room")

    monkeypatch.setattr(EmbeddedServer, "attach", attach)
    targets = Targets(find_places(tmp_path), secrets={}, find=lambda _: None, notify=print)
    with ThreadPoolExecutor() as threads:
        resolving = threads.submit(targets.resolve, lab_target("pair"))
        assert starts.wait(OVER_SECONDS)
        try:
            threads.submit(targets.remember, {"me@one": Secret("typed")}).result(AT_ONCE_SECONDS)
        finally:
            refuses.set()
        assert isinstance(resolving.exception(), UserError)
    assert targets.secret("me@one") == Secret("typed")


def test_a_lab_target_is_connected_to_through_all_its_nodes(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    folder.chmod(0o755)  # as root the servers run under another account
    places = Places(home=tmp_path, lab=folder / "lab")
    pair = lab_target("pair").with_database("postgres")
    try:
        with Targets(places, secrets={}, find=lambda _: None, notify=print) as targets:
            endpoint = targets.resolve(pair)
            assert endpoint.target.kind == POSTGRESQL
            assert len(set(endpoint.target.hosts)) == 2
            assert endpoint.store(Timeouts(), DVD_STORE).server().writable
            assert "node2 is the primary" in targets.run_lab_action(LabAction.SWITCHOVER)
            assert endpoint.store(Timeouts(), DVD_STORE).server().writable
            assert [news.node for news in targets.lab_news() if news.kind is LabEventKind.PROMOTED] == ["node2"]
            assert len(targets.resolve(replace(pair, nodes=1, sync=False, failover="manual")).target.hosts) == 1
    finally:
        shutil.rmtree(folder)
