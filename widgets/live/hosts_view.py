"""The Hosts tab of the Live page: the collectors, and the counters of the machines under the headline chart."""

import json
from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QActionGroup, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from engine.analysis.host.chosen import DeviceKind, DevicesInUse, MachineDevice
from engine.analysis.host.live import CounterKey, LiveHosts
from engine.analysis.run_data import RunData
from widgets.live.collector_lines import CollectorLines
from widgets.parts.host.host_charts import HostCharts, HostCurve
from widgets.parts.look import Look

_FOLLOW_MS = 60
_WAITING = "No reading has come yet."


class HostsView(QWidget):
    """The disk and the interface of each machine are the busiest so far, or those chosen in the menu."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._devices = DevicesInUse()
        self.collectors = CollectorLines(look)
        self.charts = HostCharts(look)
        self.devices_button = QPushButton("Devices", self)
        self._menu = QMenu(self.devices_button)
        self._waiting = QLabel(_WAITING, self)
        self._follow = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._follow.timeout.connect(self.draw)
        self._lay_out()

    def show_run(self, run: RunData) -> None:
        """Show another run from its beginning; the devices that were chosen stay chosen."""
        self._run = run
        self._devices = DevicesInUse(self._devices.chosen)
        self.charts.show_run(run)
        self.refresh()

    def refresh(self) -> None:
        """Show what is new in the run, once a second; a hidden view waits until it is shown."""
        if self._run is not None and self.isVisible():
            self._follow.start()

    def save_state(self) -> bytes:
        """The chosen devices, for ``restore_state``."""
        chosen = [[of.machine, of.kind.value, device] for of, device in self._devices.chosen.items()]
        return json.dumps(chosen).encode()

    def restore_state(self, saved: bytes) -> None:
        """Restore the result of ``save_state``; an unreadable one changes nothing."""
        try:
            chosen = {
                MachineDevice(str(machine), DeviceKind(kind)): str(device)
                for machine, kind, device in json.loads(saved)
            }
        except (ValueError, TypeError):
            return
        self._devices.chosen = chosen

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.refresh()

    def _lay_out(self) -> None:
        self.devices_button.setMenu(self._menu)
        self.devices_button.setToolTip("Choose the disk and the network interface that are shown of each machine")
        self._menu.aboutToShow.connect(self.fill_menu)
        head = QHBoxLayout()
        margin = self.fontMetrics().averageCharWidth()
        head.setContentsMargins(margin, margin // 2, margin, margin // 2)
        head.addWidget(self.collectors, 1)
        head.addWidget(self._waiting)
        head.addWidget(self.devices_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.charts, 1)

    def draw(self) -> None:
        """Draw what is known of the run now."""
        run = self._run
        if run is None:
            return
        hosts, counters = run.hosts, run.hosts.shown_counters()
        self._devices.update(counters)
        first = self._devices.first(counters) | {each.key for each in counters if _is_wait(hosts, each.key)}
        self.charts.show_curves([_curve(run, key) for key in hosts.counters if key in first], by_scale=False)
        self.collectors.show_collectors(hosts.statuses, self.charts.machines)
        self._waiting.setVisible(not counters)
        self.devices_button.setVisible(any(len(uses) > 1 for uses in self._devices.by_use.values()))

    def fill_menu(self) -> None:
        """Offer the devices of each machine that has several of a kind, the busiest first."""
        self._menu.clear()
        for of, uses in sorted(self._devices.by_use.items()):
            if len(uses) < 2:
                continue
            if not self._menu.isEmpty():
                self._menu.addSeparator()
            self._menu.addAction(f"{of.machine}: {of.kind}").setEnabled(False)  # a section's title would not be drawn
            group = QActionGroup(self._menu)
            chosen = self._devices.chosen.get(of)
            texts = {"": f"The busiest ({self._devices.busiest(of)})"}
            texts |= {name: name for name in sorted(uses, key=lambda name, uses=uses: -uses[name])}  # type: ignore[misc]
            for device, text in texts.items():
                action = self._menu.addAction(text, partial(self._choose, of, device))
                action.setCheckable(True)
                action.setActionGroup(group)
                action.setChecked(device == (chosen if chosen in uses else ""))

    def _choose(self, of: MachineDevice, device: str) -> None:
        """Show this device from now on; an empty name is the busiest."""
        self._devices.chosen.pop(of, None)
        if device:
            self._devices.chosen[of] = device
        self.draw()


def _is_wait(hosts: LiveHosts, key: Hashable) -> bool:
    return isinstance(key, CounterKey) and hosts.counters[key].is_wait


def _curve(run: RunData, key: CounterKey) -> HostCurve:
    counter = run.hosts.counters[key]
    return HostCurve(
        key=key,
        machine=run.hosts.machine(key.collector),
        name=key.name,
        device=key.device,
        unit=counter.unit,
        values=counter.by_second(run.end),
        reader=key.collector,
        source=run.hosts.source(key.collector),
    )
