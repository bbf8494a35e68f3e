"""Spindle's own program, whether it runs from a clone, from a wheel, or frozen into a folder of its own.

The parts named here are processes that go on without the one that starts them, or watch over it. The processes of a run
are ``multiprocessing``'s; see ``engine.driver.child_process``.
"""

import os
import sys
from collections.abc import MutableMapping, Sequence
from importlib import import_module

PARTS = {
    "keeper": "engine.lab.keeper",
    "reaper": "engine.lab.reaper",
    "scheduler": "engine.cluster.cluster_process",
}
"""Each part's module, whose ``main`` takes the arguments and returns the exit code."""
_MARK = "_"
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_OF_THE_BUNDLE = ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH")
_LOADER = "_PYI_"


def is_frozen() -> bool:
    """Whether this is the program of a PyInstaller folder: ``sys.executable`` is then Spindle itself, not Python."""
    return bool(getattr(sys, "frozen", False))


def own_command(part: str, *arguments: str) -> list[str]:
    """The words of the command that starts one of ``PARTS``; a clone that is not installed needs its root as cwd."""
    assert part in PARTS, part
    program = [sys.executable] if is_frozen() else [sys.executable, "-m", "engine"]
    return [*program, f"{_MARK}{part}", *arguments]


def run_part(arguments: Sequence[str]) -> None:
    """Run the part that the arguments name and raise ``SystemExit`` with its exit code; return if they name none."""
    part = arguments[0].removeprefix(_MARK) if arguments and arguments[0].startswith(_MARK) else ""
    if part in PARTS:
        sys.exit(import_module(PARTS[part]).main(list(arguments[1:])))


def open_missing_streams() -> None:
    """Give the process the standard streams that it was started without, as a windowed program on Windows is.

    What is written to them is lost; without them ``sys.stdout`` would be ``None``, and each use of it an error.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for the process's life


def restore_environment(environment: MutableMapping[str, str] = os.environ) -> None:
    """Undo what a frozen program's loader has set for its own libraries, for the sake of the programs that we start.

    With the bundle's libraries ``ssh`` or a browser would run with others than they were built with. This process has
    loaded its own by then; its children of the same program are given theirs by their own loader.
    """
    if not is_frozen():
        return
    for name in _LIBRARY_PATHS:
        before = environment.pop(f"{name}_ORIG", "")
        environment.pop(name, None)
        if before:
            environment[name] = before
    for name in [name for name in environment if name in _OF_THE_BUNDLE or name.startswith(_LOADER)]:
        del environment[name]
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetDllDirectoryW(None)  # not inherited by programs any more
