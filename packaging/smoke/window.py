"""Tries the window of an installed Spindle under Xvfb: opens it, runs the demonstration by keys, and closes it."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from clean_root import CleanRoot

_OPEN_SECONDS = 60.0
_START_SECONDS = 60.0
_RUN_SECONDS = 300.0
_CLOSE_SECONDS = 60.0
_IDLE_SECONDS = 5.0
_BETWEEN_KEYS_SECONDS = 2.0


class _Screen:
    """An X display with a simulated user.

    Its server runs in the host system; programs in a clean root reach it by the abstract socket.
    """

    def __init__(self, number: str, log: Path) -> None:
        self.name = f":{number}"
        self._log = log

    def window(self) -> str:
        """Spindle's window on the screen; empty while there is none."""
        found = self._xdotool("search", "--onlyvisible", "--name", "Spindle").split()
        return found[0] if found else ""

    def title(self) -> str:
        window = self.window()
        return self._xdotool("getwindowname", window).strip() if window else ""

    def is_idle(self) -> bool:
        """Whether the title shows no work, nor any that soon follows a run: while Spindle works, quitting asks for
        confirmation."""
        until = time.monotonic() + _IDLE_SECONDS
        while self.title() == "Spindle":
            if time.monotonic() > until:
                return True
            time.sleep(0.1)
        return False

    def press(self, key: str) -> None:
        self._xdotool("windowfocus", self.window())
        self._xdotool("key", key)

    def await_that(self, what: str, holds: Callable[[], object], seconds: float) -> None:
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise SystemExit(f"{what}: not within {seconds:.0f} s. {self._log.read_text()[-2000:]}")
            time.sleep(0.1)

    def _xdotool(self, *words: str) -> str:
        variables = os.environ | {"DISPLAY": self.name}
        return subprocess.run(["xdotool", *words], env=variables, capture_output=True, text=True, check=False).stdout


def try_window(root: CleanRoot, spindle: str) -> str:
    """Open it, press Enter on each page of a new run until the run has begun, wait for its end, quit.

    Returns what was measured. Raises ``SystemExit`` if one of the steps takes too long.
    """
    home = f"/home/{root.user}/window"
    log = root.path / "srv/window.log"
    with _screen(log) as screen, log.open("w") as output:
        begun_at = time.monotonic()
        variables = f"DISPLAY={screen.name} QT_QPA_PLATFORM=xcb"
        window = root.start(
            f"exec {spindle} --home {home}", user=root.user, variables=variables, stdout=output, stderr=output
        )
        try:
            screen.await_that("the window", screen.window, _OPEN_SECONDS)
            opened_after = time.monotonic() - begun_at
            pressed = _start_demonstration(screen)
            screen.await_that("the run measures", lambda: screen.title().startswith("Measuring"), _RUN_SECONDS)
            screen.await_that("the run and its audit end", screen.is_idle, _RUN_SECONDS)
            screen.press("ctrl+q")
            screen.await_that("the window closes", lambda: window.poll() is not None, _CLOSE_SECONDS)
        finally:
            window.kill()
            window.wait()
    if window.returncode != 0:
        raise SystemExit(f"the window ended with exit code {window.returncode}: {log.read_text()[-2000:]}")
    listed = root.call(f"{spindle} --home {home} library list", user=root.user)
    if "completed" not in listed:
        raise SystemExit(f"the window's demonstration is not in the library: {listed}")
    return f"window: there after {opened_after:.1f} s; its demonstration, after {pressed} × Enter: completed"


def _start_demonstration(screen: _Screen) -> int:
    """Press Enter until the title shows a run; returns how often."""
    until = time.monotonic() + _START_SECONDS
    pressed = 0
    while time.monotonic() < until:
        time.sleep(_BETWEEN_KEYS_SECONDS)  # as a user does, who reads each page
        if screen.title() not in ("", "Spindle"):
            return pressed
        screen.press("Return")
        pressed += 1
    raise SystemExit(f"no run had begun after {pressed} × Enter")


@contextmanager
def _screen(log: Path) -> Iterator[_Screen]:
    words = ("-displayfd", "1", "-screen", "0", "1280x800x24", "-ac", "-nolisten", "tcp")
    with subprocess.Popen(["Xvfb", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as display:
        try:
            assert display.stdout is not None
            yield _Screen(display.stdout.readline().strip(), log)
        finally:
            display.terminate()
