"""A campaign in progress on the terminal: a line for each step, countdowns, and the live tables of its runs."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from rich.status import Status

from app.cli.live_table import LiveTable
from app.cli.problems import print_notice
from app.cli.terminal import error_console
from engine.campaign.events import CampaignCode, CampaignEvent, countdown_text, sentence_of
from engine.conduct.campaign.running import RunView
from engine.conduct.conductor import Conductor
from engine.driver.sinks import Sink
from engine.figure_text import percent
from engine.notify.monitoring import Monitoring


class CampaignProgress:
    """Shows a campaign's events. ``quiet`` leaves out the progress within steps, and the tables of runs.

    ``monitoring`` shows each run elsewhere in turn.
    """

    def __init__(self, *, quiet: bool, monitoring: Monitoring | None = None) -> None:
        self._quiet = quiet
        self._monitoring = monitoring
        self._is_terminal = error_console.is_terminal and not error_console.is_dumb_terminal
        self._status: Status | None = None
        self._said = ""

    def on_event(self, event: CampaignEvent) -> None:
        """Print the event; progress is shown in place on a terminal, elsewhere once for each new activity."""
        if event.code is CampaignCode.STEP_PROGRESS:
            if not self._quiet:
                self._show(event)
            return
        self._end_status()
        self._said = ""
        if sentence := sentence_of(event):
            print_notice(sentence)

    def view_of(self, conductor: Conductor) -> RunView:
        """What shows a run of the campaign."""
        self._end_status()
        monitoring = self._monitoring
        return _RunView(
            None if self._quiet else LiveTable(conductor.plan, error_console),
            () if monitoring is None else monitoring.sinks(conductor.plan, conductor.name),
        )

    def _show(self, event: CampaignEvent) -> None:
        data = event.data
        left = "" if data["left_seconds"] is None else f", {countdown_text(data['left_seconds'])} left"
        if self._is_terminal:
            share = "" if data["share"] is None or left else f" ({percent(100 * data['share'], 0)})"
            text = f"{data['doing']}{share}{left}"
            if self._status is None:
                self._status = error_console.status(text)
                self._status.start()
            self._status.update(text)
        elif data["doing"] != self._said:
            self._said = data["doing"]
            error_console.print(f"  {data['doing']}{left}", soft_wrap=True)

    def _end_status(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


class _RunView:
    """The live table of a run, if it is wanted, and what shows the run elsewhere."""

    def __init__(self, table: LiveTable | None, elsewhere: Sequence[Sink]) -> None:
        self._table, self._elsewhere = table, elsewhere

    def sinks(self) -> Sequence[Sink]:
        return self._elsewhere if self._table is None else (*self._elsewhere, self._table)

    def shown(self) -> AbstractContextManager[object]:
        return self._table or nullcontext()

    def refresh(self) -> None:
        if self._table is not None:
            self._table.refresh()
