"""Fixtures for all tests: the session's servers, and the check that a test leaves nothing running."""

import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import settings

from engine.files.disk_space import SPARE_VARIABLE
from engine.lab.server import EmbeddedServer
from tests import templates
from tests.child_processes import child_processes, is_fork_server
from tests.doubles.mariadb_server import MariaDBServer, kept_processes, running_server
from tests.doubles.mysql_server import MYSQL_80, running_mysql
from tests.doubles.ssh_server import SshServer, why_no_ssh_server
from tests.labs import running_lab

if os.name != "nt":
    from tests.memory_folder import use_memory_for_files

SCREEN = Path(__file__).parent / "screen.json"
_GRACE_SECONDS = 30.0
_POLL_SECONDS = 0.02
_AFTER_MULTIPROCESSING = -200  # its own folder has -100
_FORK_SERVER = "this process's fork server"
_FULL, _TESTS_BETWEEN_FULL_COLLECTIONS = 2, 100
_ONLY_QUICK = "not slow"
_FIXTURES_OF_SLOW_TESTS = frozenset(
    {"embedded_server", "local_sshd", "mariadb_server", "mysql_server", "qapp", "qtbot"}
)
_FOLDERS_OF_SLOW_TESTS = tuple(
    Path(__file__).parent / folder
    for folder in (
        "app",
        "benchmarks",
        "doubles",
        "engine/conduct",
        "engine/databases",
        "engine/driver",
        "engine/lab",
        "engine/library",
        "system",
        "widgets",
    )
)
_LONG_FILES = (
    "tests/system/",
    "tests/app/test_failover_in_the_window.py",
    "tests/engine/databases/test_",
    "tests/engine/driver/test_outages.py",
    "tests/engine/lab/test_outages_of_a_pair.py",
    "tests/engine/analysis/recovery/test_judging.py",
    "tests/app/test_contrast.py",
    "tests/app/library/test_rescuing.py",
    "tests/engine/conduct/test_conductor.py",
    "tests/engine/conduct/test_after_run.py",
    "tests/engine/lab/test_server.py",
    "tests/engine/workloads/wholesale/test_",
    "tests/engine/driver/test_run.py",
    "tests/engine/driver/test_run_ends.py",
    "tests/app/test_full_disk.py",
    "tests/app/test_report.py",
    "tests/app/test_run.py",
    "tests/app/test_stores.py",
    "tests/widgets/test_paint_soak.py",
)
_LONG_FILES_PART = 0.6


# No deadline: the time of an example depends more on the machine than on the code.
settings.register_profile("untimed", deadline=None, max_examples=50)
settings.register_profile("quick", deadline=None, max_examples=20)


def pytest_configure(config: pytest.Config) -> None:
    """Files are in memory; and where slow tests are left out, properties are tried with fewer examples."""
    if os.name != "nt" and (remove := use_memory_for_files()) is not None:
        Finalize(None, remove, exitpriority=_AFTER_MULTIPROCESSING)  # which removes what it has there itself
    settings.load_profile("quick" if config.option.markexpr == _ONLY_QUICK else "untimed")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests are left out, their folders are not even read."""
    return True if config.option.markexpr == _ONLY_QUICK and collection_path in _FOLDERS_OF_SLOW_TESTS else None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """What is collected lives to the end: the garbage collector never visits it, neither now nor between tests."""
    gc.disable()
    try:
        _import_own_part(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _import_own_part(config: pytest.Config) -> None:
    """Each worker of a whole run first imports a part of the files of tests.

    Otherwise, in a fresh clone, all workers would go through the files together, and each would compile all of them.
    """
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    if worker is None or config.args != config.getini("testpaths") or config.option.markexpr == _ONLY_QUICK:
        return
    tests = Path(__file__).parent
    files = sorted(tests.rglob("test_*.py"))
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for file in files[number * len(files) // count : (number + 1) * len(files) // count]:
        with suppress(Exception, pytest.skip.Exception):  # the collection will report it
            import_module(".".join(file.relative_to(tests.parent).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a server or a window are marked as slow by their fixtures, those of a few folders by their place."""
    _spread_long_files(items)
    is_in_slow_folder = cache(lambda path: any(path.is_relative_to(folder) for folder in _FOLDERS_OF_SLOW_TESTS))
    for item in items:
        uses = _FIXTURES_OF_SLOW_TESTS.intersection(getattr(item, "fixturenames", ()))
        if uses or is_in_slow_folder(item.path):
            item.add_marker(pytest.mark.slow)


