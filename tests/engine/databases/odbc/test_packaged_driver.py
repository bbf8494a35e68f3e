"""Where the package of Microsoft's driver has the library of a system."""

from pathlib import Path

import pytest

from engine.databases.odbc import packaged_driver
from engine.databases.odbc.packaged_driver import library_in


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for place in ("linux/debian_ubuntu/x86_64", "linux/rhel/x86_64", "linux/suse/x86_64", "linux/alpine/arm64"):
        folder = tmp_path / "libs" / place / "lib"
        folder.mkdir(parents=True)
        (folder / "libmsodbcsql-18.6.so.2.1").touch()
        (folder / "libodbcinst.so.2").touch()
    mac = tmp_path / "libs" / "macos" / "arm64" / "lib"
    mac.mkdir(parents=True)
    (mac / "libmsodbcsql.18.dylib").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("system", "machine", "release", "place"),
    [
        ("linux", "x86_64", {"ID": "debian"}, "linux/debian_ubuntu/x86_64"),
        ("linux", "x86_64", {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "linux/debian_ubuntu/x86_64"),
        ("linux", "x86_64", {}, "linux/debian_ubuntu/x86_64"),
        ("linux", "x86_64", {"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "linux/rhel/x86_64"),
        ("linux", "x86_64", {"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "linux/suse/x86_64"),
        ("linux", "aarch64", {"ID": "alpine"}, "linux/alpine/arm64"),
        ("darwin", "arm64", {}, "macos/arm64"),
    ],
)
def test_a_system_has_the_library_that_was_built_for_it(
    package: Path, system: str, machine: str, release: dict[str, str], place: str
) -> None:
    library = library_in(package, system, machine, release)
    assert library is not None
    assert library.parent == package / "libs" / place / "lib"
    assert library.name.startswith("libmsodbcsql")


def test_unloadable_library_is_reported_with_the_reason(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = package / "libs" / "linux" / "debian_ubuntu" / "x86_64" / "lib" / "libmsodbcsql-18.6.so.2.1"
    monkeypatch.setattr(packaged_driver, "library_in", lambda *_: library)
    packaged_driver._loaded.cache_clear()
    try:
        assert packaged_driver.packaged_library() is None
        assert "file too short" in packaged_driver.load_error()
    finally:
        packaged_driver._loaded.cache_clear()


def test_a_system_without_a_library_of_its_own_has_none(package: Path) -> None:
    assert library_in(package, "linux", "riscv64", {"ID": "debian"}) is None
    assert library_in(package, "win32", "AMD64", {}) is None
    assert library_in(None, "linux", "x86_64", {"ID": "debian"}) is None
