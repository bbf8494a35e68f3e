from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.cli.conducting import Stopping


class AskedRun:
    """What was asked of a run."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def stop(self) -> None:
        self.asked.append("stop")

    def stop_now(self) -> None:
        self.asked.append("stop now")


def test_first_interrupt_stops_in_order_and_later_ones_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    run = AskedRun()
    stopping = Stopping(cast("Any", SimpleNamespace(run=run)))
    stopping.report_progress()
    assert capsys.readouterr().err == ""
    for _ in range(3):
        stopping.ask()
        stopping.report_progress()
    assert run.asked == ["stop", "stop now", "stop now"]
    assert capsys.readouterr().err == "spindle: stopping; press Ctrl-C again to stop at once.\n"
