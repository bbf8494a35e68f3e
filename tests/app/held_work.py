"""Background work of the window that a test holds at gates, to make it end in the most difficult order."""

import threading
from collections.abc import Callable

import pytest

from tests.app.window_parts import WHILE_MS, OpenDesktop


class HeldWork:
    """Gates by name: work waits at one; ``let_end`` opens it, and returns when the work's result has been delivered."""

    def __init__(self, opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
        self._opened = opened
        self._gates: dict[str, threading.Event] = {}
        self._came_by: dict[int, str] = {}
        self._started: set[str] = set()
        self._post = opened.desktop.background.post
        monkeypatch.setattr(opened.desktop.background, "post", self._on_post)

    def wait_at(self, name: str) -> None:
        """Called by the work, on its thread; what it posts next counts as its result."""
        assert self._gate(name).wait(WHILE_MS / 1000)
        self._came_by[threading.get_ident()] = name

    def let_end(self, name: str) -> None:
        self._gate(name).set()
        self._opened.wait_for(lambda: name in self._started)

    def let_all_end(self) -> None:
        """Open every gate at which anything waits, so that the window can be closed."""
        for gate in list(self._gates.values()):
            gate.set()

    def _gate(self, name: str) -> threading.Event:
        return self._gates.setdefault(name, threading.Event())

    def _on_post(self, call: Callable[[], None]) -> None:
        name = self._came_by.pop(threading.get_ident(), "")

        def deliver() -> None:
            call()
            self._started.add(name)

        self._post(deliver)
