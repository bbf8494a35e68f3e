"""Runs the tests of the compiled modules with AddressSanitizer and UndefinedBehaviorSanitizer; ``make check-c``.

The modules are compiled into a copy of the sources, so that those in the tree stay as they are. Needs Linux and GCC.
Further arguments are pytest's.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
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
    "tests/engine/workloads/dvdstore/test_compiled_customer.py",
    "tests/engine/workloads/dvdstore/test_compiled_script.py",
)
_COMPILER = (os.environ.get("CC", "gcc"), "-std=gnu11", "-shared", "-fPIC", "-fwrapv", "-O1", "-g")
_WARNINGS = ("-Wall", "-Wextra", "-Werror")
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
# The interpreter itself is not instrumented, so the sanitizer's library has to be loaded before everything else; Qt
# throws C++ exceptions, which the sanitizer intercepts only in a libstdc++ that is there from the start.
_PRELOADED = ("libasan.so", "libstdc++.so.6")


def main() -> int:
    if _COPY.exists():
        shutil.rmtree(_COPY)
    for name in _COPIED:
        shutil.copytree(_TREE / name, _COPY / name, ignore=_NOT_COPIED)
    shutil.copy(_TREE / "pyproject.toml", _COPY)
    if not _compile():
        return 1
    reports = _COPY / "sanitizer"  # pytest would swallow what a process writes before the sanitizer ends it
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(_library(name) for name in _PRELOADED),
        # What CPython and the libraries keep until the process ends would be reported as leaks.
        "ASAN_OPTIONS": f"detect_leaks=0:detect_stack_use_after_return=1:log_path={reports}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={reports}",
        "PYTHONMALLOC": "malloc",  # the interpreter's own allocator would hide where a block ends, and that it is freed
        "PYTHONPATH": str(_COPY),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(sys.argv[1:] or _TESTS)]
    code = subprocess.run(command, cwd=_COPY, env=environment, check=False).returncode
    found = sorted(_COPY.glob(f"{reports.name}.*"))
    for each in found:
        print(each.read_text(errors="replace"), file=sys.stderr)
    return code or bool(found)


def _compile() -> bool:
    modules = tomllib.loads((_TREE / "pyproject.toml").read_text())["tool"]["setuptools"]["ext-modules"]
    running = []
    for module in modules:
        target = _COPY / (module["name"].replace(".", "/") + sysconfig.get_config_var("EXT_SUFFIX"))
        options = [*_WARNINGS, *_SANITIZERS, *module["extra-compile-args"], f"-I{sysconfig.get_path('include')}"]
        command = [*_COMPILER, *options, *module["sources"], "-o", str(target)]
        running.append((subprocess.Popen(command, cwd=_COPY), command))
    failed = [command for process, command in running if process.wait() != 0]
    for command in failed:
        print(f"check-c: this failed: {shlex.join(command)}", file=sys.stderr)
    return not failed


def _library(name: str) -> str:
    """Where the compiler has a library."""
    command = [_COMPILER[0], f"-print-file-name={name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
