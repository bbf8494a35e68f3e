from pathlib import Path

import pytest

from app.cli.input_text import read_bytes, read_utf8
from engine.errors import BadInput


def test_byte_order_mark_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "bill.csv"
    path.write_bytes(b"\xef\xbb\xbfna\xc3\xafve")
    assert read_utf8(path) == "naïve"
    assert read_bytes(path).startswith(b"\xef\xbb\xbf")


def test_unreadable_input_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="can't be read"):
        read_bytes(tmp_path / "nothing")
    with pytest.raises(BadInput, match="can't be read"):
        read_bytes(tmp_path)
    path = tmp_path / "western.csv"
    path.write_bytes(b"na\xefve")
    with pytest.raises(BadInput, match=r"western\.csv is not text in UTF-8; save it as UTF-8"):
        read_utf8(path)
    monkeypatch.setattr("app.cli.input_text._MOST_BYTES", 4)
    with pytest.raises(BadInput, match="cut it to the time of the run"):
        read_bytes(path)
