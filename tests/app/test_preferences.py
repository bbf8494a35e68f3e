"""The settings of a home on the command line, and where commands use them."""

import json
import os
from pathlib import Path

import pytest

from app.preferences import PREFERENCES, find_preference, timeouts_of
from app.settings import Settings, read_settings
from engine.databases.database import Timeouts
from engine.figure_text import shortest, use_number_format, whole
from engine.plain_table import figure_of, plain_text
from tests.app.conftest import Spindle


def test_settings_are_listed_set_and_printed(spindle: Spindle, home: Path) -> None:
    assert spindle("settings").out.splitlines()[0] == "theme               system (system, light, dark)"
    assert spindle("settings", "statement-time-out", "1:30") == (0, "", "")
    assert spindle("settings", "statement-time-out").out == "90\n"
    assert read_settings(home / "settings.json")[0].statement_seconds == 90.0


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("colour", "red", "setting is 'colour'; give theme, text-size,"),
        ("theme", "red", "theme is 'red'; give system or light or dark."),
        ("connect-time-out", "0.5", "connect-time-out is '0.5'; give seconds from 1 to 300."),
        ("exports-folder", "/no/such", "exports-folder is '/no/such', which is no folder here;"),
    ],
)
def test_what_can_not_be_set_is_refused(spindle: Spindle, home: Path, name: str, value: str, sentence: str) -> None:
    done = spindle("settings", name, value)
    assert done.code == 2
    assert done.err.startswith(f"spindle: {sentence}")
    assert not (home / "settings.json").exists()


def test_nothing_is_set_beside_an_open_window(spindle: Spindle, home: Path) -> None:
    home.mkdir()
    (home / "window.lock").write_text(f"{os.getpid()}\nspindle\nhost\n", encoding="utf-8")
    done = spindle("settings", "theme", "dark")
    assert done.code == 1
    assert "a window is open on this library" in done.err


def test_commands_use_the_library_of_the_chosen_folder(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    disk = tmp_path / "a disk, größer"
    disk.mkdir()
    assert spindle("settings", "library-folder", str(disk)).code == 0
    assert spindle("library", "list").code == 0
    assert (disk / "library.sqlite").is_file()
    assert not (home / "library.sqlite").exists()
    (disk / "library.sqlite").rename(tmp_path / "library.sqlite")
    disk.rename(tmp_path / "unmounted")
    done = spindle("library", "list")
    assert done.code == 1
    assert "is not there; mount it, or choose another one" in done.err
    assert spindle("settings", "library-folder", "").code == 0
    assert spindle("library", "list").code == 0


def test_stored_values_that_are_not_valid_count_as_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"connect_seconds": 0.0, "statement_seconds": 60.0, "text_size_pct": 1000}))
    settings, trouble = read_settings(path)
    assert trouble == ""
    assert timeouts_of(settings) == Timeouts(statement_seconds=60.0)
    assert find_preference("text-size").text(settings) == "100%"


def test_every_preference_reads_what_it_writes() -> None:
    for preference in PREFERENCES:
        settings, text = Settings(), preference.text(Settings())
        preference.store(settings, text)
        assert settings == Settings()


def test_numbers_with_commas_are_copied_as_plain_numbers() -> None:
    try:
        use_number_format("commas")
        assert (whole(-186_604), shortest(1_204.5)) == ("−186,604", "1,204.5")
        figure = figure_of("186,604\u202fOPM")
        assert figure is not None
        assert (figure.number, figure.unit) == ("186604", "OPM")
        assert plain_text("−2.5\u202f% (186,604\u202fOPM)") == "-2.5 % (186604 OPM)"
        use_number_format("none")
        assert whole(186_604) == "186604"
    finally:
        use_number_format("spaces")
    assert plain_text("1,234") == "1,234"
