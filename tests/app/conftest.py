"""Fixtures for the tests of the command line: a home, a way to call the command, and a store on the real server."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import keyring
import pytest
from keyring.backends.null import Keyring as NullKeyring

from app.cli.main import run_program
from engine.conduct.endpoint import Endpoint
from engine.databases.database import Timeouts
from engine.lab.server import EmbeddedServer
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.sizing import DbSize
from tests.app.calling import Outcome, logging_restored

if TYPE_CHECKING:
    from tests.app.window_parts import OpenDesktop

Spindle = Callable[..., Outcome]
STORE = "command_line"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home for this test alone, without a keyring, a password, a display or a terminal's size from outside."""
    chosen = tmp_path / "home"
    monkeypatch.setenv("SPINDLE_HOME", str(chosen))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    for name in ("SPINDLE_PASSWORD", "COLUMNS", "LINES", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    return chosen


@pytest.fixture(autouse=True)
def quiet_surroundings() -> Iterator[None]:
    """No system keyring, and the logging that the program sets up does not outlive the test."""
    before = keyring.get_keyring()
    keyring.set_keyring(NullKeyring())
    with logging_restored():
        yield
    keyring.set_keyring(before)


@pytest.fixture(scope="module")
def shared_window(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[OpenDesktop]":
    """The window of a home, for the tests of a file; Qt is loaded only for those that ask for it."""
    from tests.app.window_parts import shared_desktop

    with shared_desktop(request.getfixturevalue("qapp"), request, tmp_path_factory.mktemp("window") / "home") as opened:
        yield opened


@pytest.fixture
def spindle(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Spindle:
    """Call the command line within this process."""

    def call(*arguments: str, typed: str = "") -> Outcome:
        capfd.readouterr()
        reading, writing = os.pipe()
        os.write(writing, typed.encode())
        os.close(writing)
        with os.fdopen(reading) as stdin, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", stdin)
            with pytest.raises(SystemExit) as ended:
                run_program(list(arguments))
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Outcome(ended.value.code, out, err)

    return call


@pytest.fixture(scope="session")
def built_store(embedded_server: EmbeddedServer) -> str:
    """The URL, without its password, of a whole 1MB store on the session's server."""
    target = embedded_server.target(STORE)
    store = Endpoint(target, embedded_server.secret).store(Timeouts(), DVD_STORE)
    store.build(str(DbSize(1, "MB")), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)
    return target.url


@pytest.fixture
def store(built_store: str, embedded_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, with the password in the environment."""
    monkeypatch.setenv("SPINDLE_PASSWORD", embedded_server.secret.reveal())
    return built_store
