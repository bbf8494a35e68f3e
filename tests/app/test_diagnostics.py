"""The text for a report of a fault: it says what is installed, and no secret, wherever one was known or written."""

import json
import logging
from pathlib import Path

import keyring
import pytest

from app.cli.problems import keep_log
from app.diagnostics import diagnostics, last_errors
from app.licences import CALLED_ONLY, Licence, shipped_licences
from engine.library.library import Library
from engine.places import Places, find_places
from engine.secrets import Secret, find_secret, keep_secret
from engine.workstation import application_version
from tests.app.conftest import Spindle
from tests.engine.test_secrets import MemoryKeyring

NAME = "postgresql://me@db1:5432"


@pytest.fixture
def places(home: Path) -> Places:
    home.mkdir()
    return find_places(home)


def test_no_secret_is_in_the_text(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring.set_keyring(MemoryKeyring())
    keep_secret(NAME, Secret("hidden-keyring"))
    for name in ("SPINDLE_PASSWORD", "SPINDLE_NOTIFY_URL", "PGPASSWORD", "VENDOR_API_TOKEN"):
        monkeypatch.setenv(name, f"value-of-{name}")
    settings = {"targets": [{"host": "db1", "password": "hidden-settings"}], "grafana": "https://u:hidden-grafana@g"}
    (places.home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    found = find_secret(NAME, environment={})
    assert found is not None
    keep_log(places.log)
    log = logging.getLogger("spindle.tests")
    log.error("can't connect to postgresql://me:hidden-url@db1/ds2")
    log.error("DRIVER={FreeTDS};SERVER=db1;UID=sa;PWD={hidden;the;string};APP=x, password: 'hidden sentence'")
    log.error("the server said value-of-SPINDLE_PASSWORD and value-of-VENDOR_API_TOKEN, and hidden-keyring")
    log.error("POST https://chat.example.com/hooks/hidden-webhook, Authorization: Bearer hidden-header")
    try:
        raise ValueError("token=hidden-traceback")
    except ValueError:
        log.exception("unexpected error")
    text = diagnostics(places, secrets=[found])
    assert text.count(" ERROR spindle.tests: ") == 5
    for secret in ("hidden", "value-of"):
        assert secret not in text
    assert "SERVER=db1" in text
    assert "ValueError: token=•••" in text


def test_the_text_has_versions_and_the_library(places: Places, spindle: Spindle) -> None:
    Library.open(places.library, notify=print).close()
    done = spindle("diagnostics")
    assert done.code == 0
    assert f"Spindle: {application_version()}, Python package\n" in done.out
    assert "library.sqlite: revision 00" in done.out
    assert done.out.endswith("Last warnings and errors of the log: none\n")


def test_a_home_that_is_not_there_and_a_library_that_is_none_are_said(tmp_path: Path) -> None:
    assert "library.sqlite: not there" in diagnostics(find_places(tmp_path / "none"))
    (tmp_path / "library.sqlite").write_text("no library" * 100, encoding="utf-8")
    assert "library.sqlite: revision unknown (file is not a database), 1.0 kB" in diagnostics(find_places(tmp_path))


def test_the_home_folder_does_not_name_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    text = diagnostics(find_places(tmp_path / "spindle"))
    assert str(tmp_path) not in text
    assert "Home: ~" in text


def test_the_last_errors_are_whole_entries_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "spindle.log"
    assert last_errors(log) == []
    entries = [f"2026-11-26 13:00:{second:02},000 WARNING engine: entry {second}" for second in range(12)]
    trace = "\n".join(f"  line {number}" for number in range(50))
    log.write_text("\n".join([*entries, f"2026-11-26 13:01:00,000 ERROR app: failed\n{trace}", ""]), encoding="utf-8")
    found = last_errors(log)
    assert len(found) == 10
    assert found[0].endswith("entry 3")
    assert found[-1].startswith("2026-11-26 13:01:00,000 ERROR app: failed\n  line 0")
    assert "… 31 lines …" in found[-1]
    assert found[-1].endswith("  line 49")


def test_licences_are_those_that_a_package_has(spindle: Spindle) -> None:
    done = spindle("diagnostics", "--licences")
    lines = [line.split(maxsplit=2) for line in done.out.split("\n\n")[0].splitlines()]
    assert [Licence(*line) for line in lines] == shipped_licences()
    assert CALLED_ONLY in done.out
