import errno
import logging
from pathlib import Path

import pytest

from app.cli.problems import keep_log, print_notice, report_error, without_passwords
from engine.errors import BadInput, Cancelled, ErrorClass, TargetError, UserError


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (BadInput("threads is 0."), 2, "threads is 0."),
        (UserError("the library is held."), 1, "the library is held."),
        (TargetError(ErrorClass.REJECTED, "rejected."), 1, "rejected."),
        (Cancelled(), 130, "stopped."),
        (KeyboardInterrupt(), 130, "stopped."),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "no space left to write"),
        (ZeroDivisionError("by\nzero"), 1, "internal error (ZeroDivisionError: by zero)"),
    ],
)
def test_each_error_has_one_sentence_and_an_exit_code(
    capsys: pytest.CaptureFixture[str], home: Path, error: BaseException, code: int, expected: str
) -> None:
    keep_log(home / "log" / "spindle.log")
    assert report_error(error) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"spindle: {expected}" if code != 1 else "spindle: ")
    assert expected in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no postgresql://me:hemlig@db1/ds2 here", "no postgresql://me:•••@db1/ds2 here"),
        ("file postgresql:/me:hemlig@db1", "file postgresql:/me:•••@db1"),
        ("postgresql://me:hem@lig/@db1:5432/ds2", "postgresql://me:•••@db1:5432/ds2"),
        ("postgresql://:hemlig@db1", "postgresql://:•••@db1"),
        ("postgresql://me@db1:5432/ds2", "postgresql://me@db1:5432/ds2"),
        ("at 12:30 me@example", "at 12:30 me@example"),
    ],
)
def test_passwords_in_urls_are_masked(capsys: pytest.CaptureFixture[str], text: str, shown: str) -> None:
    assert without_passwords(text) == shown
    print_notice(text)
    assert capsys.readouterr().err == f"spindle: {shown}\n"


def test_the_log_holds_warnings_and_no_password(home: Path) -> None:
    path = home / "log" / "spindle.log"
    keep_log(path)
    logging.getLogger("engine").info("too small to keep")
    assert not path.exists()
    logging.getLogger("engine").warning("lost %s", "postgresql://me:hemlig@db1")
    assert "WARNING engine: lost postgresql://me:•••@db1" in path.read_text(encoding="utf-8")


def test_error_is_one_sentence_without_a_writable_log(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    keep_log(tmp_path / "file" / "log" / "spindle.log")
    assert report_error(ValueError("odd")) == 1
    assert capsys.readouterr().err.endswith("(ValueError: odd); no log could be written.\n")


def test_log_that_becomes_unwritable_prints_nothing(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    keep_log(home / "log" / "spindle.log")
    (home / "log" / "spindle.log").mkdir(parents=True)
    logging.getLogger("engine").error("where to")
    assert capsys.readouterr().err == ""
