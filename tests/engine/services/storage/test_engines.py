"""What is said where fio can't be used."""

import shutil
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.services.storage.fio.engines import FioMissingError, fio_version
from engine.services.storage.place import Place


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the only programs that are found: a shell, and what a test puts there."""
    shell = shutil.which("sh")
    assert shell is not None
    (tmp_path / "sh").symlink_to(shell)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_machine_without_fio_is_told_how_to_get_it(programs: Path) -> None:
    with pytest.raises(FioMissingError, match="not installed on this machine; install it"):
        fio_version(Place())


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("echo no memory >&2; exit 1", r"does not tell its version \(no memory\); try fio --version by hand"),
        ("exit 3", r"does not tell its version \(exit code 3\)"),
        ("echo fio-2.2", "is 2.2; 3.1 and newer"),
    ],
)
def test_a_fio_that_fails_or_is_too_old_is_named_so(programs: Path, does: str, words: str) -> None:
    fio = programs / "fio"
    fio.write_text(f"#!{programs / 'sh'}\n{does}\n")
    fio.chmod(0o755)
    with pytest.raises(UserError, match=words):
        fio_version(Place())
