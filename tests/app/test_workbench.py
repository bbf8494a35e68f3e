"""The window's connection to the library, where background threads may wait and the GUI thread must not."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from app.workbench import Workbench
from engine.errors import UserError
from engine.library.library import Library
from engine.places import find_places
from engine.secrets import Secret

AT_ONCE_SECONDS = 30.0
WHILE_SECONDS = 60.0
NAME = "me@one"


def test_password_is_read_while_the_library_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begins, ends = threading.Event(), threading.Event()

    def open_slowly(_path: Path, *, notify: object) -> Library:
        begins.set()
        assert ends.wait(WHILE_SECONDS)
        raise UserError("the library is held by another program.")

    monkeypatch.setattr(Library, "open", open_slowly)
    workbench = Workbench(find_places(tmp_path), notify=print, warn=print)
    with ThreadPoolExecutor() as threads:
        opening = threads.submit(workbench.library)
        assert begins.wait(WHILE_SECONDS)
        try:
            threads.submit(workbench.remember, {NAME: Secret("typed")}).result(AT_ONCE_SECONDS)
        finally:
            ends.set()
        assert isinstance(opening.exception(), UserError)
    assert workbench.targets().secret(NAME) == Secret("typed")


def test_password_entered_later_applies_to_existing_targets(tmp_path: Path) -> None:
    workbench = Workbench(find_places(tmp_path), notify=print, warn=print)
    workbench.remember({NAME: Secret("first")})
    targets = workbench.targets()
    workbench.remember({NAME: Secret("second")})
    assert targets.secret(NAME) == Secret("second")


def test_a_library_folder_that_is_away_is_reported_and_not_made(tmp_path: Path) -> None:
    away = tmp_path / "away"
    workbench = Workbench(replace(find_places(tmp_path), library_folder=away), notify=print, warn=print)
    with pytest.raises(UserError, match="is not there; mount it, or choose another one"):
        workbench.library()
    assert not away.exists()
