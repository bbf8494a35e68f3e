from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.lab.logs import KEEPER, log_path, primary_number, read_end, read_more


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = log_path(tmp_path, 2)
    path.parent.mkdir()
    return path


def test_each_log_has_its_place(tmp_path: Path) -> None:
    assert log_path(tmp_path, 1) == tmp_path / "node1" / "server.log"
    assert log_path(tmp_path, KEEPER) == tmp_path / "keeper.log"
    assert primary_number(tmp_path) == 1
    for number in (-1, 4):
        with pytest.raises(BadInput, match=f"node {number} does not exist; give one from 1 to 3"):
            log_path(tmp_path, number)


def test_a_log_is_read_from_its_end(log: Path) -> None:
    log.write_text("".join(f"line {number}\n" for number in range(10_000)))
    piece = read_end(log, 3)
    assert piece.text == "line 9997\nline 9998\nline 9999\n"
    assert read_end(log, 0).text == ""
    assert read_more(log, piece.end).text == ""


def test_what_is_written_later_is_read_in_whole_lines(log: Path) -> None:
    assert read_end(log, 10).text == ""
    log.write_text("first\nhalf a li")
    piece = read_end(log, 10)
    assert piece.text == "first\n"
    with log.open("a") as file:
        file.write("ne\n")
    assert read_more(log, piece.end).text == "half a line\n"


def test_a_log_that_was_begun_again_is_read_from_its_beginning(log: Path) -> None:
    log.write_text("old\n" * 100)
    piece = read_end(log, 1)
    log.write_text("new\n")
    assert read_more(log, piece.end).text == "new\n"


def test_bytes_that_are_no_text_do_not_hide_the_rest(log: Path) -> None:
    log.write_bytes(b"\xff\xfe odd\nplain\n")
    assert read_end(log, 2).text.endswith("plain\n")
