from pathlib import Path

import pytest

import resources

PLACE = Path(resources.__file__).parent
LARGEST_KB = 300


def test_a_text_is_read_as_it_was_written() -> None:
    assert resources.read_text("help", "recovery.md").encode() == (PLACE / "help" / "recovery.md").read_bytes()


def test_an_icon_is_found_by_its_name() -> None:
    assert resources.read_icon("stop").startswith("<svg")
    with pytest.raises(FileNotFoundError):
        resources.read_icon("no-such-icon")


def test_no_file_makes_the_program_heavy() -> None:
    files = [each for each in PLACE.rglob("*") if each.is_file()]
    assert len(files) > 50
    assert [each.name for each in files if each.stat().st_size > LARGEST_KB * 1024] == []