def _spread_long_files(items: list[pytest.Item]) -> None:
    """Files of long tests, most of which wait, come by turns with the others, which need the processors meanwhile.

    None is among the last: at the end, the other workers would wait for it.
    """
    nodes = {item.path: item.nodeid for item in items}
    long = [path for start in _LONG_FILES for path, node in nodes.items() if node.startswith(start)]
    others = [path for path in nodes if path not in long]
    place = {path: _LONG_FILES_PART * at / len(long) for at, path in enumerate(long)}
    place |= {path: at / len(others) for at, path in enumerate(others)}
    items.sort(key=lambda item: place[item.path])


@pytest.fixture(scope="session", autouse=True)
def nothing_is_put_into_the_users_own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Files that do not fit on their own disk (rescued runs) go into a folder of the tests, also from other processes,
    and so does what Qt keeps of its file dialogs (``QtProject.conf``)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SPARE_VARIABLE, str(tmp_path_factory.mktemp("rescue")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
        yield


@pytest.fixture(scope="session", autouse=True)
def servers_data_are_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All workers share the templates of servers."""
    own = tmp_path_factory.getbasetemp()
    if os.name == "nt":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "folder", own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
        yield


@pytest.fixture(scope="session")
def embedded_server() -> Iterator[EmbeddedServer]:
    """The session's embedded PostgreSQL; its ``target()`` and ``secret`` say how to connect."""
    with running_lab() as server:
        yield server


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDBServer]:
    """The session's MariaDB; a test that stops, kills or freezes it has it running again when it ends."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[MariaDBServer]:
    """The session's MySQL, Oracle's 8.0.15; skips where the set-up could not fetch it."""
    with running_mysql(MYSQL_80) as server:
        yield server


@pytest.fixture(scope="session")
def local_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """The session's SSH server on loopback: its ``access`` reaches this machine; skips where there is no sshd."""
    if reason := why_no_ssh_server():
        pytest.skip(reason)
    with SshServer(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """Windows are painted without a display, whatever the environment says, as on a large screen."""
    return ["spindle-tests", "-platform", f"offscreen:configfile={SCREEN}"]


@pytest.fixture(autouse=True)
def garbage_is_collected_between_tests() -> Iterator[None]:
    """As in the window, see ``app.garbage_collections``: a collection inside a call of Qt's can hang the process."""
    gc.disable()
    yield
    gc.collect(_FULL if gc.get_count()[_FULL] > _TESTS_BETWEEN_FULL_COLLECTIONS else _FULL - 1)


@pytest.fixture(autouse=True)
def no_key_is_left_held() -> Iterator[None]:
    """Qt takes the modifiers of the last key or click for those held: with a Shift, the next test's table selects none.

    Qt is not loaded for it, as tests of the engine have none.
    """
    yield
    if "PySide6.QtTest" in sys.modules:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication, QLineEdit

        if QApplication.instance() and QApplication.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
            QTest.keyClick(QLineEdit(), Qt.Key.Key_End)


@pytest.fixture(autouse=True)
def no_style_sheet_is_left() -> Iterator[None]:
    """A window's theme dresses the whole application; the next test's widgets are plain again, unless it has the same
    window."""
    yield
    if "PySide6.QtWidgets" in sys.modules:
        from PySide6.QtWidgets import QApplication, QMainWindow

        application = QApplication.instance()
        if isinstance(application, QApplication) and application.styleSheet():
            windows = [each for each in application.topLevelWidgets() if isinstance(each, QMainWindow)]
            if not any(each.isVisible() for each in windows):
                application.setStyleSheet("")


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """Fail the test after which a process or a thread that it started still runs."""
    processes = child_processes()
    threads = set(threading.enumerate())
    yield
    deadline = time.monotonic() + _GRACE_SECONDS
    while left := _left_over(processes, threads):
        if time.monotonic() > deadline:
            pytest.fail(f"the test left these running: {'; '.join(left)}")
        time.sleep(_POLL_SECONDS)


def _left_over(processes: set[psutil.Process], threads: set[threading.Thread]) -> list[str]:
    # multiprocessing's resource tracker and fork server are meant to stay for as long as the interpreter; and a server
    # that outlives the test may have been started anew by it.
    new = {child: _name(child) for child in child_processes() - processes}
    kept = kept_processes() if new else set()
    running = [
        f"process {child.pid} ({name})"
        for child, name in new.items()
        if not (child.pid in kept or name == _FORK_SERVER or "resource_tracker" in name)
    ]
    running += [f"thread {thread.name}" for thread in threading.enumerate() if not (thread in threads or thread.daemon)]
    return running


def _name(process: psutil.Process) -> str:
    try:
        if is_fork_server(process) and process.ppid() == os.getpid():  # what it has forked has the same name
            return _FORK_SERVER
        return " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        return "ended, but not waited for"
