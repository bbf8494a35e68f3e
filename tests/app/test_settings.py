import json
from pathlib import Path

import pytest

from app.settings import Settings, read_settings, write_settings


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    settings = Settings(theme="dark", layouts={"live": "AAAA"}, draft={"threads": "3x2"}, window_seconds=30)
    write_settings(path, settings)
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
