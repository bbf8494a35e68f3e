"""The window of an installed Spindle under Xvfb: opened, clicked through a demonstration, closed."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from clean_root import CleanRoot

_DISPLAY = ":97"
_OPEN_SECONDS = 60.0
_RUN_SECONDS = 240.0
_PAGES = 5


def try_window(root: CleanRoot, spindle: str) -> str:
    """Open it, press Enter on each page of a new run, wait for the run in the library; returns what was measured.

    The display is this system's: a root of its own reaches it by the abstract socket.
    """
    display = subprocess.Popen(
        ["Xvfb", _DISPLAY, "-screen", "0", "1280x800x24", "-ac", "-nolisten", "tcp"], stderr=subprocess.DEVNULL
    )
    variables = f"DISPLAY={_DISPLAY} QT_QPA_PLATFORM=xcb"
    home = f"/home/{root.user}/window"
    log = root.path / "tmp/window.log"
    try:
        time.sleep(1)
        with log.open("w") as output:
            began = time.monotonic()
            window = root.start(
                f"exec {spindle} --home {home}", user=root.user, variables=variables, stdout=output, stderr=output
            )
        try:
            number = _await(lambda: _xdotool("search", "--onlyvisible", "--name", "Spindle"), _OPEN_SECONDS, log)
            opened = time.monotonic() - began
            for _ in range(_PAGES):
                time.sleep(2)
                _xdotool("windowfocus", number.split()[0])
                _xdotool("key", "Return")
            library = f"{spindle} --home {home} library list"
            listed = _await(lambda: _completed(root, library), _RUN_SECONDS, log)
            return f"window: there after {opened:.1f} s; its demonstration: {listed.strip().splitlines()[-1]}"
        finally:
            window.terminate()
            window.wait()
    finally:
        display.terminate()
        display.wait()


def _completed(root: CleanRoot, command: str) -> str:
    process = root.start(command, user=root.user, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    listed, _ = process.communicate()
    return listed if "completed" in listed else ""


def _xdotool(*words: str) -> str:
    done = subprocess.run(
        ["xdotool", *words], env=os.environ | {"DISPLAY": _DISPLAY}, capture_output=True, text=True, check=False
    )
    return done.stdout


def _await(found: Callable[[], str], seconds: float, log: Path) -> str:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if text := found():
            return text
        time.sleep(0.25)
    raise SystemExit(f"the window did not come that far in {seconds:.0f} s: {log.read_text()[-2000:]}")
