import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.settings import Settings, SettingsFile, read_settings


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    settings = Settings(theme="dark", layouts={"live": "AAAA"}, draft={"threads": "3x2"}, window_seconds=30)
    SettingsFile(path).snapshot(settings)()
    assert read_settings(path) == (settings, "")
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_no_file_means_the_defaults_and_no_complaint(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "settings.json") == (Settings(), "")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"theme": "da', "null"])
def test_a_damaged_file_is_set_aside_and_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "settings.damaged.json" in trouble
    assert (tmp_path / "settings.damaged.json").read_text() == text


def test_a_file_that_is_not_utf_8_is_set_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b'{"theme": "d\xe4mmrig"}')
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "settings.damaged.json" in trouble
    assert (tmp_path / "settings.damaged.json").read_bytes() == b'{"theme": "d\xe4mmrig"}'


def test_a_damaged_file_that_can_not_be_set_aside_is_said_and_left(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")
    (tmp_path / "settings.damaged.json" / "in the way").mkdir(parents=True)
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "can't be moved aside" in trouble
    assert path.read_text() == "{"


def test_values_of_another_type_or_from_a_newer_version_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"version": 9, "theme": 7, "window_seconds": 60, "shine": True}))
    assert read_settings(path) == (Settings(window_seconds=60), "")


def test_of_threads_that_write_at_the_same_time_the_newest_settings_stay(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    settings = Settings()
    writes = []
    for seconds in range(40):
        settings.window_seconds = seconds
        writes.append(file.snapshot(settings))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda write: write(), reversed(writes)))
    assert read_settings(tmp_path / "settings.json")[0].window_seconds == 39
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]


def test_what_changes_after_a_snapshot_is_not_in_it(tmp_path: Path) -> None:
    settings = Settings(layouts={"live": "AAAA"})
    write = SettingsFile(tmp_path / "settings.json").snapshot(settings)
    settings.layouts["library"] = "BBBB"
    write()
    assert read_settings(tmp_path / "settings.json")[0].layouts == {"live": "AAAA"}
