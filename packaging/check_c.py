"""Runs the tests of the compiled modules with AddressSanitizer and UndefinedBehaviorSanitizer, then the tests with
several threads with ThreadSanitizer; ``make check-c``.

The modules are compiled into a copy of the sources, so that those in the tree stay as they are. Needs Linux and GCC.
Further arguments are pytest's; with them only the first two sanitizers are used.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

_TREE = Path(__file__).parents[1]
_COPY = _TREE / "build" / "check-c"
_COPIED = ("engine", "resources", "tests")
_NOT_COPIED = shutil.ignore_patterns("*.so", "__pycache__", "pictures")
_TESTS = (
    "tests/engine/audit/test_notes.py",
    "tests/engine/databases/exchange",
    "tests/engine/databases/mariadb/native/test_compiled_exchange.py",
    "tests/engine/databases/postgresql/test_compiled_exchange.py",
    "tests/engine/databases/test_rounds.py",
    "tests/engine/databases/test_rounds_guards.py",
    "tests/engine/driver/test_counting.py",
    *sorted(str(path.relative_to(_TREE)) for path in _TREE.glob("tests/engine/workloads/*/test_compiled_*.py")),
)
_COMPILER = (os.environ.get("CC", "gcc"), "-std=gnu11", "-shared", "-fPIC", "-fwrapv", "-O1", "-g")
_WARNINGS = ("-Wall", "-Wextra", "-Werror")
_ADDRESS_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
_THREAD_SANITIZER = ("-fsanitize=thread", "-fno-omit-frame-pointer")
_TESTS_OF_THREADS = ("tests/engine/databases/test_rounds_guards.py", "-p", "no:xdist", "-k", "another_thread")
# The interpreter itself is not instrumented, so the sanitizer's library has to be loaded before everything else; Qt
# throws C++ exceptions, which the sanitizer intercepts only in a libstdc++ that is there from the start.
_LIBSTDCXX = "libstdc++.so.6"


def main() -> int:
    if _COPY.exists():
        shutil.rmtree(_COPY)
    for name in _COPIED:
        shutil.copytree(_TREE / name, _COPY / name, ignore=_NOT_COPIED)
    shutil.copy(_TREE / "pyproject.toml", _COPY)
    # Leaks are not reported, since CPython and the libraries keep memory until the process ends. The interpreter's own
    # allocator would hide the ends of blocks, and use after free.
    options = {"ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    is_clean = _is_clean(
        _ADDRESS_SANITIZERS, "libasan.so", options | {"PYTHONMALLOC": "malloc"}, sys.argv[1:] or _TESTS
    )
    if is_clean and not sys.argv[1:]:
        # ThreadSanitizer does not support all layouts of a randomized address space.
        options = {"TSAN_OPTIONS": "report_signal_unsafe=0"}
        is_clean = _is_clean(_THREAD_SANITIZER, "libtsan.so", options, _TESTS_OF_THREADS, ("setarch", "-R"))
    return 0 if is_clean else 1


def _is_clean(
    sanitizers: Sequence[str],
    library: str,
    options: Mapping[str, str],
    tests: Sequence[str],
    launcher: Sequence[str] = (),
) -> bool:
    """Compile the modules with ``sanitizers`` and run tests: whether these pass and nothing is reported."""
    if not _compile(sanitizers):
        return False
    reports = _COPY / "sanitizer"  # pytest would capture what a process writes before the sanitizer ends it
    logged = {
        name: f"{value}:log_path={reports}" if name.endswith("SAN_OPTIONS") else value
        for name, value in options.items()
    }
    preloaded = " ".join(_library(name) for name in (library, _LIBSTDCXX))
    environment = {**os.environ, **logged, "LD_PRELOAD": preloaded, "PYTHONPATH": str(_COPY)}
    command = [*launcher, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    code = subprocess.run(command, cwd=_COPY, env=environment, check=False).returncode
    found = sorted(_COPY.glob(f"{reports.name}.*"))
    for each in found:
        print(each.read_text(errors="replace"), file=sys.stderr)
    return code == 0 and not found


def _compile(sanitizers: Sequence[str]) -> bool:
    modules = tomllib.loads((_TREE / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"]
    running = []
    for module in modules:
        target = _COPY / (module["name"].replace(".", "/") + sysconfig.get_config_var("EXT_SUFFIX"))
        options = [*_WARNINGS, *sanitizers, *module["extra-compile-args"], f"-I{sysconfig.get_path('include')}"]
        command = [*_COMPILER, *options, *module["sources"], "-o", str(target)]
        running.append((subprocess.Popen(command, cwd=_COPY), command))
    failed = [command for process, command in running if process.wait() != 0]
    for command in failed:
        print(f"check-c: this failed: {shlex.join(command)}", file=sys.stderr)
    return not failed


def _library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [_COMPILER[0], f"-print-file-name={name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
