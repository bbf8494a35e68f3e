from pathlib import Path

import pytest

from app.cli.result_files import opened, refuse_unwritable
from engine.errors import BadInput, UserError


def test_write_test_does_not_change_existing_files(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    refuse_unwritable(str(old), str(tmp_path / "new.json"), "-", None)
    assert old.read_text(encoding="utf-8") == "kept"
    assert list(tmp_path.iterdir()) == [old]


def test_two_results_in_one_file_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"same\.txt; write one of them to another file"):
        refuse_unwritable(str(tmp_path / "same.txt"), str(tmp_path / "same.txt"))


def test_missing_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file or directory"):
        refuse_unwritable(str(tmp_path / "nowhere" / "result.json"))


def test_existing_result_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("a longer text", encoding="utf-8")
    with opened(str(path)) as file:
        file.write("short")
    assert path.read_text(encoding="utf-8") == "short"


def test_full_disk_is_a_user_error() -> None:
    with pytest.raises(UserError, match="No space left on device"), opened("/dev/full") as file:
        file.write("x")


def test_dash_is_standard_output_and_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    with opened("-") as file:
        file.write("first ")
    print("second")
    assert capsys.readouterr().out == "first second\n"
