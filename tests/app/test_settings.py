import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.settings import Settings, SettingsFile, read_settings


def test_settings_round_trip_through_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    settings = Settings(theme="dark", layouts={"live": "AAAA"}, draft={"threads": "3x2"}, window_seconds=30)
    SettingsFile(path).snapshot(settings)()
    assert read_settings(path) == (settings, "")
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_missing_file_gives_defaults_without_a_warning(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "settings.json") == (Settings(), "")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"theme": "da', "null"])
def test_damaged_file_is_renamed_with_a_warning(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "settings.damaged.json" in trouble
    assert (tmp_path / "settings.damaged.json").read_text() == text


def test_file_that_is_not_utf_8_is_renamed_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b'{"theme": "d\xe4mmrig"}')
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "settings.damaged.json" in trouble
    assert (tmp_path / "settings.damaged.json").read_bytes() == b'{"theme": "d\xe4mmrig"}'


def test_damaged_file_that_can_not_be_renamed_is_kept_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{")
    (tmp_path / "settings.damaged.json" / "in the way").mkdir(parents=True)
    settings, trouble = read_settings(path)
    assert settings == Settings()
    assert "can't be moved aside" in trouble
    assert path.read_text() == "{"


def test_values_of_another_type_or_newer_version_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"version": 9, "theme": 7, "window_seconds": 60, "shine": True}))
    assert read_settings(path) == (Settings(window_seconds=60), "")


def test_concurrent_writes_keep_the_newest_settings(tmp_path: Path) -> None:
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
